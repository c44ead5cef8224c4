pub fn sum_even(numbers: &[i32]) -> i64 {
    numbers.iter().filter(|n| *n % 2 == 0).map(|n| i64::from(*n)).sum()
}
