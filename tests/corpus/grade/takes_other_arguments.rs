pub fn add(numbers: &[i32]) -> i32 {
    numbers.iter().sum()
}
//@ case: add
//@ outcome: test_build_failed
//@ tests: adds=not_built adds_negatives=not_built answers_in_a_result=not_built refuses_overflow=not_built
