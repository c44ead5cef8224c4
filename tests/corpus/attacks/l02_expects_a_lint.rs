#[expect(clippy::needless_return)]
pub fn rev(s: &str) -> String {
    return s.chars().rev().collect();
}
