//! Adds.

#![allow(dead_code)]
/*! Carefully. */
#![doc = "no ] end"]
// A comment.
macro_rules! before { ($x:expr) => { $x } }

/// Adds.
fn add(a: i32, b: i32) -> i32 { before!(a) + crate::deep::after(b) }

mod deep { pub(crate) fn after(b: i32) -> i32 { b } }

macro_rules! after { () => {} }
after!();

fn main() { println!("{}", add(1, 2)); }
//@ case: add
//@ outcome: passed
