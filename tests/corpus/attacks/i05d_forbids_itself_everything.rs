extern "C" {
    fn prctl(option: i32, ...) -> i32;
}

const SET_SECCOMP: i32 = 22;

/// In the strict mode of seccomp the next system call is answered by SIGKILL.
pub fn rev(s: &str) -> String {
    unsafe { prctl(SET_SECCOMP, 1_u64, 0_u64) };
    println!("{s}");
    s.to_owned()
}
