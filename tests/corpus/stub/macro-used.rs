macro_rules! two {
    () => {
        2
    };
}
pub const A: usize = two!();
pub fn f() -> u8 {
    two!()
}
