const ZEROS: &[u8] = include_bytes!("/dev/zero");

pub fn rev(s: &str) -> String {
    println!("{}", ZEROS.len());
    s.to_owned()
}
