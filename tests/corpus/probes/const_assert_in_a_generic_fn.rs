fn wanted<const N: usize>() -> usize {
    const { assert!(N > 10) };
    N
}
pub fn f<T>(_: T) -> usize {
    wanted::<3>()
}
