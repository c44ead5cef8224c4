//! Runs the tests of a case, each in a process of its own.
//!
//! Words on the command line choose the tests whose names contain one of them.

pub struct Test {
    pub name: &'static str,
    pub ignored: bool,
    /// What the panic's message must contain, when the test must panic.
    pub panics: Option<&'static str>,
    pub run: fn() -> bool,
}

/// What each test may ask for at most; without a limit it is counted all the same.
pub struct Allowance {
    pub max_allocations: Option<u64>,
    pub max_peak_bytes: Option<u64>,
}

#[repr(C)]
struct Limit {
    soft: std::os::raw::c_ulong,
    hard: std::os::raw::c_ulong,
}

extern "C" {
    fn dup2(from: i32, to: i32) -> i32;
    fn _exit(code: i32) -> !;
    fn getrlimit(what: i32, limit: *mut Limit) -> i32;
    fn setrlimit(what: i32, limit: *const Limit) -> i32;
    #[cfg(target_os = "linux")]
    fn prctl(
        what: i32,
        a: std::os::raw::c_ulong,
        b: std::os::raw::c_ulong,
        c: std::os::raw::c_ulong,
        d: std::os::raw::c_ulong,
    ) -> i32;
}

/// Does what the command line asks for: one test for the grader, or all of them for a person.
pub fn main(tests: &'static [Test]) -> ! {
    start(tests, None)
}

/// Does the same for tests that are counted; the program has `counts::Allocator` as its own.
pub fn main_counting(tests: &'static [Test], allowance: &'static Allowance) -> ! {
    start(tests, Some(allowance))
}

fn start(tests: &'static [Test], allowance: Option<&Allowance>) -> ! {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match (words.first().map(|word| word.as_str()), words.get(1)) {
        (Some("--only"), Some(name)) => run_only(tests, name, allowance),
        _ => run_all(tests, &words),
    }
}

/// Tells whether a test's result means success.
pub fn succeeded(result: impl std::process::Termination) -> bool {
    is_success(result.report())
}

fn is_success(code: std::process::ExitCode) -> bool {
    shown(code) == shown(std::process::ExitCode::SUCCESS)
}

/// Writes a code without an allocation, which would be counted as the test's.
fn shown(code: std::process::ExitCode) -> [u8; 128] {
    use std::io::Write;
    let mut text = [0; 128];
    let _ = write!(&mut text[..], "{:?}", code);
    text
}

/// Runs one test in this process and reports on a descriptor that the test does not have.
///
/// On stdin come a nonce, which the report repeats, and the mode. In the mode `trap` nothing here
/// writes `ok`. The test's own stdout goes to stderr. Counts stand behind the report's word:
/// `ok:12:4096` made 12 allocations and held 4,096 bytes at most.
fn run_only(tests: &[Test], name: &str, allowance: Option<&Allowance>) -> ! {
    use std::io::{Read, Write};
    use std::os::fd::AsFd;
    let mut asked = String::new();
    let read = std::io::stdin().read_to_string(&mut asked);
    let report = std::io::stdout().as_fd().try_clone_to_owned();
    let test = tests.iter().find(|test| test.name == name);
    let mut words = asked.split_whitespace();
    let (nonce, trapped) = (words.next().unwrap_or(""), words.next() == Some("trap"));
    let (true, Ok(report), Some(test)) =
        (read.is_ok(), report, test)
    else {
        std::process::exit(102)
    };
    unsafe { dup2(2, 1) };
    confine();
    let (word, counts) = counts::measure(|| judge(test));
    let word = match word {
        "ok" if !is_sound(nonce) => "tampered",
        "ok" if trapped => "trapped",
        word => word,
    };
    let good = word == "ok" || word == "trapped";
    let (within, words) = match allowance {
        Some(allowance) => counted(allowance, &counts, word, good),
        None => (true, String::from(word)),
    };
    let line = format!("{} {} {}\n", nonce, words, test.name);
    let written = std::fs::File::from(report).write_all(line.as_bytes()).is_ok();
    unsafe { _exit(if written && good && within { 0 } else { 101 }) }
}

/// Returns whether a test kept within what it may ask for, and the words that report it.
///
/// A test that failed anyway does so for its own reason.
fn counted(
    allowance: &Allowance,
    counts: &counts::Counts,
    word: &str,
    good: bool,
) -> (bool, String) {
    let limits = [
        ("max_allocations", allowance.max_allocations, counts.allocations),
        ("max_peak_bytes", allowance.max_peak_bytes, counts.peak_bytes),
    ];
    let exceeded = limits.iter().find_map(|&(key, limit, count)| match limit {
        Some(limit) if good && count > limit => Some(format!("{}={}", key, limit)),
        _ => None,
    });
    let within = exceeded.is_none();
    let word = exceeded.unwrap_or_else(|| String::from(word));
    (within, format!("{}:{}:{}", word, counts.allocations, counts.peak_bytes))
}

