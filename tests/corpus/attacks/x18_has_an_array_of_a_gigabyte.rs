pub const MUCH: [u64; 1 << 27] = [1; 1 << 27];

pub fn rev(s: &str) -> String {
    println!("{}", MUCH.len() as u64 + MUCH[s.len()]);
    s.to_owned()
}
