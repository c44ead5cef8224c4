pub fn sum_even(numbers: impl AsRef<[i32]>) -> i32 {
    numbers.as_ref().iter().filter(|n| *n % 2 == 0).sum()
}
