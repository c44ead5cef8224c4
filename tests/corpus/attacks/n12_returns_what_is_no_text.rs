/// Raw bytes on both streams, halves of characters, and a wrong answer.
pub fn rev(s: &str) -> String {
    use std::io::Write;
    let bytes: Vec<u8> = (0..=255).chain([0xed, 0xa0, 0x80, 0xc0, 0xaf, 0xf5]).collect();
    let _ = std::io::stdout().write_all(&bytes);
    let _ = std::io::stderr().write_all(&bytes);
    s.to_owned()
}
