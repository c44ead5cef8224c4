#![crate_name = "other"]
pub fn f() {}
