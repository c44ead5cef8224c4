pub fn add(a: i32, b: i32) -> i32 {
    [a, b][2]
}
//@ case: add
//@ outcome: compile_failed
//@ errors: unconditional_panic
