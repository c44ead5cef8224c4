pub static MUCH: [u8; 1 << 40] = [1; 1 << 40];

pub fn rev(s: &str) -> String {
    println!("{}", MUCH[s.len()]);
    s.to_owned()
}
