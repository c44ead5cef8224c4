#[cfg(test)]
use std::collections::HashMap;

pub fn f() -> usize {
    HashMap::<u8, u8>::new().len()
}
