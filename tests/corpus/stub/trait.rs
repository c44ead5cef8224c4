pub trait T {
    const C: u8;
    type A;
    fn r(&self) -> Self::A;
    fn d(&self) -> u8 {
        1
    }
    fn s() -> Self
    where
        Self: Sized;
}
impl T for u8 {
    const C: u8 = 1;
    type A = u8;
    fn r(&self) -> u8 {
        1
    }
    fn s() -> Self {
        0
    }
}
