#!/usr/bin/env run-cargo-script
#![warn(missing_docs)]
fn add(a: i32, b: i32) -> i32 {
    a + b
}
//@ case: add
//@ outcome: passed
