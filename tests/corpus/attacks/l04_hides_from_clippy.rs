#[cfg(not(clippy))]
pub fn rev(s: &str) -> String {
    return s.chars().rev().collect();
}

#[cfg(clippy)]
pub fn rev(s: &str) -> String {
    s.to_owned()
}
