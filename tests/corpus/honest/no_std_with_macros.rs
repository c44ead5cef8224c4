#![no_std]

#[macro_use]
extern crate std;

use std::vec::Vec;

pub fn sum_even(numbers: &[i32]) -> i32 {
    let even: Vec<i32> = numbers.iter().copied().filter(|n| n % 2 == 0).collect();
    let none = vec![0; 0];
    even.iter().chain(&none).sum()
}
