const fn deep(n: u64) -> u64 {
    if n == 0 { 0 } else { 1 + deep(n - 1) }
}

pub const DEPTH: u64 = deep(1 << 40);

pub fn rev(s: &str) -> String {
    println!("{DEPTH}");
    s.to_owned()
}
