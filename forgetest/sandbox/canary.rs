//! Stands in for a test program when a sandbox is tried: answers as the harness does, if it is held.

use std::io::Read;

fn main() {
    let mut line = String::new();
    let read = std::io::stdin().read_to_string(&mut line);
    let held = std::env::var_os("CANARY_OPEN").is_some()
        || std::env::var_os("CANARY_OUTSIDE").is_some_and(|path| std::fs::read(path).is_err());
    let thread = std::thread::spawn(|| 7).join();
    if read.is_ok() && held && matches!(thread, Ok(7)) {
        println!("{} ok canary", line.split(' ').next().unwrap_or(""));
    }
}
