pub static MUCH: [u8; 8 << 30] = [1; 8 << 30];

pub fn rev(s: &str) -> String {
    println!("{}", MUCH[s.len()]);
    s.to_owned()
}
