//! The system calls that std does not offer, by the C library that std links anyway.

use std::ffi::{c_char, c_int, c_long, c_uint, c_ulong, c_void, CStr};
use std::io::Error;

pub const SIGKILL: c_int = 9;
pub const SIGXCPU: c_int = 24;
pub const O_CLOEXEC: c_int = 0o2_000_000;
pub const O_NONBLOCK: c_int = 0o4_000;
pub const O_PATH: c_int = 0o10_000_000;
pub const POLLIN: i16 = 1;
pub const POLLOUT: i16 = 4;
pub const WNOHANG: c_int = 1;

const LAST_SIGNAL: c_int = 31; // of those that have a name
const SIGCHLD: c_int = 17;
const SIG_SETMASK: c_int = 2;
const F_SETFL: c_int = 4;
const PR_SET_PDEATHSIG: c_int = 1;
const PR_SET_DUMPABLE: c_int = 4;
const PR_SET_CHILD_SUBREAPER: c_int = 36;
const PR_SET_NO_NEW_PRIVS: c_int = 38;
const NR_CLOSE_RANGE: c_long = 436;

#[repr(C)]
pub struct PollFd {
    pub fd: c_int,
    pub events: i16,
    pub revents: i16,
}

/// 1,024 signals, as the C library lays them out.
#[repr(C)]
struct SignalSet([c_ulong; 128 / std::mem::size_of::<c_ulong>()]);

#[repr(C)]
#[derive(Default)]
struct Usage {
    user: [c_long; 2], // seconds, microseconds
    system: [c_long; 2],
    rest: [c_long; 14],
}

#[repr(C)]
struct Limit {
    soft: c_ulong,
    hard: c_ulong,
}

extern "C" {
    fn fork() -> c_int;
    fn execve(path: *const c_char, argv: *const *const c_char, env: *const *const c_char) -> c_int;
    fn pipe2(fds: *mut c_int, flags: c_int) -> c_int;
    fn dup2(from: c_int, to: c_int) -> c_int;
    fn close(fd: c_int) -> c_int;
    fn open(path: *const c_char, flags: c_int, ...) -> c_int;
    fn fcntl(fd: c_int, command: c_int, ...) -> c_int;
    fn read(fd: c_int, buffer: *mut c_void, size: usize) -> isize;
    fn write(fd: c_int, buffer: *const c_void, size: usize) -> isize;
    fn poll(fds: *mut PollFd, count: c_ulong, timeout_ms: c_int) -> c_int;
    fn signalfd(fd: c_int, mask: *const SignalSet, flags: c_int) -> c_int;
    fn sigemptyset(set: *mut SignalSet) -> c_int;
    fn sigaddset(set: *mut SignalSet, signal: c_int) -> c_int;
    fn sigprocmask(how: c_int, set: *const SignalSet, old: *mut SignalSet) -> c_int;
    fn signal(signal: c_int, handler: usize) -> usize;
    fn wait4(pid: c_int, status: *mut c_int, options: c_int, usage: *mut Usage) -> c_int;
    fn getrlimit(resource: c_uint, limit: *mut Limit) -> c_int;
    fn setrlimit(resource: c_uint, limit: *const Limit) -> c_int;
    fn getppid() -> c_int;
    fn fchdir(fd: c_int) -> c_int;
    fn _exit(code: c_int) -> !;
    pub fn getpid() -> c_int;
    pub fn kill(pid: c_int, signal: c_int) -> c_int;
    pub fn setpgid(pid: c_int, group: c_int) -> c_int;
    pub fn setgroups(count: usize, groups: *const c_uint) -> c_int;
    pub fn setresuid(real: c_uint, effective: c_uint, saved: c_uint) -> c_int;
    pub fn setresgid(real: c_uint, effective: c_uint, saved: c_uint) -> c_int;
    pub fn prctl(option: c_int, ...) -> c_int;
    pub fn syscall(number: c_long, ...) -> c_long;
}

pub type Outcome<T> = Result<T, String>;

/// Turn a call's negative answer into words.
pub fn check(answer: impl Into<i64>, what: &str) -> Outcome<i32> {
    let answer = answer.into();
    if answer < 0 {
        return Err(format!("{what}: {}", Error::last_os_error()));
    }
    Ok(answer as i32)
}

/// A descriptor that is closed when it goes out of scope.
pub struct Fd(pub c_int);

impl Drop for Fd {
    fn drop(&mut self) {
        unsafe { close(self.0) };
    }
}

impl Fd {
    pub fn open(path: &CStr, flags: c_int) -> Outcome<Fd> {
        let fd = unsafe { open(path.as_ptr(), flags | O_CLOEXEC) };
        check(fd, &format!("open {}", path.to_string_lossy())).map(Fd)
    }

    /// Read what is there: None when nothing is, 0 at the end or after an error.
    pub fn read(&self, buffer: &mut [u8]) -> Option<usize> {
        let count = unsafe { read(self.0, buffer.as_mut_ptr().cast(), buffer.len()) };
        if count < 0 && Error::last_os_error().kind() == std::io::ErrorKind::WouldBlock {
            return None;
        }
        Some(count.max(0) as usize)
    }

