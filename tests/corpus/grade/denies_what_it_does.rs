#![deny(warnings)]
pub fn add(a: i32, b: i32) -> i32 {
    a + b
}

fn unused() {}
//@ case: add
//@ outcome: compile_failed
