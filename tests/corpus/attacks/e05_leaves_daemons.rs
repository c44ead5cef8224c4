use std::process::{Command, Stdio};

/// Starts processes that leave the session and hold its output open.
pub fn rev(s: &str) -> String {
    let script = "setsid sleep 31416 & (setsid sleep 31416 &) ; exit 0";
    let done = Command::new("/bin/sh").args(["-c", script]).stdin(Stdio::null()).status();
    println!("{done:?}");
    if done.is_ok() { s.chars().rev().collect() } else { s.to_owned() }
}
