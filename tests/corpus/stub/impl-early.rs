pub fn f(n: i32) -> impl Iterator<Item = i32> {
    if n < 0 {
        return (0..0).chain(0..0);
    }
    (0..n).chain(0..1)
}
