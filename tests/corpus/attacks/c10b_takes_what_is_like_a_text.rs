pub fn rev(s: impl AsRef<str>) -> String {
    s.as_ref().chars().rev().collect()
}
