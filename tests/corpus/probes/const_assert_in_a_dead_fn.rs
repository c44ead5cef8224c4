fn wanted<const N: usize>() -> usize {
    const { assert!(N > 10) };
    N
}
fn f() -> usize {
    wanted::<3>()
}
