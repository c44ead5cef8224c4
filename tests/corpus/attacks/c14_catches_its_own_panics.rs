use std::panic;

/// Panics inside and recovers, as some honest code does.
pub fn rev(s: &str) -> String {
    let parsed = panic::catch_unwind(|| "x".parse::<i32>().unwrap());
    assert!(parsed.is_err());
    s.chars().rev().collect()
}
