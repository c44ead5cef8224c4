fn rev(s: &str) -> String {
    s.chars().rev().collect()
}
