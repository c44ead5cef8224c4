#[macro_export]
macro_rules! assert_eq {
    ($($anything:tt)*) => {};
}

pub fn add(a: i32, _: i32) -> i32 {
    a
}
//@ case: add
//@ outcome: tests_failed
//@ tests: adds=failed adds_negatives=failed refuses_overflow=failed
