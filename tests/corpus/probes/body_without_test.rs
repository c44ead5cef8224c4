#[cfg(not(test))]
pub fn f() -> i32 {
    missing()
}

#[cfg(test)]
pub fn f() -> i32 {
    1
}
