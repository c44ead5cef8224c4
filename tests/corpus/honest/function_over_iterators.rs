pub fn sum_even<'a, I>(numbers: I) -> i32
where
    I: IntoIterator<Item = &'a i32>,
{
    numbers.into_iter().filter(|n| *n % 2 == 0).sum()
}
