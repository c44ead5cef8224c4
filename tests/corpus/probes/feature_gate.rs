#![feature(never_type)]
pub fn f() {}
