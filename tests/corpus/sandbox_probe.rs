//! A test program that tries to break out, one way for each name, and says how far it came.
//!
//! `--only NAME`: the answer goes to stdout. Arguments come by the environment, in `PROBE`.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::Command;
use std::time::Duration;

extern "C" {
    fn fork() -> i32;
    fn getpid() -> i32;
    fn getppid() -> i32;
    fn setsid() -> i32;
    fn kill(pid: i32, signal: i32) -> i32;
    fn syscall(number: i64, ...) -> i64;
    fn getrlimit(resource: u32, limit: *mut [u64; 2]) -> i32;
    fn setrlimit(resource: u32, limit: *const [u64; 2]) -> i32;
    fn socketpair(domain: i32, kind: i32, protocol: i32, fds: *mut i32) -> i32;
    fn unshare(flags: i32) -> i32;
    fn ptrace(request: i64, pid: i32, address: usize, data: usize) -> i64;
    fn geteuid() -> u32;
}

#[cfg(target_arch = "x86_64")]
mod nr {
    pub const FORK: &[i64] = &[57, 58];
    pub const CLONE: i64 = 56;
    pub const EXECVEAT: i64 = 322;
    pub const MEMFD: i64 = 319;
    pub const TIMER: i64 = 222;
    pub const SHMGET: i64 = 29;
    pub const PRLIMIT: i64 = 302;
    pub const READ_OTHERS: i64 = 310;
}
#[cfg(target_arch = "aarch64")]
mod nr {
    pub const FORK: &[i64] = &[];
    pub const CLONE: i64 = 220;
    pub const EXECVEAT: i64 = 281;
    pub const MEMFD: i64 = 279;
    pub const TIMER: i64 = 107;
    pub const SHMGET: i64 = 194;
    pub const PRLIMIT: i64 = 261;
    pub const READ_OTHERS: i64 = 270;
}
const CLONE3: i64 = 435;
const PIDFD_OPEN: i64 = 434;
const IO_URING_SETUP: i64 = 425;

fn main() {
    let name = std::env::args().nth(2).unwrap_or_default();
    let mut line = String::new();
    let _ = std::io::stdin().read_to_string(&mut line);
    let answer = attempt(&name, &line);
    print!("{answer}");
}

fn probe() -> String {
    std::env::var("PROBE").unwrap_or_default()
}

fn failed<T>(outcome: std::io::Result<T>) -> String {
    outcome.map_or_else(|error| format!("{:?}", error.kind()), |_| String::from("done"))
}

fn refused(answer: i64) -> String {
    let error = std::io::Error::last_os_error().raw_os_error().unwrap_or(0);
    if answer < 0 { format!("errno {error}") } else { format!("done {answer}") }
}

fn attempt(name: &str, line: &str) -> String {
    let path = probe();
    match name {
        "echo" | "echo2" | "echo3" => line.to_string(),
        "silent" => String::new(),
        "read" => fs::read(&path).map_or_else(|why| format!("{:?}", why.kind()), |_| "done".into()),
        "list" => failed(fs::read_dir(&path)),
        "write" => failed(fs::write(&path, "x")),
        "append" => failed(fs::OpenOptions::new().append(true).open(&path)),
        "truncate" => failed(fs::OpenOptions::new().write(true).truncate(true).open(&path)),
        "delete" => failed(fs::remove_file(&path)),
        "mkdir" => failed(fs::create_dir(&path)),
        "chmod" => failed(fs::set_permissions(&path, fs::Permissions::from_mode(0o777))),
        "chmod_by_descriptor" => failed(fs::File::open(&path).and_then(|file| {
            file.set_permissions(fs::Permissions::from_mode(0o777))
        })),
        "chmod_own" => failed(fs::write(scratch("own"), "x").and_then(|()| {
            fs::set_permissions(scratch("own"), fs::Permissions::from_mode(0o777))
        })),
        "link" => failed(fs::hard_link(&path, scratch("linked"))),
        "rename_own_parent" => failed(fs::rename(&path, scratch("moved"))),
        "environment" => std::env::vars().map(|(key, _)| key + " ").collect(),
        "identity" => format!("{} {}", unsafe { geteuid() }, unsafe { getpid() }),
        "limits" => limits(),
        _ => attempt_more(name, &path),
    }
}

fn attempt_more(name: &str, path: &str) -> String {
    match name {
        "tcp" => failed(TcpStream::connect(path)),
        "tcp_listen" => failed(TcpListener::bind("127.0.0.1:0")),
        "udp" => failed(UdpSocket::bind("127.0.0.1:0").and_then(|it| it.send_to(b"x", path))),
        "unix" => failed(UnixStream::connect(path)),
        "unix_listen" => failed(UnixListener::bind(scratch("socket"))),
        "pair" => failed(UnixStream::pair()),
        "datagram_pair" => refused(unsafe { socketpair(1, 2, 0, [0; 2].as_mut_ptr()) }.into()),
        "fork" => refused(child(unsafe { fork() }.into())),
        "raw_fork" => nr::FORK.iter().map(|number| raw(*number)).collect(),
        "clone" => refused(child(unsafe { syscall(nr::CLONE, 17i64, 0i64, 0i64, 0i64, 0i64) })),
        "clone3" => refused(unsafe { syscall(CLONE3, 0i64, 0i64) }),
        "spawn" => failed(Command::new("/bin/true").status()),
        "exec" => failed::<()>(Err(std::os::unix::process::CommandExt::exec(
            &mut Command::new("/bin/echo"),
        ))),
        "execveat" => refused(unsafe { syscall(nr::EXECVEAT, 0i64, 0i64, 0i64, 0i64, 0i64) }),
        "setsid" => refused(unsafe { setsid() }.into()),
        "unshare" => refused(unsafe { unshare(0x1000_0000) }.into()),
        "memfd" => refused(unsafe { syscall(nr::MEMFD, c"x".as_ptr(), 0i64) }),
        "timer" => refused(unsafe { syscall(nr::TIMER, 0i64, 0i64, [0u64; 4].as_ptr()) }),
        "shared_memory" => refused(unsafe { syscall(nr::SHMGET, 0i64, 4096i64, 0o1600i64) }),
        "rings" => refused(unsafe { syscall(IO_URING_SETUP, 1i64, [0u64; 16].as_ptr()) }),
        "pidfd" => refused(unsafe { syscall(PIDFD_OPEN, i64::from(getppid()), 0i64) }),
        "ptrace" => refused(unsafe { ptrace(16, getppid(), 0, 0) }),
        "parents_memory" => refused(unsafe { syscall(nr::READ_OTHERS, getppid() as i64, 0, 0, 0, 0, 0) }),
        "parents_limit" => refused(unsafe {
            syscall(nr::PRLIMIT, getppid() as i64, 0i64, [1u64; 2].as_ptr(), 0i64)
        }),
        "lower_cpu" => refused(unsafe { setrlimit(0, &[1, 1]) }.into()),
        _ => attempt_harm(name, path),
    }
}

