pub fn f() -> (impl Fn(u8) -> u8, impl Fn(u8) -> u8) {
    (|x| x, |y| y)
}
