"""What runs keep, as their users meet it: cached verdicts, damaged crates, `forgetest cache`."""

import asyncio
import json
import os
import signal
import time
from pathlib import Path

import pytest
from program import Program

from forgetest.errors import ConfigFileError
from forgetest.grading.dependencies import Dependencies
from forgetest.grading.limits import Limits
from forgetest.runner.config import parse_config
from forgetest.system.toolchain import Toolchain

SET = '''
[eval_set]
id = "tiny"
name = "Tiny"

[[cases]]
id = "triple"
name = "Triple"
prompt = "Write `pub fn triple(n: i32) -> i32`."
reference_solution = "pub fn triple(n: i32) -> i32 { n * 3 }"
[cases.expectations]
test_file = """
#[test]
fn two() { assert_eq!(triple(2), 6); }
"""
'''
RIGHT = "```rust\npub fn triple(n: i32) -> i32 { n * 3 }\n```"
SLOW = "```rust\npub fn triple(n: i32) -> i32 { loop { std::hint::black_box(n); } }\n```"


@pytest.fixture
def program(forgetest: Program) -> Program:
    """Return the program with a small eval set."""
    (forgetest.folder / "tiny.toml").write_text(SET, encoding="utf-8")
    return forgetest


def run(program: Program, *more: str) -> list[list[str]]:
    """Run the reference twice; return the flags of both samples."""
    arguments = (
        "run",
        "-e",
        "tiny.toml",
        "-m",
        "reference/solution",
        "-n",
        "2",
        "-f",
        "json",
        "-q",
    )
    done = program(*arguments, *more)
    assert done.code == 0, done.err
    return flags(json.loads(done.out))


def flags(report: dict[str, object]) -> list[list[str]]:
    (model,) = report["models"]  # type: ignore[misc]
    # Sorted: which of two samples with the same code is graded first is a matter of chance.
    return sorted(sample["flags"] for case in model["cases"] for sample in case["samples"])


def cache(program: Program) -> Path:
    return Path(program.environ["XDG_CACHE_HOME"], "forgetest")


@pytest.mark.cargo
def test_the_second_run_takes_the_verdicts_of_the_first(program: Program) -> None:
    assert run(program) == [[], ["duplicate"]]
    assert run(program) == [["cached"], ["duplicate"]]
    assert run(program, "--no-verdict-cache") == [[], ["duplicate"]]


@pytest.mark.cargo
def test_without_the_cache_nothing_is_kept_either(program: Program) -> None:
    (program.folder / "forgetest.toml").write_text("[run]\nverdict_cache = false\n")

    assert run(program) == [[], ["duplicate"]]
    assert not (cache(program) / "verdicts").exists()


@pytest.mark.cargo
def test_the_report_says_how_many_verdicts_are_remembered(program: Program) -> None:
    run(program)
    arguments = ("run", "-e", "tiny.toml", "-m", "reference/solution", "-n", "2", "-q")

    said = program(*arguments)
    report = json.loads(program(*arguments, "-f", "json").out)

    assert "1 verdict from earlier runs · 1 duplicate, graded once" in said.out
    assert report["models"][0]["recalled"] == {"cached": 1, "duplicate": 1}


@pytest.mark.cargo
def test_grading_again_and_validating_take_cached_verdicts(program: Program) -> None:
    run(program)
    folder = program.run_folder()

    again = program("grade", folder, "-f", "json", "-q")
    anew = program("grade", folder, "-f", "json", "-q", "--no-verdict-cache")
    checked = program("validate", "tiny.toml", "-q")

    assert flags(json.loads(again.out)) == [["cached"], ["duplicate"]]
    assert flags(json.loads(anew.out)) == [[], ["duplicate"]]
    assert checked.code == 0, checked.out


@pytest.mark.cargo
def test_a_time_out_is_graded_anew_in_each_run_and_for_each_sample(program: Program) -> None:
    rows = [{"task_id": "triple", "completion": SLOW}, {"task_id": "triple", "completion": SLOW}]
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    (program.folder / "slow.jsonl").write_text(lines, encoding="utf-8")
    arguments = ("grade", "slow.jsonl", "-e", "tiny.toml", "--timeout", "0.5", "-f", "json", "-q")

    reports = [json.loads(program(*arguments).out) for _ in range(2)]

    assert [flags(report) for report in reports] == [[[], []], [[], []]]
    outcomes = [report["models"][0]["outcomes"] for report in reports]
    assert outcomes == [{"test_timeout": 2}] * 2


