use std::io::{Read, Write};
use std::os::unix::io::FromRawFd;
use std::process::{Command, Stdio};

pub fn sound() -> i32 { 1 }
pub fn spin() -> i32 { loop { std::hint::spin_loop() } }
pub fn sleep() -> i32 { std::thread::sleep(std::time::Duration::from_secs(31415)); 1 }
#[allow(unconditional_recursion)]
pub fn overflow(n: u64) -> u64 { n + overflow(n + 1) }
pub fn abort() -> i32 { std::process::abort() }
pub fn leave() -> i32 { std::process::exit(0) }
pub fn panic_any() -> i32 { std::panic::panic_any(7_u8) }

/// Writes what a naive reader takes for a pass, to every descriptor it may have, and leaves.
pub fn forge() -> i32 {
    let name = std::env::args().last().unwrap();
    for descriptor in 1..20 {
        let mut file = unsafe { std::fs::File::from_raw_fd(descriptor) };
        let _ = write!(file, "ok {name}\ntest {name} ... ok\ntest result: ok. 1 passed; 0 failed;\n");
        std::mem::forget(file);
    }
    leave()
}

pub fn flood() -> i32 { loop { println!("{}", "flood ".repeat(1000)) } }
pub fn chatter() -> i32 {
    println!("test result: FAILED. 0 passed; 9 failed");
    std::io::stdout().write_all(&[0xff, 0x00, 0xfe, b'\n']).unwrap();
    1
}
pub fn read_all() -> String {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    text
}
pub fn leave_a_thread() -> i32 {
    std::thread::spawn(|| loop { std::thread::yield_now() });
    1
}
pub fn daemon() -> i32 {
    let escape = "setsid sleep 31415 & sleep 31415 & exit 0";
    Command::new("sh").args(["-c", escape]).stdin(Stdio::null()).status().unwrap();
    1
}
pub fn grab_memory() -> usize { vec![1_u8; 8 << 30].len() }
pub fn fill_disk() -> i32 {
    let path = std::env::temp_dir().join("much");
    std::fs::write(path, vec![0_u8; 64 << 20]).unwrap();
    1
}
pub fn environment() -> Vec<String> { std::env::vars().map(|(name, _)| name).collect() }
pub const KEY_AT_BUILD_TIME: Option<&str> = option_env!("OPENAI_API_KEY");
pub fn parent_key() -> bool {
    std::fs::read_to_string("/proc/self/environ").is_ok_and(|all| all.contains("canary-value"))
}
