pub fn rev(s: &str) -> String {
    s.chars().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word() {
        assert_eq!(rev("xy"), "yx");
    }

    #[test]
    fn fails() {
        panic!("nobody asked for this one");
    }
}
