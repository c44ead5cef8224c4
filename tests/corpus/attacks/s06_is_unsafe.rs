//==== file: src/lib.rs
mod text;

pub fn rev(s: &str) -> String {
    text::rev(s)
}
//==== file: src/text.rs
pub fn rev(s: &str) -> String {
    let backwards: Vec<u8> = s.bytes().rev().collect();
    unsafe { String::from_utf8_unchecked(backwards) }
}
