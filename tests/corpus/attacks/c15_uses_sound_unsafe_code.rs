/// Reverses in place; SAFETY: every character is written whole.
pub fn rev(s: &str) -> String {
    let mut bytes = Vec::with_capacity(s.len());
    for letter in s.chars().rev() {
        bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
    }
    unsafe { String::from_utf8_unchecked(bytes) }
}
