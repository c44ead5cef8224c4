"""A small graded run with a sample of every layout, and runs made of values to look at."""

import json
from pathlib import Path

from program import Program

from forgetest.report.samples import SampleReport
from forgetest.report.types import Report

SET = """
[eval_set]
id = "layouts"
name = "Layouts"

[[cases]]
id = "public"
name = "Public"
prompt = "Write `pub fn add(a: i32, b: i32) -> i32`."
reference_solution = "pub fn add(a: i32, b: i32) -> i32 { a + b }"
[cases.expectations]
test_file = '''
#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn adds() { assert_eq!(add(2, 2), 4); }
    #[test]
    fn subtracts() { assert_eq!(add(2, -3), -1, "of 2 and -3"); }
    #[test]
    #[ignore]
    fn rests() {}
}
'''

[[cases]]
id = "private"
name = "Private"
prompt = "Write a struct `Stack` with a private field `items`, and `push`."
[cases.expectations]
test_file = '''
#[test]
fn starts_empty() { assert!(Stack::default().items.is_empty()); }
#[test]
fn pushes() { let mut s = Stack::default(); s.push(3); assert_eq!(s.items, vec![3]); }
#[test]
fn crashes() { if Stack::default().items.len() == 0 { Stack::default().leave() } }
'''

[[cases]]
id = "generated"
name = "Generated"
prompt = "Write `fn add(a: i32, b: i32) -> i32`."
[[cases.context]]
path = "README.md"
content = "of the case"
[cases.expectations]
test_file = '''
macro_rules! proptest { ($($all:tt)*) => { $($all)* } }
#[cfg(test)]
mod tests {
    use super::*;
    proptest! {
        #[test] fn adds() { assert_eq!(add(2, 2), 4); }
        #[test] fn subtracts() { assert_eq!(add(2, -2), 1); }
    }
}
'''

[[cases]]
id = "asynchronous"
name = "Asynchronous"
prompt = "Write `async fn later(x: u32) -> u32` with tokio."
[[cases.dependencies]]
name = "tokio"
version = "1"
features = ["macros", "rt-multi-thread", "test-util"]
[cases.expectations]
test_file = '''
#[tokio::test]
async fn answers() { assert_eq!(later(3).await, 4); }
#[tokio::test]
async fn ends() { later(3).await; }
'''
"""
ADD = "fn add(a: i32, b: i32) -> i32 {\n\ta + b\n}"
STACK = (
    "#[derive(Default)]\nstruct Stack { items: Vec<u32> }\nimpl Stack {\n"
    "    fn push(&mut self, item: u32) { self.items.insert(0, item + 1) }\n"
    "    fn leave(&self) { std::process::abort() }\n}\n"
)
SAMPLES = (  # case, code
    ("public", f"pub {ADD.replace('a + b', 'return a - b;')}\n"),
    ("public", f"pub {ADD}\n"),
    ("public", "pub fn add(a: i32, b: i32) -> i32 {\n    let s: &str = a + b;\n    s\n}\n"),
    ("private", STACK),
    ("private", f"{STACK}fn broken() {{ missing() }}\n"),
    ("generated", f"{ADD}\n"),
    ("asynchronous", "async fn later(x: u32) -> u32 {\n    x\n}\n"),
)
HOSTILE = (
    "\x1b]0;owned\x07\x1b[31mred\x1b[0m\u202eevil\u2066 [bold]markup[/bold] \x9b2J\r::error::x"
)


def graded(program: Program) -> Path:
    """Grade `SAMPLES` of one model and return the run folder."""
    (program.folder / "set.toml").write_text(SET, encoding="utf-8")
    rows = [
        {"case_id": case, "model": "m", "completion": f"Here:\n\n```rust\n{code}```\n"}
        for case, code in SAMPLES
    ]
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    (program.folder / "said.jsonl").write_text(text, encoding="utf-8")
    done = program("grade", "said.jsonl", "-e", "set.toml", "--quiet")
    assert done.code == 0, done.err
    return program.run_folder()


def samples_of(report: Report) -> dict[tuple[str, int], SampleReport]:
    """Return the samples by case and number, from 1."""
    return {
        (case.case, sample.index + 1): sample
        for model in report.models
        for case in model.cases
        for sample in case.samples
    }
