#[derive(Debug, Clone, Copy)]
pub enum Coin {
    Penny,
    Dime,
    Quarter,
}

pub use self::Coin::{Dime, Penny, Quarter};

pub fn cents(coin: Coin) -> u32 {
    match coin {
        Coin::Penny => 1,
        Coin::Dime => 10,
        Coin::Quarter => 25,
    }
}
