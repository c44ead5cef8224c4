"""The program that runs a case's tests one by one, and how its report is read.

The library `harness.rs` is the same for all cases and built once. The program names every expected
test itself; a test that it does not name does not exist.
"""

from collections.abc import Sequence
from importlib.resources import files

from forgetest.rust.tests import TestFunction

ONLY = "--only"  # the option that runs the one test named after it
PASSED = "ok"  # in a report: the test passed
TAMPERED = "tampered"  # for a test after which comparisons no longer work
TRAPPED = "trapped"  # the word of success in the trap run, where an honest test never says `ok`
REPORT, TRAP = "report", "trap"  # the modes
# In a report: why a test did not pass, if its output does not show it.
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
    """Return the source of a library that does not check its own comparisons."""
    return source.replace(_SELF_CHECK, "")


def request(nonce: str, mode: str) -> bytes:
    """Return what the program reads before it runs a test."""
    return f"{nonce} {mode}\n".encode()


def report_word(stdout: bytes, *, nonce: str, name: str) -> str | None:
    """Return the word of the program's report on a test; None if it is malformed."""
    try:
        reported, word, test = stdout.decode("ascii").removesuffix("\n").split(" ", 2)
    except ValueError:
        return None
    return word if (reported, test) == (nonce, name) and stdout.endswith(b"\n") else None


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
