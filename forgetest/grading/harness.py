"""The program that runs a case's tests one by one, and how its report is read.

The library `harness.rs` is the same for all cases and built once. The program names every expected
test itself; a test that it does not name does not exist. The program of a case that counts brings
the allocator of `counts.rs`, a module of that library, and says what its tests may ask for.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from forgetest.evalset.types import Expectations
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
_REPORT = re.compile(
    r"(?:(?P<key>max_allocations|max_peak_bytes)=(?P<limit>\d+)|(?P<word>\w+))"
    r"(?::(?P<allocations>\d+):(?P<peak_bytes>\d+))?",
    re.ASCII,
)
_EXCEEDED = {
    "max_allocations": "it made {:,} allocations, and max_allocations is {:,}",
    "max_peak_bytes": "it held {:,} bytes at once, and max_peak_bytes is {:,}",
}
_ANY_TEXT = '""'  # every message contains the empty text

_PROGRAM = """\
{head}

const TESTS: &[forgetest_harness::Test] = &[
    {entries}
];
{allocator}
fn main() {{
    forgetest_harness::{call}
}}
"""
_ALLOCATOR = """
#[global_allocator]
static ALLOCATOR: forgetest_harness::counts::Allocator = forgetest_harness::counts::Allocator;

const ALLOWANCE: &forgetest_harness::Allowance = &forgetest_harness::Allowance {{
    max_allocations: {allocations},
    max_peak_bytes: {peak_bytes},
}};
"""
_COUNTS_MODULE = "\npub mod counts {{\n{source}}}\n"


def library_source() -> str:
    """Return the source of the library that runs tests: the same for every case."""
    folder = files("forgetest.grading")
    counts = _COUNTS_MODULE.format(source=folder.joinpath("counts.rs").read_text())
    return folder.joinpath("harness.rs").read_text() + counts


def harness_source(
    tests: Sequence[TestFunction], *, head: str, path: str, counted: Expectations | None = None
) -> str:
    """Return the source of a program that runs `tests`, which are below the module `path`.

    `head` are the items that bring the first name of `path` into scope. What the tests allocate is
    counted, and held to its limits, with `counted`.
    """
    entries = "\n    ".join(_entry(test, path) for test in tests)
    call = "main(TESTS)" if counted is None else "main_counting(TESTS, ALLOWANCE)"
    allocator = "" if counted is None else _allocator(counted)
    return _PROGRAM.format(head=head, entries=entries, allocator=allocator, call=call)


def _allocator(counted: Expectations) -> str:
    return _ALLOCATOR.format(
        allocations=_optional(counted.max_allocations), peak_bytes=_optional(counted.max_peak_bytes)
    )


def _optional(limit: int | None) -> str:
    return "None" if limit is None else f"Some({limit})"


def without_self_check(source: str) -> str:
    """Return the source of a library that does not check its own comparisons."""
    return source.replace(_SELF_CHECK, "")


def request(nonce: str, mode: str) -> bytes:
    """Return what the program reads before it runs a test."""
    return f"{nonce} {mode}\n".encode()


@dataclass(frozen=True, slots=True)
class TestReport:
    """What the program reported on a test: one word, and what it counted."""

    __test__ = False  # not a test class

    word: str
    exceeded: str = ""  # in words, the limit that the test did not keep
    allocations: int | None = None  # None where nothing is counted
    peak_bytes: int | None = None

    @property
    def why(self) -> str:
        """Why the test did not pass, if its output does not show it."""
        return self.exceeded or WORDS.get(self.word, "")


def read_report(stdout: bytes, *, nonce: str, name: str) -> TestReport | None:
    """Return the program's report on a test; None if it is malformed."""
    try:
        reported, words, test = stdout.decode("ascii").removesuffix("\n").split(" ", 2)
    except ValueError:
        return None
    match = _REPORT.fullmatch(words)
    if match is None or (reported, test) != (nonce, name) or not stdout.endswith(b"\n"):
        return None
    key, limit, word, allocations, peak_bytes = match.groups()
    if allocations is None:
        return TestReport(word) if word else None
    counts = {"max_allocations": int(allocations), "max_peak_bytes": int(peak_bytes)}
    exceeded = _EXCEEDED[key].format(counts[key], int(limit)) if key else ""
    return TestReport(key or word, exceeded, int(allocations), int(peak_bytes))


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
