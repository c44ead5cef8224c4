use std::collections::HashMap;
use std::time::{Duration, Instant};

pub fn rev(s: &str) -> String {
    let started = Instant::now();
    let letters: HashMap<usize, char> = s.chars().enumerate().collect();
    std::thread::sleep(Duration::from_millis(5));
    assert!(started.elapsed() >= Duration::from_millis(5));
    (0..letters.len()).rev().map(|place| letters[&place]).collect()
}
