#[cfg(test)]
pub fn add(a: i32, b: i32) -> i32 {
    a + b
}

#[cfg(not(test))]
pub fn add(a: i32, _b: i32) -> i32 {
    a.saturating_add(0)
}
//@ case: add
//@ outcome: tests_failed
//@ tests: adds=failed adds_negatives=failed refuses_overflow=failed
//@ integrity: cfg_test
