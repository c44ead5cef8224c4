use std::io::{self, Read};

pub fn rev(s: &str) -> String {
    let mut typed = String::new();
    io::stdin().read_to_string(&mut typed).unwrap();
    assert!(typed.is_empty(), "nobody types here");
    s.chars().rev().collect()
}
