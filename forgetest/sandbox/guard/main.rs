//! forgetest's guard: the first process in a box. It confines itself, runs the commands of a plan
//! one after the other within their limits, and writes what became of each.
//!
//! It is trusted, and what it runs is not: nothing that a command prints or does may reach the
//! records but as counted bytes, and every failure that is not the command's own is a `fault`.

mod filter;
mod numbers;
mod plan;
mod record;
mod run;
mod scratch;
mod seal;
mod strays;
mod stream;
mod sys;

use plan::{Plan, Test};
use record::Ran;
use run::Task;
use std::ffi::CString;
use std::io::Read;
use std::time::{Duration, Instant};
use strays::Strays;
use sys::{Fd, Outcome};

const MARK: &str = "FORGETEST_RUN"; // by which forgetest finds what a killed launcher left
const TRAP_OUTPUT_KEPT: usize = 4 << 10; // nobody reads more of the second run
const OWN_FILES: u64 = 1024; // enough for a launcher, few enough for whoever nests folders

fn main() {
    if let Err(why) = serve() {
        record::fault(&why);
        std::process::exit(3);
    }
}

fn serve() -> Outcome<()> {
    if std::env::args().nth(1).as_deref() == Some("landlock-abi") {
        println!("{}", seal::landlock_abi()?);
        return Ok(());
    }
    let mut text = Vec::new();
    std::io::stdin().read_to_end(&mut text).map_err(|error| error.to_string())?;
    let mut plan = Plan::parse(&text)?;
    if plan.mark {
        plan.env.extend(mark());
    }
    let launcher = Launcher::new(&plan)?;
    if plan.tests.is_empty() {
        launcher.command()?;
    } else {
        launcher.tests()?;
    }
    record::done()
}

fn mark() -> Option<CString> {
    CString::new(format!("{MARK}={}", std::env::var(MARK).ok()?)).ok()
}

struct Launcher<'a> {
    plan: &'a Plan,
    events: Fd,
    strays: Strays,
}

impl<'a> Launcher<'a> {
    fn new(plan: &'a Plan) -> Outcome<Launcher<'a>> {
        sys::settle()?;
        sys::set_limit(7, OWN_FILES, OWN_FILES)?;
        let events = sys::child_events()?;
        let strays = Strays::find();
        std::env::set_current_dir(&plan.cwd).map_err(|why| format!("{}: {why}", plan.cwd))?;
        seal::seal(plan)?;
        Ok(Launcher { plan, events, strays })
    }

    fn run(&self, task: &Task) -> Outcome<Ran> {
        run::run(self.plan, task, &self.events, &self.strays)
    }

    fn command(&self) -> Outcome<()> {
        let ran = self.run(&Task { args: &[], stdin: b"", wall: self.plan.wall })?;
        record::ran(0, "only", &ran)
    }

    /// Run the tests while the time for all lasts; the second runs do not use it up. Until a
    /// failure, when that is asked for: then none runs twice.
    fn tests(&self) -> Outcome<()> {
        let mut left = self.plan.all;
        for (index, test) in self.plan.tests.iter().enumerate() {
            if left.is_zero() {
                return Ok(());
            }
            let started = Instant::now();
            let first = self.test(test, &format!("{} report\n", test.nonce), left)?;
            left = left.saturating_sub(started.elapsed());
            record::ran(index, "first", &first)?;
            let reported = first.code == 0 && !first.report.is_empty();
            if self.plan.until_failure && !reported {
                return Ok(());
            }
            if reported && !self.plan.until_failure {
                let stdin = format!("{} trap\n", test.trap_nonce);
                let mut trap = self.test(test, &stdin, self.plan.wall)?;
                trap.output.truncate(TRAP_OUTPUT_KEPT);
                record::ran(index, "trap", &trap)?;
            }
        }
        Ok(())
    }

    /// Run one test in an empty scratch folder, and empty that again.
    fn test(&self, test: &Test, stdin: &str, left: Duration) -> Outcome<Ran> {
        let wall = self.plan.wall.min(left);
        let ran = self.run(&Task { args: &[c"--only", &test.name], stdin: stdin.as_bytes(), wall });
        for folder in &self.plan.scratch {
            scratch::empty(folder);
        }
        ran
    }
}
