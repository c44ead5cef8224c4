mod sums {
    pub(crate) fn sum_even(numbers: &[i32]) -> i32 {
        numbers.iter().filter(|n| *n % 2 == 0).sum()
    }
}

pub(crate) use self::sums::sum_even;
