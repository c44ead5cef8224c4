mod a {
    pub mod b {
        pub fn sum_even(numbers: &[i32]) -> i32 {
            numbers.iter().filter(|n| *n % 2 == 0).sum()
        }
    }
    pub use self::b::*;
}

pub use crate::a::*;
