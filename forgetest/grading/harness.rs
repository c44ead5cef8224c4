//! Runs the tests of this case, each in a process of its own.
//!
//! Words on the command line choose the tests whose names contain one of them.

extern crate case;

use std::any::Any;
use std::collections::hash_map::RandomState;
use std::fs::File;
use std::hash::{BuildHasher, Hasher};
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::process::{Command, ExitCode, Stdio, Termination};

struct Test {
    name: &'static str,
    ignored: bool,
    /// What the panic's message must contain, when the test must panic.
    panics: Option<&'static str>,
    run: fn() -> bool,
}

const TESTS: &[Test] = &[
    //@TESTS
];

extern "C" {
    fn dup2(from: i32, to: i32) -> i32;
    fn _exit(code: i32) -> !;
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.first().map(String::as_str) {
        Some("--only") => run_only(&words[1]),
        _ => run_all(&words),
    }
}

/// Runs one test in this process and reports on a descriptor that the test does not have.
///
/// The report repeats the nonce that came on stdin. The test's own stdout goes to stderr.
fn run_only(name: &str) -> ! {
    let mut nonce = String::new();
    let read = std::io::stdin().read_to_string(&mut nonce);
    let report = std::io::stdout().as_fd().try_clone_to_owned();
    let test = TESTS.iter().find(|test| test.name == name);
    let (Ok(_), Ok(report), Some(test)) = (read, report, test) else {
        std::process::exit(102)
    };
    unsafe { dup2(2, 1) };
    let word = judge(test);
    let line = format!("{} {} {}\n", nonce.trim(), word, test.name);
    let written = File::from(report).write_all(line.as_bytes());
    unsafe { _exit(if word == "ok" && written.is_ok() { 0 } else { 101 }) }
}

fn judge(test: &Test) -> &'static str {
    match (catch_unwind(AssertUnwindSafe(test.run)), test.panics) {
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

fn message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or(payload.downcast_ref::<&str>().copied()).unwrap_or("")
}

fn succeeded(result: impl Termination) -> bool {
    format!("{:?}", result.report()) == format!("{:?}", ExitCode::SUCCESS)
}

fn run_all(words: &[String]) -> ! {
    let wanted: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
    let chosen = |test: &&Test| wanted.is_empty() || wanted.iter().any(|w| test.name.contains(*w));
    let tests: Vec<&Test> = TESTS.iter().filter(chosen).collect();
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
        word, passed, failures.len(), ignored, TESTS.len() - tests.len()
    );
    std::process::exit(if failures.is_empty() { 0 } else { 101 })
}

/// Runs one test in a child; the error is what the test printed and how it ended.
fn run_in_child(test: &Test) -> Result<(), String> {
    let nonce = format!("{:016x}", RandomState::new().build_hasher().finish());
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut child = Command::new(program)
        .args(["--only", test.name])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let fed = child.stdin.take().map(|mut stdin| stdin.write_all(nonce.as_bytes()));
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let report = format!("{} ok {}\n", nonce, test.name);
    if output.status.success() && output.stdout == report.as_bytes() && matches!(fed, Some(Ok(()))) {
        return Ok(());
    }
    let report = String::from_utf8_lossy(&output.stdout).replacen(&nonce, "", 1);
    Err(format!("{}\n{}{}", String::from_utf8_lossy(&output.stderr), report.trim(), output.status))
}
