//! Reverses.
#![allow(dead_code)]

/// Reverses.
pub fn rev(s: &str) -> String {
    let bare = "a\
        b";
    let _ = bare;
    s.chars().rev().collect()
}
