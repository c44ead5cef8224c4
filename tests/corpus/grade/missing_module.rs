mod helper;

pub fn add(a: i32, b: i32) -> i32 {
    helper::sum(a, b)
}
//@ case: add
//@ outcome: compile_failed
//@ errors: E0583
