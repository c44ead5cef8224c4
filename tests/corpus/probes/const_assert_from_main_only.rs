fn wanted<const N: usize>() -> usize {
    const { assert!(N > 10) };
    N
}
fn main() {
    println!("{}", wanted::<3>());
}
