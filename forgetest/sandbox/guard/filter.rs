//! The seccomp filter: which system calls are refused, and how.
//!
//! A list of what is refused, not of what is allowed: std and honest tests must never notice it.

use crate::numbers::{self as nr, Number};
use crate::plan::Calls;
use crate::sys::{check, prctl, Outcome};
use std::ffi::c_int;

const PR_SET_SECCOMP: c_int = 22;
const MODE_FILTER: c_int = 2;

const LOAD: u16 = 0x20; // BPF_LD | BPF_W | BPF_ABS
const JUMP_EQUAL: u16 = 0x15;
const JUMP_AT_LEAST: u16 = 0x35;
const JUMP_ANY_BIT: u16 = 0x45;
const AND: u16 = 0x54;
const RETURN: u16 = 0x06;

const ALLOW: u32 = 0x7fff_0000;
const KILL: u32 = 0x8000_0000;
const EPERM: u32 = 0x0005_0001;
const ENOSYS: u32 = 0x0005_0026;

const OFFSET_NUMBER: u32 = 0;
const OFFSET_ARCH: u32 = 4;
const X32_BIT: u32 = 0x4000_0000;
const CLONE_THREAD: u32 = 0x0001_0000;
const SOCKET_TYPES: u32 = 0xf;
const SOCK_STREAM: u32 = 1;
const SOCK_SEQPACKET: u32 = 5;
const SIGKILL: u32 = 9;
const LIMIT_CPU: u32 = 0;
/// The sign: a negative process number is a group, or everybody.
const GROUPS: u32 = 1 << 31;
const CLONE_NAMESPACES: u32 = 0x7e02_0080;

/// F_SETSIG, F_SETOWN, F_SETOWN_EX: they let the kernel send signals for the caller.
const SIGNAL_COMMANDS: [u32; 3] = [10, 8, 15];
/// TIOCSTI, TIOCLINUX type into a terminal; FIOSETOWN, SIOCSPGRP are F_SETOWN again.
const IOCTLS: [u32; 4] = [0x5412, 0x541c, 0x8901, 0x8902];

#[repr(C)]
#[derive(Clone, Copy)]
struct Instruction {
    code: u16,
    if_true: u8,
    if_false: u8,
    operand: u32,
}

#[repr(C)]
struct Program {
    length: u16,
    instructions: *const Instruction,
}

/// Apply the filter to this process for good. A test may signal `own`, itself, alone; compilers have
/// children to signal, but never the launcher.
pub fn apply(calls: Calls, own: c_int, launcher: c_int) -> Outcome<()> {
    if calls == Calls::All {
        return Ok(());
    }
    let instructions = assemble(calls, own as u32, launcher);
    let program =
        Program { length: instructions.len() as u16, instructions: instructions.as_ptr() };
    check(unsafe { prctl(PR_SET_SECCOMP, MODE_FILTER, &program, 0, 0) }, "seccomp").map(|_| ())
}

fn assemble(calls: Calls, own: u32, launcher: c_int) -> Vec<Instruction> {
    let mut code = Assembler(Vec::new());
    code.refuse_other_machines();
    code.refuse(nr::CLONE3, ENOSYS); // its flags lie in memory, where no filter can look
    for number in nr::ALWAYS {
        code.refuse(*number, EPERM);
    }
    code.refuse_socket_pairs();
    for command in IOCTLS {
        code.refuse_argument(nr::IOCTL, 1, command);
    }
    if calls == Calls::Compile {
        code.refuse_bits(nr::CLONE, CLONE_NAMESPACES);
        code.protect(launcher as u32);
    } else {
        code.refuse_processes();
        code.refuse_signals(own);
    }
    if calls == Calls::TestOnHost {
        for number in nr::ATTRIBUTES {
            code.refuse(*number, EPERM);
        }
    }
    code.emit(RETURN, 0, 0, ALLOW);
    code.0
}

struct Assembler(Vec<Instruction>);

impl Assembler {
    fn emit(&mut self, code: u16, if_true: u8, if_false: u8, operand: u32) {
        self.0.push(Instruction { code, if_true, if_false, operand });
    }

    /// Kill whoever calls by another machine's numbers: 32-bit, or x32.
    fn refuse_other_machines(&mut self) {
        self.emit(LOAD, 0, 0, OFFSET_ARCH);
        self.emit(JUMP_EQUAL, 1, 0, nr::ARCH);
        self.emit(RETURN, 0, 0, KILL);
        self.emit(LOAD, 0, 0, OFFSET_NUMBER);
        self.emit(JUMP_AT_LEAST, 0, 1, X32_BIT);
        self.emit(RETURN, 0, 0, KILL);
    }

    fn refuse(&mut self, number: Number, answer: u32) {
        self.emit(JUMP_EQUAL, 0, 1, number);
        self.emit(RETURN, 0, 0, answer);
    }

