#![allow(clippy::needless_return)]
pub fn add(a: i32, b: i32) -> i32 {
    return a + b;
}

#[expect(clippy::len_zero, reason = "clearer")]
pub fn nothing(of: &str) -> bool {
    of.len() == 0
}

pub fn same(flag: bool) -> bool {
    flag == true
}
//@ case: add
//@ outcome: passed
//@ lints: bool_comparison len_zero needless_return
//@ silenced: 2
//@ integrity: lint_silencing
