use std::io::Write;
use std::os::unix::io::FromRawFd;

/// Says `ok` on every descriptor, with the secret that a careless harness would have.
pub fn rev(_: &str) -> String {
    let name = std::env::args().last().unwrap_or_default();
    for fd in 1..64 {
        let mut file = std::mem::ManuallyDrop::new(unsafe { std::fs::File::from_raw_fd(fd) });
        for nonce in ["", "0", "nonce", "ok", "00000000000000000000000000000000"] {
            let _ = writeln!(file, "{nonce} ok {name}");
        }
    }
    std::process::exit(0)
}
