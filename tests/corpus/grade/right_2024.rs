fn add(a: i32, b: i32) -> i32 {
    a + b
}
//@ case: add2024
//@ outcome: passed
