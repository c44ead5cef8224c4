pub fn sum(a: i32, b: i32) -> i32 {
    a + b
}
//@ case: add
//@ outcome: test_build_failed
//@ tests: adds=not_built adds_negatives=not_built answers_in_a_result=not_built refuses_overflow=not_built