    /// Refuse `number` when its argument's low half equals `value`.
    fn refuse_argument(&mut self, number: Number, argument: u32, value: u32) {
        self.on_argument(number, argument, &[(JUMP_EQUAL, 0, 1, value)]);
    }

    /// Refuse `number` when its first argument has any of `bits`.
    fn refuse_bits(&mut self, number: Number, bits: u32) {
        self.on_argument(number, 0, &[(JUMP_ANY_BIT, 0, 1, bits)]);
    }

    /// Run `tests` on an argument; falling through them refuses.
    fn on_argument(&mut self, number: Number, argument: u32, tests: &[(u16, u8, u8, u32)]) {
        let length = tests.len() as u8 + 2;
        self.emit(JUMP_EQUAL, 0, length + 1, number);
        self.load_argument(argument, 0);
        for (code, if_true, if_false, operand) in tests {
            self.emit(*code, *if_true, *if_false, *operand);
        }
        self.emit(RETURN, 0, 0, EPERM);
        self.emit(LOAD, 0, 0, OFFSET_NUMBER);
    }

    /// Pairs of connected sockets lead nowhere; std and async runtimes have uses for them. One of
    /// datagrams could be connected anew.
    fn refuse_socket_pairs(&mut self) {
        self.emit(JUMP_EQUAL, 0, 6, nr::SOCKETPAIR);
        self.load_argument(1, 0);
        self.emit(AND, 0, 0, SOCKET_TYPES);
        self.emit(JUMP_EQUAL, 2, 0, SOCK_STREAM);
        self.emit(JUMP_EQUAL, 1, 0, SOCK_SEQPACKET);
        self.emit(RETURN, 0, 0, EPERM);
        self.emit(LOAD, 0, 0, OFFSET_NUMBER);
    }

    /// No child processes: clone makes threads only.
    fn refuse_processes(&mut self) {
        self.on_argument(nr::CLONE, 0, &[(JUMP_ANY_BIT, 1, 0, CLONE_THREAD)]);
        for number in nr::PROCESSES {
            self.refuse(*number, EPERM);
        }
    }

    /// No signal, limit or owner for any process but itself: the launcher may have the same user.
    /// Not even SIGKILL for itself, so that one that comes is the machine's. Nor a lower CPU limit
    /// or a timer, which send one.
    fn refuse_signals(&mut self, own: u32) {
        for (number, signal) in nr::SIGNALS {
            self.emit(JUMP_EQUAL, 0, 6, *number);
            self.load_argument(0, 0);
            self.emit(JUMP_EQUAL, 0, 2, own);
            self.load_argument(*signal, 0);
            self.emit(JUMP_EQUAL, 0, 1, SIGKILL);
            self.emit(RETURN, 0, 0, EPERM);
            self.emit(LOAD, 0, 0, OFFSET_NUMBER);
        }
        for command in SIGNAL_COMMANDS {
            self.refuse_argument(nr::FCNTL, 1, command);
        }
        self.refuse_argument(nr::SETRLIMIT, 0, LIMIT_CPU);
        self.refuse_prlimit(own);
    }

    /// No signal, limit or owner for the launcher, alone, in its group, or among all there are.
    fn protect(&mut self, launcher: u32) {
        let signals = nr::SIGNALS.iter().map(|(number, _)| *number);
        for number in signals.chain([nr::TKILL, nr::PRLIMIT64]) {
            self.refuse_argument(number, 0, launcher);
            self.refuse_bits(number, GROUPS);
        }
        for command in SIGNAL_COMMANDS {
            self.refuse_argument(nr::FCNTL, 1, command);
        }
    }

    /// prlimit: for itself only, and the CPU limit is only read: no pointer to a new one.
    fn refuse_prlimit(&mut self, own: u32) {
        self.emit(JUMP_EQUAL, 0, 11, nr::PRLIMIT64);
        self.load_argument(0, 0);
        self.emit(JUMP_EQUAL, 1, 0, 0);
        self.emit(JUMP_EQUAL, 0, 6, own);
        self.load_argument(1, 0);
        self.emit(JUMP_EQUAL, 0, 5, LIMIT_CPU);
        self.load_argument(2, 0);
        self.emit(JUMP_EQUAL, 0, 2, 0);
        self.load_argument(2, 4);
        self.emit(JUMP_EQUAL, 1, 0, 0);
        self.emit(RETURN, 0, 0, EPERM);
        self.emit(LOAD, 0, 0, OFFSET_NUMBER);
    }

    /// Load half of an argument: its low bytes come first on both machines.
    fn load_argument(&mut self, argument: u32, half: u32) {
        self.emit(LOAD, 0, 0, 16 + 8 * argument + half);
    }
}
