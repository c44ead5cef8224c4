"""Test strength: what mutants show of the tests, and what a set may explain."""

import json
import re
import shutil
import signal
import time
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from deepsets import Checked, a_case, deep, write
from jsonschema import Draft202012Validator
from program import Program, program_in

from forgetest.check.strength import diff

pytestmark = pytest.mark.cargo

CLAMP = """
pub fn at_least(n: i32, low: i32) -> i32 {
    if n < low {
        return low;
    }
    n
}
"""
CLAMP_TESTS = """
#[test]
fn low_is_raised() { assert_eq!(at_least(1, 3), 3); }
#[test]
fn high_stays() { assert_eq!(at_least(4, 3), 4); }
"""
ONCE = ("--times", "1")
PROMPT = "Write `pub fn at_least(n: i32, low: i32) -> i32`: the larger of its arguments."
BOUNDARY = "at_least: n < low -> n <= low"
WEAK_TESTS = "#[test]\nfn low_is_raised() { assert_eq!(at_least(1, 3), 3); }"
COUNTING = """
pub fn ones(mut n: u32) -> u32 {
    let mut found = 0;
    while n > 0 {
        found += n & 1;
        n >>= 1;
    }
    found
}
"""
COUNTING_TESTS = """
#[test]
fn seven() { assert_eq!(ones(7), 3); }
#[test]
fn eight() { assert_eq!(ones(8), 1); }
#[test]
fn none() { assert_eq!(ones(0), 0); }
"""


def clamp(name: str, *, tests: str = CLAMP_TESTS, more: str = "") -> str:
    return a_case(name, reference=CLAMP, tests=tests, prompt=PROMPT, more=more)


WEAK_AND_SOUND = (clamp("weak", tests=WEAK_TESTS), a_case("sound", more="max_tokens = 5"))


def listing(*mutants: str) -> str:
    rows = ", ".join(f'{{ mutant = "{one}", reason = "equal there" }}' for one in mutants)
    return f"equivalent_mutants = [{rows}]"


@dataclass(frozen=True)
class Weak:
    """The program beside a set of one weak case, and beside one of that case and a sound one.

    It remembers what it found of both, in so many seconds.
    """

    forgetest: Program
    both: Program
    found: Checked
    secs: float

    def copied(self, folder: Path) -> Program:
        """Return the program in a folder of its own, which remembers the same."""
        home = Path(self.forgetest.environ["XDG_CACHE_HOME"])
        shutil.copytree(home, folder / "cache", symlinks=True)
        (folder / "work").mkdir()
        return Program(folder / "work", {"XDG_CACHE_HOME": str(folder / "cache")})


