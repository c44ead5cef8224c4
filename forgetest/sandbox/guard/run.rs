//! One command: started within its limits, fed, read, ended, and nothing of it left.

use crate::filter;
use crate::plan::Plan;
use crate::record::Ran;
use crate::strays::Strays;
use crate::stream::Stream;
use crate::sys::{self, Fd, Outcome, PollFd};
use std::ffi::{c_char, c_int, CStr};
use std::time::{Duration, Instant};

const HELD_PIPE: Duration = Duration::from_millis(200); // a process left over may hold a pipe open
const STACK: u64 = 8 << 20;
const LIMIT_CPU: u32 = 0;
const LIMIT_FSIZE: u32 = 1;
const LIMIT_STACK: u32 = 3;
const LIMIT_CORE: u32 = 4;
const LIMIT_NPROC: u32 = 6;
const LIMIT_NOFILE: u32 = 7;
const LIMIT_AS: u32 = 9;

/// What a run is given besides the plan.
pub struct Task<'a> {
    pub args: &'a [&'a CStr], // after the plan's own
    pub stdin: &'a [u8],
    pub wall: Duration,
}

/// Run one command to its end. An error is the machine's, never the command's.
pub fn run(plan: &Plan, task: &Task, events: &Fd, strays: &Strays) -> Outcome<Ran> {
    let started = Instant::now();
    let child = Child::start(plan, task)?;
    let mut watch = Watch { stdin: task.stdin, child, ended: None };
    let late = watch.wait(plan, events, started + task.wall);
    let wall = started.elapsed();
    watch.end(events, strays)?;
    Ok(watch.ran(plan, late, wall))
}

struct Child {
    pid: c_int,
    stdin: Option<Fd>,
    report: Stream,
    output: Stream,
}

impl Child {
    fn start(plan: &Plan, task: &Task) -> Outcome<Child> {
        let (stdin_read, stdin) = sys::pipe()?;
        let (report, report_write) = sys::pipe()?;
        let (output, output_write) = sys::pipe()?;
        let (failure, failure_write) = sys::pipe()?;
        let launcher = unsafe { sys::getpid() };
        let pid = sys::split()?;
        if pid == 0 {
            let streams = [&stdin_read, &report_write, &output_write];
            let why = become_command(plan, task, launcher, streams);
            failure_write.write(why.as_bytes());
            sys::leave(1);
        }
        drop(failure_write);
        let mut why = [0; 512];
        let count = failure.read(&mut why).unwrap_or(0);
        if count > 0 {
            sys::reap(pid, 0);
            return Err(String::from_utf8_lossy(&why[..count]).into_owned());
        }
        stdin.set_nonblocking();
        Ok(Child {
            pid,
            stdin: Some(stdin),
            report: Stream::new(report, plan.report_kept),
            output: Stream::new(output, plan.output_kept),
        })
    }
}

/// Become the command in the new process; returns why it could not.
fn become_command(plan: &Plan, task: &Task, launcher: c_int, streams: [&Fd; 3]) -> String {
    let own = unsafe { sys::getpid() };
    let argv: Vec<&CStr> =
        plan.argv.iter().map(|arg| arg.as_c_str()).chain(task.args.iter().copied()).collect();
    let env: Vec<&CStr> = plan.env.iter().map(|pair| pair.as_c_str()).collect();
    let ready = sys::become_child(launcher, streams)
        .and_then(|()| set_limits(plan))
        .and_then(|()| filter::apply(plan.calls, own, launcher));
    let name = argv[0].to_string_lossy();
    match ready {
        Ok(()) => format!("{name}: {}", sys::execute(&pointers(&argv), &pointers(&env))),
        Err(why) => why,
    }
}

fn pointers(strings: &[&CStr]) -> Vec<*const c_char> {
    strings.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect()
}

/// The hard CPU limit is a second above the soft one, so that the signal says which limit it was.
fn set_limits(plan: &Plan) -> Outcome<()> {
    sys::set_limit(LIMIT_CORE, 0, 0)?;
    sys::set_limit(LIMIT_STACK, STACK, STACK)?;
    if let Some(secs) = plan.cpu_secs {
        sys::set_limit(LIMIT_CPU, secs, secs + 1)?;
    }
    let limits = [
        (LIMIT_FSIZE, plan.file_size),
        (LIMIT_NPROC, plan.processes),
        (LIMIT_NOFILE, plan.open_files),
        (LIMIT_AS, plan.address_space),
    ];
    for (resource, most) in limits {
        if let Some(most) = most {
            sys::set_limit(resource, most, most)?;
        }
    }
    Ok(())
}