@pytest.mark.cargo
def test_info_shows_what_is_kept_and_clear_removes_it(program: Program) -> None:
    run(program)

    before = program("cache", "info")
    cleared = program("cache", "clear", "--verdicts")
    after = program("cache", "info")

    assert str(cache(program)) in before.out
    assert [line.split()[:2] for line in before.out.splitlines()[2:4]] == [
        ["verdicts", "1"],
        ["dependencies", before.out.splitlines()[3].split()[1]],
    ]
    assert "5,120 MiB" in before.out
    assert cleared.out.startswith("verdicts: 1 removed, ")
    assert "dependencies" not in cleared.out
    assert ["verdicts", "0"] in [line.split()[:2] for line in after.out.splitlines()]
    assert run(program) == [[], ["duplicate"]]


def test_an_empty_cache_is_shown_and_cleared_without_complaint(program: Program) -> None:
    alone = {"XDG_CACHE_HOME": str(program.folder / "empty")}

    shown = program("cache", "info", **alone)
    cleared = program("cache", "clear", **alone)

    assert (shown.code, cleared.code) == (0, 0), shown.err + cleared.err
    assert cleared.out.splitlines() == [
        "verdicts: 0 removed, 0.0 KiB freed",
        "dependencies: 0 removed, 0.0 KiB freed",
        "checks: 0 removed, 0.0 KiB freed",
        "launcher: 0 removed, 0.0 KiB freed",
    ]
    assert not (program.folder / "empty").exists()


@pytest.mark.cargo
def test_clear_keeps_the_crates_that_a_run_is_using(program: Program) -> None:
    own = {"XDG_CACHE_HOME": str(program.folder / "own")}
    rows = [{"task_id": "triple", "completion": SLOW}]
    (program.folder / "slow.jsonl").write_text(f"{json.dumps(rows[0])}\n", encoding="utf-8")
    arguments = ("grade", "slow.jsonl", "-e", "tiny.toml", "--timeout", "60", "-q")
    with program.start(*arguments, **own) as user:
        wait_for(program.folder / "runs")
        during = program("cache", "clear", **own)
        shown = program("cache", "info", **own)
        user.send_signal(signal.SIGINT)
        user.communicate()
    after = program("cache", "clear", "--dependencies", **own)

    assert "dependencies (none): kept, a run is using them" in during.out
    assert "dependencies: 0 removed" in during.out
    assert "in use" in shown.out
    assert "dependencies: 1 removed" in after.out
    assert list((program.folder / "own" / "forgetest" / "dependencies").iterdir()) == []


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 120
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert path.exists()


@pytest.mark.cargo
def test_a_set_with_a_missing_file_is_built_again(tmp_path: Path) -> None:
    toolchain = Toolchain.resolve(os.environ)

    def prepared() -> Path:
        return asyncio.run(Dependencies(toolchain, tmp_path, Limits()).prepare(())).folder

    ready = prepared()
    files = sorted(path for path in (ready / "target").rglob("*") if path.is_file())
    files[0].unlink()
    before = (ready / "Cargo.lock").stat().st_mtime_ns

    again = prepared()
    after = (again / "Cargo.lock").stat().st_mtime_ns

    assert again == ready
    assert after != before
    assert (prepared() / "Cargo.lock").stat().st_mtime_ns == after


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[cache]\nverdicts_mib = -1", "greater than or equal to 0"),
        ("[cache]\nverdict_mib = 1", 'did you mean "verdicts_mib"?'),
        ("[cach]\nverdicts_mib = 1", 'did you mean "cache"?'),
    ],
)
def test_a_wrong_budget_is_named_with_its_line(text: str, said: str) -> None:
    with pytest.raises(ConfigFileError, match=r"forgetest\.toml:") as caught:
        parse_config(text, file="forgetest.toml", environ={})
    assert said in str(caught.value)