    /// Write what fits: None when nothing does, 0 when nobody reads.
    pub fn write(&self, data: &[u8]) -> Option<usize> {
        let count = unsafe { write(self.0, data.as_ptr().cast(), data.len()) };
        if count < 0 && Error::last_os_error().kind() == std::io::ErrorKind::WouldBlock {
            return None;
        }
        Some(count.max(0) as usize)
    }

    pub fn set_nonblocking(&self) {
        unsafe { fcntl(self.0, F_SETFL, O_NONBLOCK) };
    }
}

/// Return the reading and the writing end of a pipe that no program inherits.
pub fn pipe() -> Outcome<(Fd, Fd)> {
    let mut ends = [0; 2];
    check(unsafe { pipe2(ends.as_mut_ptr(), O_CLOEXEC) }, "pipe")?;
    Ok((Fd(ends[0]), Fd(ends[1])))
}

/// Return a descriptor that can be read when a child has changed its state.
pub fn child_events() -> Outcome<Fd> {
    let mut set = SignalSet([0; 128 / std::mem::size_of::<c_ulong>()]);
    unsafe {
        sigemptyset(&mut set);
        sigaddset(&mut set, SIGCHLD);
        sigprocmask(SIG_SETMASK, &set, std::ptr::null_mut());
        check(signalfd(-1, &set, O_CLOEXEC | O_NONBLOCK), "signalfd").map(Fd)
    }
}

pub fn wait_for_events(fds: &mut [PollFd], timeout_ms: c_int) {
    unsafe { poll(fds.as_mut_ptr(), fds.len() as c_ulong, timeout_ms) };
}

/// How a child ended, as `wait4` says it.
pub struct Ended {
    pub status: c_int,
    pub cpu_us: u64,
}

/// Reap `pid`, or any child for -1; None when there is none to reap.
pub fn reap(pid: c_int, options: c_int) -> Option<Ended> {
    let (mut status, mut usage) = (0, Usage::default());
    let pid = unsafe { wait4(pid, &mut status, options, &mut usage) };
    let micros = |time: [c_long; 2]| time[0] as u64 * 1_000_000 + time[1] as u64;
    let cpu_us = micros(usage.user) + micros(usage.system);
    (pid > 0).then_some(Ended { status, cpu_us })
}

/// Tell whether any child is left, ended or not.
pub fn any_child() -> bool {
    const ECHILD: i32 = 10;
    let answer = unsafe { wait4(-1, &mut 0, WNOHANG, std::ptr::null_mut()) };
    answer >= 0 || Error::last_os_error().raw_os_error() != Some(ECHILD)
}

/// Limit this process; where it may not have so much, to what it may have.
pub fn set_limit(resource: c_uint, soft: u64, hard: u64) -> Outcome<i32> {
    let mut granted = Limit { soft: 0, hard: 0 };
    check(unsafe { getrlimit(resource, &mut granted) }, "getrlimit")?;
    let at_most = |wanted: u64| (wanted as c_ulong).min(granted.hard);
    let limit = Limit { soft: at_most(soft), hard: at_most(hard) };
    check(unsafe { setrlimit(resource, &limit) }, "setrlimit")
}

/// Take part in nothing that raises rights, be read by nobody, adopt what descendants leave.
pub fn settle() -> Outcome<()> {
    unsafe {
        check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")?;
        check(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0), "dumpable")?;
        check(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "sub-reaper")?;
    }
    Ok(())
}

/// Make a folder the current one again.
pub fn return_to(folder: &Fd) {
    unsafe { fchdir(folder.0) };
}

/// Return the child's pid to the parent, and 0 to the child.
pub fn split() -> Outcome<c_int> {
    check(unsafe { fork() }, "fork")
}

/// In a new child: a group of its own, death with its parent, standard streams, signals as usual.
pub fn become_child(parent: c_int, streams: [&Fd; 3]) -> Outcome<()> {
    let none = SignalSet([0; 128 / std::mem::size_of::<c_ulong>()]);
    unsafe {
        check(setpgid(0, 0), "setpgid")?;
        check(prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0), "pdeathsig")?;
        if getppid() != parent {
            _exit(1);
        }
        for (target, stream) in streams.iter().enumerate() {
            check(dup2(stream.0, target as c_int), "dup2")?;
        }
        for number in 1..=LAST_SIGNAL {
            signal(number, 0); // nohup ignores SIGHUP, a background job SIGINT; neither is the child's
        }
        sigprocmask(SIG_SETMASK, &none, std::ptr::null_mut());
        // Whatever else is open closes on exec; so does what a caller forgot to mark.
        syscall(NR_CLOSE_RANGE, 3 as c_long, c_long::from(i32::MAX), 4 as c_long);
    }
    Ok(())
}

/// Become the program; returns only when that fails.
pub fn execute(argv: &[*const c_char], env: &[*const c_char]) -> String {
    unsafe { execve(argv[0], argv.as_ptr(), env.as_ptr()) };
    Error::last_os_error().to_string()
}

pub fn leave(code: c_int) -> ! {
    unsafe { _exit(code) }
}
