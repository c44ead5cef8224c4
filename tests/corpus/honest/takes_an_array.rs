pub fn sum_even<const N: usize>(numbers: &[i32; N]) -> i32 {
    numbers.iter().filter(|n| *n % 2 == 0).sum()
}
