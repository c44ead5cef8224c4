//! The head of one output stream, and how long the whole was.

use crate::sys::Fd;
use std::ffi::c_int;

const CHUNK: usize = 64 << 10;

pub struct Stream {
    pub head: Vec<u8>,
    pub size: usize,
    pipe: Option<Fd>,
    keep: usize,
}

impl Stream {
    pub fn new(pipe: Fd, keep: usize) -> Stream {
        pipe.set_nonblocking();
        Stream { head: Vec::new(), size: 0, pipe: Some(pipe), keep }
    }

    pub fn open(&self) -> bool {
        self.pipe.is_some()
    }

    /// Return what poll takes: -1, which it leaves out, once the stream has ended.
    pub fn descriptor(&self) -> c_int {
        self.pipe.as_ref().map_or(-1, |pipe| pipe.0)
    }

    /// Take one piece of what is there; an empty one is the end.
    pub fn read_if(&mut self, ready: bool) {
        let Some(pipe) = self.pipe.as_ref().filter(|_| ready) else { return };
        let mut chunk = [0; CHUNK];
        match pipe.read(&mut chunk) {
            None => {}
            Some(0) => self.pipe = None,
            Some(count) => {
                self.size += count;
                let room = self.keep.saturating_sub(self.head.len());
                self.head.extend_from_slice(&chunk[..count.min(room)]);
            }
        }
    }
}