struct Watch<'a> {
    stdin: &'a [u8],
    child: Child,
    ended: Option<sys::Ended>,
}

impl Watch<'_> {
    /// Wait until the command has ended or must; true when its time was up.
    fn wait(&mut self, plan: &Plan, events: &Fd, deadline: Instant) -> bool {
        while self.ended.is_none() && self.printed() <= plan.output_killed {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            self.step(events, left);
            self.ended = sys::reap(self.child.pid, sys::WNOHANG);
        }
        false
    }

    fn printed(&self) -> usize {
        self.child.report.size + self.child.output.size
    }

    /// Sleep until something happens, then feed, read and forget old events.
    fn step(&mut self, events: &Fd, left: Duration) {
        let mut waiting = self.descriptors(events);
        let millis = left.as_micros().div_ceil(1000).min(1 << 30) as c_int;
        sys::wait_for_events(&mut waiting, millis);
        self.child.report.read_if(waiting[0].revents != 0);
        self.child.output.read_if(waiting[1].revents != 0);
        if waiting[2].revents != 0 {
            self.feed();
        }
        events.read(&mut [0; 1024]);
    }

    /// A negative descriptor is one that poll leaves out.
    fn descriptors(&self, events: &Fd) -> [PollFd; 4] {
        let stdin = self.child.stdin.as_ref().map_or(-1, |pipe| pipe.0);
        [
            (self.child.report.descriptor(), sys::POLLIN),
            (self.child.output.descriptor(), sys::POLLIN),
            (stdin, sys::POLLOUT),
            (events.0, sys::POLLIN),
        ]
        .map(|(fd, events)| PollFd { fd, events, revents: 0 })
    }

    /// Write on; close after the last byte, or when nobody reads.
    fn feed(&mut self) {
        let Some(pipe) = &self.child.stdin else { return };
        let written = if self.stdin.is_empty() { Some(0) } else { pipe.write(self.stdin) };
        match written {
            None => {}
            Some(0) => self.child.stdin = None,
            Some(count) => {
                self.stdin = &self.stdin[count..];
                if self.stdin.is_empty() {
                    self.child.stdin = None;
                }
            }
        }
    }

    /// Kill the command and whatever it left, and take what is still in the pipes.
    fn end(&mut self, events: &Fd, strays: &Strays) -> Outcome<()> {
        unsafe { sys::kill(-self.child.pid, sys::SIGKILL) };
        if self.ended.is_none() {
            unsafe { sys::kill(self.child.pid, sys::SIGKILL) };
            self.ended = sys::reap(self.child.pid, 0);
        }
        strays.end()?;
        let deadline = Instant::now() + HELD_PIPE;
        while self.child.report.open() || self.child.output.open() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            self.child.stdin = None;
            self.step(events, left);
        }
        Ok(())
    }

    fn ran(self, plan: &Plan, late: bool, wall: Duration) -> Ran {
        let output_limited = self.printed() > plan.output_killed;
        let (status, cpu_us) = self.ended.as_ref().map_or((9, 0), |end| (end.status, end.cpu_us));
        let signal = if status & 0x7f == 0 { -1 } else { status & 0x7f };
        Ran {
            code: if signal == -1 { status >> 8 & 0xff } else { -1 },
            signal,
            timed_out: late || cpu_spent(plan, signal, cpu_us),
            output_limited,
            wall_us: wall.as_micros() as u64,
            cpu_us,
            report: self.child.report.head,
            output: self.child.output.head,
        }
    }
}

/// Whether the CPU limit ended it: by its signal, or at the hard limit by SIGKILL.
fn cpu_spent(plan: &Plan, signal: c_int, cpu_us: u64) -> bool {
    let Some(secs) = plan.cpu_secs else { return false };
    let hard = signal == sys::SIGKILL && cpu_us >= secs * 1_000_000;
    signal == sys::SIGXCPU || hard
}
