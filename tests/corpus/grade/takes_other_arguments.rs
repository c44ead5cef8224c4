pub fn add(numbers: &[i32]) -> i32 {
    numbers.iter().sum()
}
//@ case: add
//@ outcome: test_build_failed
