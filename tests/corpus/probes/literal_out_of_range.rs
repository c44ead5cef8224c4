pub fn f() -> u8 {
    256u8
}
