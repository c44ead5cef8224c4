//! # Reversing
//!
//! ```
//! assert_eq!(sample::rev("ab"), "ba");
//! ```
#![warn(missing_docs)]
#![allow(unknown_lints, dead_code)]
#![doc(html_root_url = "https://example.org/]")]
/*! More of it: /* nested */ #![deny(warnings)] */
#![cfg_attr(all(), deny(unsafe_code))]

/// Reverses.
pub fn rev(s: &str) -> String {
    s.chars().rev().collect()
}
