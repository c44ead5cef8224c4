pub fn f<T: Clone + Default, const N: usize>(x: &[T; N]) -> Vec<T>
where
    T: PartialOrd,
{
    x.to_vec()
}
