#![deny(warnings)]
#[cfg(feature = "nothing")]
pub fn f() {}
