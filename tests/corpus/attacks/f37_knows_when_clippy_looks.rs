#[cfg(clippy)]
pub fn rev(s: &str) -> String {
    s.chars().rev().collect()
}

#[cfg(not(clippy))]
pub fn rev(s: &str) -> String {
    return s.to_owned();
}
