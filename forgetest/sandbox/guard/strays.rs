//! Processes that a command left behind: orphans come to the launcher, which is their reaper.

use crate::sys::{self, Outcome};
use std::ffi::c_int;
use std::fs::File;
use std::io::{Read, Seek};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(5);

/// How orphans are found: the first process of a namespace needs no list of them.
pub enum Strays {
    Namespace,
    Listed(File), // opened while /proc can still be read
    Unlisted,
}

impl Strays {
    pub fn find() -> Strays {
        let pid = unsafe { sys::getpid() };
        match File::open(format!("/proc/{pid}/task/{pid}/children")) {
            _ if pid == 1 => Strays::Namespace,
            Ok(list) => Strays::Listed(list),
            Err(_) => Strays::Unlisted,
        }
    }

    /// Kill and reap until no child is left: each one's own children come as orphans.
    pub fn end(&self) -> Outcome<()> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            self.kill_all();
            while sys::reap(-1, sys::WNOHANG).is_some() {}
            if !sys::any_child() {
                return Ok(());
            }
            if Instant::now() > deadline {
                return Err(String::from("a process that a command left cannot be ended"));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn kill_all(&self) {
        match self {
            Strays::Namespace => {
                unsafe { sys::kill(-1, sys::SIGKILL) };
            }
            Strays::Listed(list) => {
                for pid in listed(list) {
                    unsafe { sys::kill(pid, sys::SIGKILL) };
                }
            }
            Strays::Unlisted => {}
        }
    }
}

fn listed(mut list: &File) -> Vec<c_int> {
    let mut text = String::new();
    if list.rewind().and_then(|()| list.read_to_string(&mut text)).is_err() {
        return Vec::new();
    }
    text.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}