@pytest.fixture(scope="module")
def weak(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Weak:
    """Check two cases once for all tests that look at how that is told and remembered."""
    folder, home = (tmp_path_factory.mktemp(name) for name in ("weak", "cache"))
    program = program_in(folder, home, pytestconfig)
    both = replace(program, folder=folder / "both")
    both.folder.mkdir()
    started = time.monotonic()
    found = deep(both, *WEAK_AND_SOUND, args=ONCE)
    secs = time.monotonic() - started
    write(program, WEAK_AND_SOUND[0])
    return Weak(program, both, found, secs)


def test_a_survivor_is_shown_as_a_diff_with_the_test_that_is_missing(weak: Weak) -> None:
    done = weak.forgetest("validate", "--deep", "s.toml", "--survivors", "1", *ONCE)

    assert done.code == 0
    assert "s/weak: survives: " in done.out
    assert "missing: " in done.out
    assert "\n    -" in done.out
    assert "\n    +" in done.out
    assert re.search(r"and \d+ more survivors? of s/weak", done.out)
    assert done.err == "[1/1] s/weak: ok, " + done.err.partition("ok, ")[2]


def test_a_change_in_one_of_several_files_is_shown_below_its_path() -> None:
    files = "//==== file: src/lib.rs\nmod one;\n//==== file: src/one.rs\nfn one() -> u8 { 1 }\n"

    assert diff(files, files.replace("1 }", "2 }")) == (
        "src/one.rs\n@@ -1 +1 @@\n-fn one() -> u8 { 1 }\n+fn one() -> u8 { 2 }"
    )


def test_an_equivalent_mutant_does_not_count_and_a_stale_one_is_reported(
    forgetest: Program,
) -> None:
    stale = "at_least: no such -> mutant"
    found = deep(
        forgetest,
        clamp("plain"),
        clamp("listed", more=listing(BOUNDARY, stale)),
        args=ONCE,
    )

    plain, listed = found.case("plain"), found.case("listed")
    assert [one["mutant"] for one in plain["strength"]["survivors"]] == [BOUNDARY]
    assert plain["test_strength"] < 1
    assert listed["test_strength"] == 1
    assert listed["strength"]["equivalent"] == [{"mutant": BOUNDARY, "reason": "equal there"}]
    assert listed["strength"]["stale"] == [stale]
    assert stale in found.findings("listed")["note stale"]
    assert found.done.code == 0


def test_weak_tests_fail_only_when_a_strength_is_asked_for(weak: Weak) -> None:
    free = weak.forgetest("validate", "--deep", "s.toml", "-q", *ONCE)
    strict = weak.forgetest("validate", "--deep", "s.toml", "-q", "--min-strength", "0.95", *ONCE)

    assert (free.code, strict.code) == (0, 1)
    assert "95.0 % are wanted" in strict.out


def test_endless_loops_are_killed_soon(forgetest: Program) -> None:
    found = deep(
        forgetest,
        a_case(
            "counting",
            reference=COUNTING,
            tests=COUNTING_TESTS,
            prompt="Write `pub fn ones(n: u32) -> u32` that counts the bits that are set.",
        ),
        args=ONCE,
    )

    strength = found.case("counting")["strength"]
    assert strength["timed_out"] >= 1
    assert strength["killed"] == strength["made"] - strength["not_compiled"] - len(
        strength["survivors"]
    )


def test_what_was_found_is_kept_and_equal(weak: Weak) -> None:
    first = weak.found
    started = time.monotonic()
    second = deep(weak.both, *WEAK_AND_SOUND, args=ONCE)
    took = time.monotonic() - started

    assert took < weak.secs / 2
    assert not any(case["cached"] for case in first.data["sets"][0]["cases"])
    assert all(case["cached"] for case in second.data["sets"][0]["cases"])
    assert without_times(second.data) == without_times(first.data)
    assert second.done.err.count(", cached") == 2


def test_a_changed_case_is_checked_again_and_its_neighbour_is_not(
    weak: Weak, tmp_path: Path
) -> None:
    changed = clamp("weak", tests=WEAK_TESTS.replace("1, 3", "2, 3"))
    again = deep(weak.copied(tmp_path), changed, a_case("sound", more='tags = ["a"]'), args=ONCE)

    assert not again.case("weak")["cached"]
    assert again.case("sound")["cached"]


def test_an_interrupted_check_keeps_the_cases_that_were_done(forgetest: Program) -> None:
    path = write(forgetest, *(a_case(f"c{n}", more=f"timeout_secs = {n}.5") for n in range(1, 9)))
    running = forgetest.start("validate", "--deep", path, "--parallelism", "1", *ONCE)
    assert running.stderr is not None
    first = running.stderr.readline()
    running.send_signal(signal.SIGINT)
    _, rest = running.communicate(timeout=60)

    again = forgetest("validate", "--deep", path, "--case", "c1", *ONCE)

    assert running.returncode == 130
    assert first.startswith("[1/8] s/c1: ok")
    assert "Traceback" not in rest
    assert rest.splitlines()[-1].startswith("interrupted: ")
    assert again.err.endswith(", cached\n")


def test_without_the_cache_everything_is_graded_now(weak: Weak, tmp_path: Path) -> None:
    forgetest = weak.copied(tmp_path)
    kept = deep(forgetest, WEAK_AND_SOUND[1], args=ONCE)

    again = deep(forgetest, WEAK_AND_SOUND[1], args=("--no-verdict-cache", *ONCE))

    assert kept.case("sound")["cached"]
    assert not again.case("sound")["cached"]


def test_the_cache_commands_know_checks(weak: Weak, tmp_path: Path) -> None:
    forgetest = weak.copied(tmp_path)

    assert "checks" in forgetest("cache", "info").out
    assert "checks: 4 removed" in forgetest("cache", "clear", "--checks").out
    assert "checks: 0 removed" in forgetest("cache", "clear", "--checks").out


def test_the_json_is_what_its_schema_says(weak: Weak) -> None:
    data = weak.found.data
    schema = json.loads(weak.forgetest("schema", "validation").out)

    Draft202012Validator(schema).validate(data)
    assert data["schema_version"] == 1
    assert data["toolchain"]["rustc"].startswith("rustc 1.")


def test_markdown_goes_to_a_file(weak: Weak) -> None:
    done = weak.forgetest(
        "validate", "--deep", "s.toml", "-f", "markdown", "-o", "out/table.md", *ONCE
    )
    text = Path(weak.forgetest.folder, "out", "table.md").read_text(encoding="utf-8")

    assert (done.code, done.out) == (0, "")
    assert "| case | difficulty | reference |" in text
    assert "| `weak` |" in text
    assert "```diff\n" in text


@pytest.mark.parametrize(
    "args",
    [
        ("s.toml", "--min-strength", "0.9"),
        ("s.toml", "--times", "2"),
        ("s.toml", "--no-grading", "-f", "json"),
        ("--deep", "s.toml", "--no-grading"),
        ("--deep", "s.toml", "-f", "html"),
        ("--deep", "s.toml", "--case", "nobody"),
    ],
)
def test_options_that_do_not_fit_are_one_line(forgetest: Program, args: tuple[str, ...]) -> None:
    write(forgetest, a_case("sound"))

    done = forgetest("validate", *args)

    assert (done.code, done.out) == (2, "")
    assert len(done.err.splitlines()) == 1


def without_times(data: object) -> object:
    """Return the values without those that say how long something took, or whence it came."""
    if isinstance(data, list):
        return [without_times(one) for one in data]
    if not isinstance(data, dict):
        return data
    return {key: without_times(one) for key, one in data.items() if key not in ("secs", "cached")}
