const fn n() -> usize {
    4
}
pub struct S {
    pub a: [u8; n()],
}
impl S {
    pub const fn new() -> Self {
        S { a: [0; n()] }
    }
}
pub static Z: S = S::new();
