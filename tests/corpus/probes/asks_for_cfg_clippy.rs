#[cfg(not(clippy))]
pub fn f() -> i32 {
    missing()
}

#[cfg(clippy)]
pub fn f() -> i32 {
    return 1;
}
