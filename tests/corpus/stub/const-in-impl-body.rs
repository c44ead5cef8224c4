const fn n() -> usize {
    4
}
pub const fn m() -> u8 {
    1
}
pub fn f() -> impl Iterator<Item = u8> {
    let x = [0u8; n()];
    x.into_iter().map(|y| y + m())
}
