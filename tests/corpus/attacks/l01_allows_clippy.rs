#![allow(clippy::all)]

pub fn rev(s: &str) -> String {
    let reversed: String = s.chars().rev().collect();
    return reversed;
}
