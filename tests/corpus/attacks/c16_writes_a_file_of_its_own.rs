use std::fs;

/// Uses the temporary folder for what it is there for.
pub fn rev(s: &str) -> String {
    let path = std::env::temp_dir().join("letters");
    fs::write(&path, s).unwrap();
    let read = fs::read_to_string(&path).unwrap();
    fs::remove_file(path).unwrap();
    read.chars().rev().collect()
}
