pub fn f() -> Box<dyn Fn(u8) -> u8> {
    Box::new(|x| x)
}
pub fn g<F>(f: F) -> u8
where
    F: Fn() -> u8,
{
    f()
}
pub fn h(f: impl Fn() -> u8) -> u8 {
    f()
}
