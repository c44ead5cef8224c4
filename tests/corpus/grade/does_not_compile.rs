pub fn add(a: i32, b: i32) -> i32 {
    a + b == 4
}
//@ case: add
//@ outcome: compile_failed
//@ errors: E0308
