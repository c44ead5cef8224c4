mod x {
    pub fn run(numbers: &[i32]) -> i32 {
        numbers.iter().filter(|n| *n % 2 == 0).sum()
    }
}

pub use x::{run as sum_even};
