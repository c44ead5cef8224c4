#![forbid(clippy::all)]
pub fn f() -> i32 {
    return 1;
}
