#[derive(Debug, Clone, Copy)]
pub enum Coin {
    Penny,
    Dime,
    Quarter,
}

#[allow(non_upper_case_globals)]
pub const Penny: Coin = Coin::Penny;
#[allow(non_upper_case_globals)]
pub const Dime: Coin = Coin::Dime;

pub fn cents(coin: Coin) -> u32 {
    match coin {
        Coin::Penny => 1,
        Coin::Dime => 10,
        Coin::Quarter => 25,
    }
}
