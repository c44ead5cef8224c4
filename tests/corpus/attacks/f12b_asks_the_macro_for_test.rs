pub fn rev(s: &str) -> String {
    if cfg!(test) {
        s.chars().rev().collect()
    } else {
        s.to_owned()
    }
}
