//==== file: src/lib.rs
//! The root.

mod text;

pub fn rev(s: &str) -> String {
    text::rev(s)
}
//==== file: src/text.rs
//! Of texts.

pub fn rev(s: &str) -> String {
    s.chars().rev().collect()
}