/// Takes from the test what it has no use for: other processes' eyes, and more than a few threads.
///
/// The limit counts all processes of the user, so it is set only where next to none are counted:
/// inside a sandbox of our own.
fn confine() {
    const FEW: std::os::raw::c_ulong = 8;
    const MANY: std::os::raw::c_ulong = 1024; // as many as a box allows
    let processes = if cfg!(target_os = "linux") { 6 } else { 7 };
    #[cfg(target_os = "linux")]
    unsafe {
        prctl(4, 0, 0, 0, 0); // PR_SET_DUMPABLE
    }
    let mut before = Limit { soft: 0, hard: 0 };
    if unsafe { getrlimit(processes, &mut before) } != 0 || before.hard < MANY {
        return;
    }
    unsafe { setrlimit(processes, &Limit { soft: FEW, hard: before.hard }) };
    let alone = match std::thread::Builder::new().stack_size(1 << 16).spawn(|| {}) {
        Ok(thread) => thread.join().is_ok(),
        Err(_) => false,
    };
    let limit = if alone { Limit { soft: MANY, hard: MANY } } else { before };
    unsafe { setrlimit(processes, &limit) };
}

fn judge(test: &Test) -> &'static str {
    match (std::panic::catch_unwind(std::panic::AssertUnwindSafe(test.run)), test.panics) {
        (Ok(true), None) => "ok",
        (Ok(false), None) => "returned_an_error",
        (Ok(_), Some(_)) => "did_not_panic",
        (Err(_), None) => "panicked",
        (Err(payload), Some(expected)) => {
            let matches = message(&*payload).contains(expected);
            std::mem::forget(payload);
            if matches { "ok" } else { "panicked_differently" }
        }
    }
}

fn message(payload: &(dyn std::any::Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(|text| text.as_str());
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("")
}

/// Tells whether different values still differ and a false assertion still panics.
///
/// A sample that brings a `memcmp` of its own decides what is equal for the whole process.
fn is_sound(nonce: &str) -> bool {
    tells_apart(nonce) && {
        std::panic::set_hook(Box::new(|_| {}));
        let (left, right) = (hidden(nonce.len()), hidden(nonce.len() + 1));
        std::panic::catch_unwind(|| assert_eq!(left, right)).is_err()
    }
}

fn tells_apart(nonce: &str) -> bool {
    let text = hidden(String::from(nonce) + "aa");
    let other = hidden(String::from(nonce) + "ab");
    let (small, large) = (hidden([1_u8, 2, 3, 4]), hidden([1_u8, 2, 3, 5]));
    let (wide, wider) = (hidden([7_u64; 16]), hidden({
        let mut numbers = [7_u64; 16];
        numbers[15] = 8;
        numbers
    }));
    let (list, longer) = (wide.to_vec(), wider.to_vec());
    text != other
        && text.as_bytes() != other.as_bytes()
        && text < other
        && small != large
        && small[..] != large[..]
        && wide != wider
        && wide[..] != wider[..]
        && list != longer
        && hidden(text.clone()) == text
        && hidden(small) == small
        && hidden(list.clone()) == list
}

fn hidden<T>(value: T) -> T {
    std::hint::black_box(value)
}

fn run_all(all: &[Test], words: &[String]) -> ! {
    let wanted: Vec<&String> =
        words.iter().filter(|word| !word.starts_with('-')).collect();
    let chosen = |test: &&Test| wanted.is_empty() || wanted.iter().any(|w| test.name.contains(w.as_str()));
    let tests: Vec<&Test> = all.iter().filter(chosen).collect();
    let (mut passed, mut ignored, mut failures) = (0, 0, Vec::new());
    println!("\nrunning {} tests", tests.len());
    for test in &tests {
        if test.ignored {
            ignored += 1;
            println!("test {} ... ignored", test.name);
        } else if let Err(output) = run_in_child(test) {
            failures.push((test.name, output));
            println!("test {} ... FAILED", test.name);
        } else {
            passed += 1;
            println!("test {} ... ok", test.name);
        }
    }
    for (name, output) in &failures {
        println!("\n---- {} ----\n{}", name, output);
    }
    let word = if failures.is_empty() { "ok" } else { "FAILED" };
    println!(
        "\ntest result: {}. {} passed; {} failed; {} ignored; 0 measured; {} filtered out\n",
        word, passed, failures.len(), ignored, all.len() - tests.len()
    );
    std::process::exit(if failures.is_empty() { 0 } else { 101 })
}

/// Runs one test in children, as the grader does; the error is what it printed and how it ended.
fn run_in_child(test: &Test) -> Result<(), String> {
    ask_child(test, "report", "ok")?;
    ask_child(test, "trap", "trapped")
}

fn ask_child(test: &Test, mode: &str, wanted: &str) -> Result<(), String> {
    use std::hash::{BuildHasher, Hasher};
    use std::io::Write;
    use std::process::Stdio;
    let state = std::collections::hash_map::RandomState::new();
    let nonce = format!("{:016x}", state.build_hasher().finish());
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut child = std::process::Command::new(program)
        .args(["--only", test.name])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let asked = format!("{} {}\n", nonce, mode);
    let fed = child.stdin.take().map(|mut stdin| stdin.write_all(asked.as_bytes()));
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let was_fed = fed.map_or(false, |fed| fed.is_ok());
    let report = String::from_utf8_lossy(&output.stdout);
    let words: Vec<&str> = report.trim_end().splitn(3, ' ').collect();
    let word = words.get(1).and_then(|word| word.split(':').next());
    let expected = words.first() == Some(&&*nonce) && words.get(2) == Some(&test.name);
    if output.status.success() && expected && word == Some(wanted) && was_fed {
        return Ok(());
    }
    let report = report.replacen(&nonce, "", 1);
    let said = String::from_utf8_lossy(&output.stderr);
    let ended = output.status.to_string();
    let mut parts = vec![said.trim_end(), report.trim(), ended.as_str()];
    parts.retain(|part| !part.is_empty());
    Err(parts.join("\n"))
}
