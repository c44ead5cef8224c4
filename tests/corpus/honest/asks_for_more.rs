use std::fmt::Debug;

pub fn sum_even<T>(numbers: T) -> i32
where
    T: AsRef<[i32]> + Debug + IntoIterator,
    T::Item: Debug,
{
    numbers.as_ref().iter().filter(|n| *n % 2 == 0).sum()
}
