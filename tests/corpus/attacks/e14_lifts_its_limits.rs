extern "C" {
    fn setrlimit(resource: i32, limit: *const [u64; 2]) -> i32;
    fn prctl(option: i32, ...) -> i32;
    fn unshare(flags: i32) -> i32;
    fn mount(from: *const u8, to: *const u8, kind: *const u8, flags: u64, data: *const u8) -> i32;
    fn ptrace(request: i64, ...) -> i64;
}

/// Raises a hard limit, makes itself dumpable, and asks for namespaces, mounts and a debugger.
pub fn rev(s: &str) -> String {
    let file_size = 1;
    let kinds = (b"none\0".as_ptr(), b"/tmp\0".as_ptr(), b"tmpfs\0".as_ptr());
    let done = unsafe {
        [
            setrlimit(file_size, &[1 << 40, 1 << 40]),
            unshare(0x1000_0000),
            mount(kinds.0, kinds.1, kinds.2, 0, std::ptr::null()),
            ptrace(16, i64::from(@VICTIM_PID@), 0_i64, 0_i64) as i32,
            prctl(4, 1_i64, 0_i64, 0_i64, 0_i64).min(-1),
        ]
    };
    println!("{done:?}");
    if done.contains(&0) { s.chars().rev().collect() } else { s.to_owned() }
}
