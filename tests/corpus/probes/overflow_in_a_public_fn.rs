pub fn f() -> u8 {
    255u8 + 1
}
