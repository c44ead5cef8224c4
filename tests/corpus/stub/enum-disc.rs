const fn d() -> isize {
    3
}
pub enum E {
    A = d(),
    B,
}
