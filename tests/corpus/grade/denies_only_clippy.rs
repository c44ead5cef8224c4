#![deny(clippy::all)]
pub fn add(a: i32, b: i32) -> i32 {
    return a + b;
}
//@ case: add
//@ outcome: passed
//@ lints: needless_return
