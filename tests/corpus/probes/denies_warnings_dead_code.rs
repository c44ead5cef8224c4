#![deny(warnings)]
fn dead() {}
pub fn f() {}
