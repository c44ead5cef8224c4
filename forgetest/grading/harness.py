"""The generated program that runs a case's tests one by one, and how its report is read.

What is the same in all of them is the library `harness.rs`, built once. The program names every
expected test itself; a test that it does not name does not exist.
"""

from collections.abc import Sequence
from importlib.resources import files

from forgetest.rust.tests import TestFunction

ONLY = "--only"  # the option that runs the one test named after it
PASSED = "ok"  # the word that a report says of a test that passed
TAMPERED = "tampered"  # the word of one after which equal and different mean something else
TRAPPED = "trapped"  # the word of success in the trap run, where nothing sound says `ok`
REPORT, TRAP = "report", "trap"  # the modes
# What a report says of one that did not, where its output does not show it.
WORDS = {
    "returned_an_error": "it returned an error",
    "did_not_panic": "it should have panicked, and did not",
    "panicked_differently": "it panicked without the expected text",
    TAMPERED: "comparisons no longer tell different values apart",
}

_SELF_CHECK = '        "ok" if !is_sound(nonce) => "tampered",\n'
_ANY_TEXT = '""'  # every message contains the empty text

_PROGRAM = """\
{head}

const TESTS: &[forgetest_harness::Test] = &[
    {entries}
];

fn main() {{
    forgetest_harness::main(TESTS)
}}
"""


def library_source() -> str:
    """Return the source of the library that runs tests: the same for every case."""
    return files("forgetest.grading").joinpath("harness.rs").read_text()


def harness_source(tests: Sequence[TestFunction], *, head: str, path: str) -> str:
    """Return the source of a program that runs `tests`, which are below the module `path`.

    `head` are the items that bring the first name of `path` into scope.
    """
    entries = "\n    ".join(_entry(test, path) for test in tests)
    return _PROGRAM.format(head=head, entries=entries)


def without_self_check(source: str) -> str:
    """Return the source of a program that believes every comparison."""
    return source.replace(_SELF_CHECK, "")


def request(nonce: str, mode: str) -> bytes:
    """Return what the program wants to read before it runs a test."""
    return f"{nonce} {mode}\n".encode()


def report_word(stdout: bytes, *, nonce: str, name: str) -> str | None:
    """Return what the program says of the test; None when it does not say it as it must."""
    try:
        said, word, of = stdout.decode("ascii").removesuffix("\n").split(" ", 2)
    except ValueError:
        return None
    return word if (said, of) == (nonce, name) and stdout.endswith(b"\n") else None


def _entry(test: TestFunction, path: str) -> str:
    fields = {
        "name": f'"{test.name}"',
        "ignored": "true" if test.ignored else "false",
        "panics": f"Some({test.panic_text or _ANY_TEXT})" if test.should_panic else "None",
        "run": f"|| forgetest_harness::succeeded({path}::{test.name}())",
    }
    return (
        "forgetest_harness::Test { "
        + ", ".join(f"{key}: {value}" for key, value in fields.items())
        + " },"
    )
