//==== file: src/lib.rs
mod text;

pub fn rev(s: &str) -> String {
    text::rev(s)
}
//==== file: src/text.rs
#![allow(clippy::all)]

pub fn rev(s: &str) -> String {
    return s.chars().rev().collect();
}
