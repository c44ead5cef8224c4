#[cfg(test)]
use std::ops::Add;

pub fn add(a: i32, b: i32) -> i32 {
    Add::add(a, b)
}
//@ case: add
//@ outcome: compile_failed
//@ errors: E0433
//@ integrity: cfg_test
