#![cfg_attr(not(test), no_std)]
//! Works without std.

extern crate alloc;

use alloc::vec::Vec;

pub fn sum_even(numbers: &[i32]) -> i32 {
    let even: Vec<i32> = numbers.iter().copied().filter(|n| n % 2 == 0).collect();
    even.iter().sum()
}