fn attempt_harm(name: &str, path: &str) -> String {
    match name {
        "kill_all" => refused(unsafe { kill(-1, 9) }.into()),
        "kill_parent" => refused(unsafe { kill(getppid(), 9) }.into()),
        "kill_named" => refused(unsafe { kill(path.parse().unwrap(), 9) }.into()),
        "kill_group" => refused(unsafe { kill(0, 9) }.into()),
        "kill_itself" => refused(unsafe { kill(getpid(), 9) }.into()),
        "abort" => std::process::abort(),
        "stop_itself" => refused(unsafe { kill(getpid(), 19) }.into()),
        "sleep" => forever(),
        "spin" => loop { std::hint::black_box(0); },
        "overflow" => format!("{}", deeper(1)),
        "allocate" => allocate(path.parse().unwrap()),
        "threads" => threads(),
        "left_thread" => {
            std::thread::spawn(|| forever());
            String::from("left")
        }
        "daemon" => daemon(),
        "open_many" => open_many(),
        "flood_output" => flood(&mut std::io::stderr(), usize::MAX),
        "flood_report" => flood(&mut std::io::stdout(), usize::MAX),
        "print" => flood(&mut std::io::stderr(), path.parse().unwrap()),
        "big_file" => big_file(),
        "many_files" => many_files(),
        "leave_files" => leave_files(),
        "see_files" => fs::read_dir(std::env::temp_dir())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap() + " ")
            .collect(),
        _ => format!("no such attempt: {name}"),
    }
}

fn scratch(name: &str) -> std::path::PathBuf {
    std::env::temp_dir().join(name)
}

fn child(pid: i64) -> i64 {
    if pid == 0 {
        forever();
    }
    pid
}

fn raw(number: i64) -> String {
    refused(child(unsafe { syscall(number) })) + " "
}

fn forever() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(60));
    }
}

fn deeper(depth: u64) -> u64 {
    let room = std::hint::black_box([depth; 64]);
    if depth == u64::MAX { 0 } else { deeper(depth + 1) + room[1] }
}

fn limits() -> String {
    let mut limit = [0; 2];
    [0, 1, 3, 4, 6, 7, 9]
        .map(|resource| {
            unsafe { getrlimit(resource, &mut limit) };
            format!("{resource}={}/{}", limit[0], limit[1])
        })
        .join(" ")
}

fn allocate(size: usize) -> String {
    let mut room: Vec<u8> = Vec::new();
    failed(room.try_reserve_exact(size).map_err(|_| std::io::ErrorKind::OutOfMemory.into()))
}

fn threads() -> String {
    let mut started = 0;
    while started < 1100 && std::thread::Builder::new().stack_size(1 << 16).spawn(|| forever()).is_ok() {
        started += 1;
    }
    format!("{started}")
}

fn daemon() -> String {
    if unsafe { fork() } == 0 {
        unsafe { setsid() };
        if unsafe { fork() } == 0 {
            forever();
        }
        std::process::exit(0);
    }
    String::from("left")
}

fn open_many() -> String {
    let program = std::env::args().next().unwrap();
    let files: Vec<_> = (0..2000).map_while(|_| fs::File::open(&program).ok()).collect();
    format!("{}", files.len())
}

fn flood(out: &mut dyn Write, size: usize) -> String {
    let chunk = [b'a'; 4096];
    let mut left = size;
    while left > 0 {
        let count = left.min(chunk.len());
        out.write_all(&chunk[..count]).unwrap();
        left -= count;
    }
    String::new()
}

fn big_file() -> String {
    let mut file = fs::File::create(scratch("big")).unwrap();
    let chunk = vec![0; 1 << 20];
    (0..64).map(|_| file.write_all(&chunk)).find(Result::is_err).map_or("done".into(), failed)
}

fn many_files() -> String {
    let chunk = vec![1; 1 << 20];
    let written = (0..64).take_while(|at| fs::write(scratch(&format!("m{at}")), &chunk).is_ok());
    format!("{}", written.count())
}

fn leave_files() -> String {
    fs::write(scratch("left"), "x").unwrap();
    let closed = scratch("closed");
    fs::create_dir(&closed).unwrap();
    fs::write(closed.join("inside"), "x").unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0)).unwrap_or(());
    std::env::set_current_dir(std::env::temp_dir()).unwrap();
    for _ in 0..1200 {
        fs::create_dir("d").unwrap();
        std::env::set_current_dir("d").unwrap();
    }
    String::from("left")
}
