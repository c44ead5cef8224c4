"""The samples that are graded on failing machines: sound, wrong, and hard to tell from the machine.

The last are what matters: builds that fail without an error in the source, tests that crash, leave
early or kill themselves, lints that end clippy.
"""

from collections.abc import Iterator
from pathlib import Path

from speed.corpus import load

from faults.gradings import Graded
from forgetest.evalset.types import Case

_TESTS = """
use super::*;
#[test] fn of_three() { assert_eq!(next(3), 4); }
#[test] fn of_zero() { assert_eq!(next(0), 1); }
#[test] #[should_panic] fn of_the_last() { next(u32::MAX); }
"""
_REFERENCE = "pub fn next(x: u32) -> u32 { x + 1 }\n"
_PRIVATE = "fn next(x: u32) -> u32 { x + 1 }\n"
_ABRUPT = {
    "right": _REFERENCE,
    "private": _PRIVATE,
    "wrong": "pub fn next(x: u32) -> u32 { x }\n",
    "lints": "pub fn next(x: u32) -> u32 { return x + 1; }\n",
    "silenced-lints": "#![allow(clippy::all)]\npub fn next(x: u32) -> u32 { return x + 1; }\n",
    "denied-lints": "#![deny(clippy::all)]\npub fn next(x: u32) -> u32 { return x + 1; }\n",
    "no-such-symbol": (
        'extern "C" { fn no_library_has_this() -> u32; }\n'
        "pub fn next(x: u32) -> u32 { x + unsafe { no_library_has_this() } }\n"
    ),
    "no-such-crate": "extern crate nowhere;\npub fn next(x: u32) -> u32 { x + 1 }\n",
    "stack-overflow": (
        "pub fn next(x: u32) -> u32 { if x > u32::MAX - 2 { panic!() }; next(x) + 1 }\n"
    ),
    "aborts": "pub fn next(_: u32) -> u32 { std::process::abort() }\n",
    "leaves": "pub fn next(_: u32) -> u32 { std::process::exit(0) }\n",
    "segfaults": "pub fn next(_: u32) -> u32 { unsafe { *(16 as *const u32) } }\n",
    "type-error": 'pub fn next(x: u32) -> u32 { "4" }\n',
    "another-name": "pub fn succ(x: u32) -> u32 { x + 1 }\n",
    "empty": "",
}


def abrupt() -> Iterator[Graded]:
    """Yield samples whose ends look like those of a machine that fails."""
    case = _case("next")
    for name, code in _ABRUPT.items():
        yield Graded(name, case, code)
    rejected = _case(
        "rejected", test_file=None, should_compile=False, expected_error_codes=["E0382"]
    )
    code = "pub fn f() { let a = String::new(); let b = a; drop(a); drop(b); let c: u8 = 1_000; }\n"
    yield Graded("rejected", rejected, code)
    yield Graded("wrongly-accepted", rejected, _REFERENCE)


def ordinary(home: Path | None = None) -> Iterator[Graded]:
    """Yield the samples of the benchmark of grading."""
    corpus = load() if home is None else load(home)
    for sample in corpus.samples:
        yield Graded(sample.key, sample.case, sample.code)


def _case(name: str, **expectations: object) -> Case:
    return Case.model_validate(
        {
            "id": name,
            "eval_set": "faults",
            "name": name,
            "prompt": "Write `pub fn next(x: u32) -> u32`.",
            "reference_solution": _REFERENCE if "should_compile" not in expectations else None,
            "expectations": {"test_file": _TESTS, **expectations},
        }
    )
