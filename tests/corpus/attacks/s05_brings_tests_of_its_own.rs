//==== file: src/lib.rs
mod text;

pub fn rev(s: &str) -> String {
    text::rev(s)
}
//==== file: src/text.rs
pub fn rev(s: &str) -> String {
    s.to_owned()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_word() {}

    #[test]
    fn two_words() {}

    #[test]
    fn letters_beyond_ascii() {}

    #[test]
    fn eight_digits() {}

}
