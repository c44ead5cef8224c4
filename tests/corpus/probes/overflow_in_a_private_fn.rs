#[allow(dead_code)]
fn f() -> u8 {
    255u8 + 1
}
