extern "C" {
    fn fork() -> i32;
    fn sleep(secs: u32) -> u32;
    fn _exit(code: i32) -> !;
}

/// A fork bomb on a short fuse: at most 200 children, which stay for three seconds.
pub fn rev(s: &str) -> String {
    let mut started = 0;
    for _ in 0..200 {
        match unsafe { fork() } {
            0 => unsafe {
                sleep(3);
                _exit(0)
            },
            pid if pid > 0 => started += 1,
            _ => {}
        }
    }
    println!("{started} processes");
    if started > 32 { s.chars().rev().collect() } else { s.to_owned() }
}
