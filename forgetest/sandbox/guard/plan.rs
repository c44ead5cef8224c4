//! What is to be run, as forgetest writes it: keys and values, each ended by NUL, `end` last.

use crate::sys::Outcome;
use std::ffi::CString;
use std::time::Duration;

/// Which system calls a command may make.
#[derive(Clone, Copy, PartialEq)]
pub enum Calls {
    All,
    Compile,
    Test,
    /// As `Test`, where no mount keeps the files of others from changes of their attributes.
    TestOnHost,
}

pub struct Test {
    pub name: CString,
    pub nonce: String,
    pub trap_nonce: String,
}

pub struct Plan {
    pub calls: Calls,
    pub landlock: bool,
    pub reads: Vec<CString>,
    pub writes: Vec<CString>,
    pub uid: Option<u32>,
    pub keep_search: bool,
    pub mark: bool,
    pub scratch: Vec<String>,
    pub cwd: String,
    pub argv: Vec<CString>,
    pub env: Vec<CString>,
    pub tests: Vec<Test>,
    pub wall: Duration,
    pub all: Duration,
    pub until_failure: bool,
    pub cpu_secs: Option<u64>,
    pub address_space: Option<u64>,
    pub file_size: Option<u64>,
    pub open_files: Option<u64>,
    pub processes: Option<u64>,
    pub report_kept: usize,
    pub output_kept: usize,
    pub output_killed: usize,
}

impl Plan {
    fn empty() -> Plan {
        Plan {
            calls: Calls::All,
            landlock: false,
            reads: Vec::new(),
            writes: Vec::new(),
            uid: None,
            keep_search: false,
            mark: false,
            scratch: Vec::new(),
            cwd: String::from("/"),
            argv: Vec::new(),
            env: Vec::new(),
            tests: Vec::new(),
            wall: Duration::ZERO,
            all: Duration::MAX,
            until_failure: false,
            cpu_secs: None,
            address_space: None,
            file_size: None,
            open_files: None,
            processes: None,
            report_kept: 0,
            output_kept: 0,
            output_killed: 0,
        }
    }

    /// Read a whole plan; anything unknown or cut off is refused.
    pub fn parse(text: &[u8]) -> Outcome<Plan> {
        let mut plan = Plan::empty();
        let mut fields = text.split(|byte| *byte == 0);
        loop {
            let key = next(&mut fields)?;
            if key == "end" {
                return plan.checked();
            }
            plan.set(&key, &mut fields)?;
        }
    }

    fn checked(self) -> Outcome<Plan> {
        if self.argv.is_empty() || self.wall.is_zero() {
            return Err(String::from("the plan has no command or no time limit"));
        }
        Ok(self)
    }

    fn set<'a>(&mut self, key: &str, fields: &mut impl Iterator<Item = &'a [u8]>) -> Outcome<()> {
        match key {
            "calls" => self.calls = calls(&next(fields)?)?,
            "landlock" => self.landlock = true,
            "read" => self.reads.push(raw(fields)?),
            "write" => self.writes.push(raw(fields)?),
            "uid" => self.uid = Some(number(fields)? as u32),
            "keep_search" => self.keep_search = true,
            "mark" => self.mark = true,
            "scratch" => self.scratch.push(next(fields)?),
            "cwd" => self.cwd = next(fields)?,
            "arg" => self.argv.push(raw(fields)?),
            "env" => self.env.push(raw(fields)?),
            "test" => self.tests.push(Test {
                name: raw(fields)?,
                nonce: next(fields)?,
                trap_nonce: next(fields)?,
            }),
            "wall_us" => self.wall = Duration::from_micros(number(fields)?),
            "all_us" => self.all = Duration::from_micros(number(fields)?),
            "until_failure" => self.until_failure = true,
            "cpu_secs" => self.cpu_secs = Some(number(fields)?),
            "address_space" => self.address_space = Some(number(fields)?),
            "file_size" => self.file_size = Some(number(fields)?),
            "open_files" => self.open_files = Some(number(fields)?),
            "processes" => self.processes = Some(number(fields)?),
            "report_kept" => self.report_kept = number(fields)? as usize,
            "output_kept" => self.output_kept = number(fields)? as usize,
            "output_killed" => self.output_killed = number(fields)? as usize,
            _ => return Err(format!("the plan has an unknown key {key:?}")),
        }
        Ok(())
    }
}

fn calls(word: &str) -> Outcome<Calls> {
    match word {
        "all" => Ok(Calls::All),
        "compile" => Ok(Calls::Compile),
        "test" => Ok(Calls::Test),
        "test_on_host" => Ok(Calls::TestOnHost),
        _ => Err(format!("the plan names unknown calls {word:?}")),
    }
}

fn raw<'a>(fields: &mut impl Iterator<Item = &'a [u8]>) -> Outcome<CString> {
    let field = fields.next().ok_or("the plan is cut off")?;
    CString::new(field).map_err(|error| error.to_string())
}

fn next<'a>(fields: &mut impl Iterator<Item = &'a [u8]>) -> Outcome<String> {
    raw(fields)?.into_string().map_err(|_| String::from("the plan is not UTF-8"))
}

fn number<'a>(fields: &mut impl Iterator<Item = &'a [u8]>) -> Outcome<u64> {
    let word = next(fields)?;
    word.parse().map_err(|_| format!("the plan has {word:?} where a number belongs"))
}
