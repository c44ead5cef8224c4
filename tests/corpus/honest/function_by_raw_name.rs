pub fn r#sum_even(r#numbers: &[i32]) -> i32 {
    numbers.iter().filter(|n| *n % 2 == 0).sum()
}
