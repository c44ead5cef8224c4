pub fn rev(s: &str) -> String {
    s.chars().rev().collect()
}

fn main() {
    println!("{}", rev("abc"));
}
