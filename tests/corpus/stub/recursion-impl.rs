pub fn f(n: u8) -> impl Iterator<Item = u8> {
    let b: Box<dyn Iterator<Item = u8>> = if n == 0 {
        Box::new(std::iter::empty())
    } else {
        Box::new(std::iter::once(n).chain(f(n - 1)))
    };
    b
}
