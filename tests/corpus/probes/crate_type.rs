#![crate_type = "bin"]
pub fn f() {}
