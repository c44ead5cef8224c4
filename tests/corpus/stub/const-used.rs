pub const fn f(x: u32) -> u32 {
    g(x) * 2
}
const fn g(x: u32) -> u32 {
    x
}
pub const N: usize = f(2) as usize;
pub const fn unused() -> u8 {
    3
}
