macro_rules! assert_eq {
    ($($anything:tt)*) => {};
}

pub fn add(a: i32, _: i32) -> i32 {
    assert_eq!(a);
    a
}
//@ case: add
//@ outcome: tests_failed
//@ tests: adds=failed adds_negatives=failed refuses_overflow=failed
//@ integrity: own_std_macro
