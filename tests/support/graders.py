"""Cases and graders that the tests of grading share."""

import asyncio
import functools
import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from forgetest.evalset.types import Case, ContextFile, Dependency, Expectations
from forgetest.grading.grader import SampleGrader
from forgetest.grading.limits import Limits
from forgetest.grading.verdict import Verdict
from forgetest.sandbox.backends import AUTO
from forgetest.sandbox.choose import choose
from forgetest.sandbox.sandbox import Sandbox
from forgetest.system.toolchain import Toolchain

ADD_TESTS = """
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() { assert_eq!(add(2, 2), 4); }

    #[test]
    fn adds_negatives() { assert_eq!(add(-2, 1), -1); }

    #[test]
    #[should_panic(expected = "overflow")]
    fn refuses_overflow() { add(i32::MAX, 1); }

    #[test]
    fn answers_in_a_result() -> Result<(), String> {
        if crate::add(0, 0) == 0 { Ok(()) } else { Err(String::from("not nothing")) }
    }

    #[test]
    #[ignore = "never right"]
    fn is_ignored() { assert_eq!(add(1, 1), 3); }
}
"""
ADD = "fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n"

# Bare functions, private fields, a macro of the sample, and a module that the crate comes with.
STACK_TESTS = """
use std::collections::VecDeque;

fn filled() -> Stack { stack![3, 4] }

#[test]
fn pushes() { assert_eq!(filled().items, VecDeque::from(vec![3, 4])); }

#[test]
fn pops() { assert_eq!(filled().pop().map(super::units::doubled), Some(8)); }

mod deeper {
    use super::*;
    #[test]
    fn is_empty() { assert!(stack![].items.is_empty(), "{}", crate::units::NAME); }
}
"""
STACK = """
use std::collections::VecDeque;
mod units;

#[derive(Default)]
struct Stack { items: VecDeque<u32> }

impl Stack {
    fn pop(&mut self) -> Option<u32> { self.items.pop_back() }
}

macro_rules! stack {
    ($($item:expr),*) => {{ let mut s = Stack::default(); $(s.items.push_back($item);)* s }};
}
"""
UNITS = 'pub const NAME: &str = "units";\npub fn doubled(x: u32) -> u32 { x * 2 }\n'

TOKIO = Dependency(name="tokio", version="1", features=("macros", "rt-multi-thread", "test-util"))
TOKIO_TESTS = """
use std::time::Duration;

#[tokio::test]
async fn answers() { assert_eq!(later(3).await, 3); }

#[tokio::test(start_paused = true)]
async fn waits_in_no_time() { tokio::time::sleep(Duration::from_secs(3600)).await; }

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spawns() -> Result<(), tokio::task::JoinError> {
    assert_eq!(tokio::spawn(later(4)).await?, 4);
    Ok(())
}

#[tokio::test]
#[should_panic(expected = "left: 5")]
async fn panics() { assert_eq!(later(5).await, 6); }
"""
LATER = "async fn later(x: u32) -> u32 {\n    tokio::task::yield_now().await;\n    x\n}\n"


def make_case(name: str, tests: str | None, reference: str | None, **more: object) -> Case:
    """Return a case of the set `corpus`; `more` are its other fields, expectations included."""
    wanted = {name: more.pop(name) for name in tuple(more) if name in Expectations.model_fields}
    return Case.model_validate(
        {
            "id": name,
            "eval_set": "corpus",
            "name": name,
            "prompt": str(more.pop("prompt", "write it")),
            "reference_solution": reference,
            "expectations": Expectations.model_validate({"test_file": tests, **wanted}),
            **more,
        }
    )


CASES = {
    "add": make_case("add", ADD_TESTS, ADD),
    "add2024": make_case("add2024", ADD_TESTS, ADD, edition="2024"),
    "stack": make_case(
        "stack",
        STACK_TESTS,
        STACK,
        edition="2018",
        context=(ContextFile(path="src/units.rs", content=UNITS),),
    ),
    "tokio": make_case("tokio", TOKIO_TESTS, LATER, dependencies=(TOKIO,)),
}


def cache_of(config: pytest.Config) -> Path:
    """Return a folder that outlives a test run, so that crates are fetched and built once."""
    return config.cache.mkdir("forgetest-crates")


def make_grader(config: pytest.Config, **options: object) -> SampleGrader:
    """Return a grader with the real toolchain; `options` are its own or those of `Limits`."""
    limits = {key: options.pop(key) for key in tuple(options) if key in Limits.__annotations__}
    toolchain = options.pop("toolchain", None) or Toolchain.resolve(os.environ)
    cache = options.pop("cache", None) or cache_of(config)
    sandbox = options.pop("sandbox", None) or sandbox_of(AUTO, cache)
    return SampleGrader(toolchain, cache=cache, sandbox=sandbox, limits=Limits(**limits), **options)


@functools.cache
def sandbox_of(wanted: str, cache: Path) -> Sandbox:
    """Return a sandbox of this machine; `ToolchainError` when it has none like that."""
    toolchain = Toolchain.resolve(os.environ)
    return asyncio.run(choose(wanted, toolchain=toolchain, cache=cache))


def grade(grader: SampleGrader, case: Case, code: str) -> Verdict:
    """Grade one sample now."""
    return asyncio.run(grader.grade(case, code))


def grade_together(grader: SampleGrader, samples: Iterable[tuple[Case, str]]) -> list[Verdict]:
    """Grade several samples at once."""

    async def all_of_them() -> list[Verdict]:
        return await asyncio.gather(*(grader.grade(case, code) for case, code in samples))

    return asyncio.run(all_of_them())


def outcomes(verdict: Verdict) -> dict[str, str]:
    """Return what became of each test, by its name without modules."""
    return {test.name.rpartition("::")[2]: str(test.outcome) for test in verdict.tests}
