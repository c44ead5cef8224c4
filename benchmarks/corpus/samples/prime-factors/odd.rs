//! A generic helper, and a result of another type than the tests expect.

use std::collections::BTreeMap;
use std::ops::{Div, Rem};

fn split<T>(number: T, divisor: T, zero: T) -> Option<T>
where
    T: Copy + PartialEq + Div<Output = T> + Rem<Output = T>,
{
    (number % divisor == zero).then(|| number / divisor)
}

/// Returns the exponents by prime.
pub fn factors(number: u64) -> BTreeMap<u64, u32> {
    let mut found = BTreeMap::new();
    let mut left = number;
    let mut candidate = 2;
    while left > 1 && candidate * candidate <= left {
        match split(left, candidate, 0) {
            Some(rest) => {
                *found.entry(candidate).or_insert(0) += 1;
                left = rest;
            }
            None => candidate += 1,
        }
    }
    if left > 1 {
        *found.entry(left).or_insert(0) += 1;
    }
    found
}
