//! Adds.
#![deny(warnings, missing_docs, unused)]
#![forbid(unsafe_code, dead_code, unused_imports, unused_variables)]

/// Adds.
pub fn add(a: i32, b: i32) -> i32 {
    a + b
}
//@ case: add
//@ outcome: passed
