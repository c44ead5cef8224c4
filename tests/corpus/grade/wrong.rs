pub fn add(a: i32, b: i32) -> i32 {
    a.wrapping_sub(b.wrapping_neg()) + i32::from(a < 0)
}
//@ case: add
//@ outcome: tests_failed
//@ tests: adds_negatives=failed refuses_overflow=failed
