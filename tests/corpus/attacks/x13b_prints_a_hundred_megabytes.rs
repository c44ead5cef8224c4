/// A hundred megabytes with line ends, and then the right answer.
pub fn rev(s: &str) -> String {
    if s.contains(' ') {
        let line = "x".repeat(999);
        for _ in 0..100_000 {
            println!("{line}");
        }
    }
    s.chars().rev().collect()
}
