#![deny(warnings, missing_docs)]
#![forbid(unsafe_code)]
//! d
#[deny(unused_variables)]
fn f(x: u8) -> u8 {
    x
}
/// g
pub fn g() -> u8 {
    f(1)
}
