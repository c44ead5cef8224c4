//! What became of each run, written to standard output in frames that say their own lengths.

use crate::sys::Outcome;
use std::io::Write;

/// How one run ended. `code` or `signal` is -1 where the other one tells.
pub struct Ran {
    pub code: i32,
    pub signal: i32,
    pub timed_out: bool,
    pub output_limited: bool,
    pub wall_us: u64,
    pub cpu_us: u64,
    pub report: Vec<u8>,
    pub output: Vec<u8>,
}

/// Write one run: a line of numbers, then the bytes of both streams.
pub fn ran(index: usize, mode: &str, ran: &Ran) -> Outcome<()> {
    let head = format!(
        "ran {index} {mode} {} {} {} {} {} {} {} {}\n",
        ran.code,
        ran.signal,
        u8::from(ran.timed_out),
        u8::from(ran.output_limited),
        ran.wall_us,
        ran.cpu_us,
        ran.report.len(),
        ran.output.len(),
    );
    send(&[head.as_bytes(), &ran.report, &ran.output])
}

/// Write that all is said.
pub fn done() -> Outcome<()> {
    send(&[b"done\n"])
}

/// Write why nothing more will come; nobody may be there to read it.
pub fn fault(why: &str) {
    let line = why.replace('\n', " ");
    let _ = send(&[format!("fault {line}\n").as_bytes()]);
}

fn send(parts: &[&[u8]]) -> Outcome<()> {
    let mut out = std::io::stdout().lock();
    for part in parts {
        out.write_all(part).map_err(|error| error.to_string())?;
    }
    out.flush().map_err(|error| error.to_string())
}
