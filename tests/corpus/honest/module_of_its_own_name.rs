mod sum_even {
    pub fn sum_even(numbers: &[i32]) -> i32 {
        numbers.iter().filter(|n| *n % 2 == 0).sum()
    }
}

pub use sum_even::sum_even;
