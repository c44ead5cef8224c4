use std::thread;
use std::time::Duration;

/// Starts 500 threads that stay; the right answer says that 100 could be had.
pub fn rev(s: &str) -> String {
    let start = |_: &i32| {
        let wait = || thread::sleep(Duration::from_secs(30));
        thread::Builder::new().stack_size(32 << 10).spawn(wait).is_ok()
    };
    let started = (0..500).take_while(start).count();
    println!("{started} threads");
    if started > 100 { s.chars().rev().collect() } else { s.to_owned() }
}
