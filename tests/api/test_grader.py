"""The grader for Python: real cargo, results as values, and nothing left behind."""

import asyncio
import json
import multiprocessing
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from interrupting import interrupted, processes_in, wait_for_work
from tiny import RIGHT, SET

import forgetest
from forgetest.errors import ConfigError, FaultKind
from forgetest.evalset.types import Dependency
from forgetest.grading.verdict import Integrity, Level, Outcome, Verdict

pytestmark = pytest.mark.cargo

CASES = forgetest.load(SET)
EVEN, TRIPLE = CASES["is-even"], CASES["triple"]
WRONG = "pub fn triple(n: i32) -> i32 { n + 2 }"
REPLIES = [
    f"```rust\n{RIGHT['triple']}\n```",
    "I cannot help with that.",
    f"Here:\n```rust\n{WRONG}\n```",
    '{"code": "pub fn triple(n: i32) -> i32 {\\n    n * 3\\n}\\n"}',
    "```rust\nfn broken(\n```",
]
OUTCOMES = ["passed", "refused", "tests_failed", "passed", "compile_failed"]


async def _graded() -> dict[str, Any]:
    """Return what one grader makes of everything that these tests look at."""
    async with forgetest.Grader(parallelism=2, verdict_cache=False) as grader:
        right = await grader.grade(EVEN, f"```rust\n{RIGHT['is_even']}\n```")
        code = await grader.grade(TRIPLE, code=WRONG)
        pairs = [(TRIPLE, reply) for reply in REPLIES]
        in_order = [result async for result in grader.grade_many(pairs)]
        read: list[int] = []

        async def endless() -> AsyncIterator[tuple[Any, str]]:
            index = 0
            while True:
                read.append(index)
                yield TRIPLE, REPLIES[index % len(REPLIES)]
                index += 1

        some = []
        async for result in grader.grade_many(endless(), ordered=False):
            some.append(result)
            if len(some) == 8:
                break
        crate = TRIPLE.model_copy(
            update={"dependencies": (Dependency(name="no-such-crate-of-anybody", version="1"),)}
        )
        missing = await grader.grade(crate, code=RIGHT["triple"])
        parallelism = grader.parallelism
    return {
        "right": right,
        "code": code,
        "in_order": in_order,
        "some": some,
        "read": read,
        "missing": missing,
        "parallelism": parallelism,
        "closed": grader,
    }


@pytest.fixture(scope="module")
def graded() -> dict[str, Any]:
    return asyncio.run(_graded())


def test_a_result_says_what_became_of_an_answer(graded: dict[str, Any]) -> None:
    right = graded["right"]

    assert (right.passed, right.score, right.outcome) == (True, 1.0, "passed")
    assert right.code.strip() == RIGHT["is_even"]
    assert [test.outcome for test in right.tests] == ["passed", "passed"]
    assert (right.errors, right.lints, right.fault) == ((), (), None)
    assert right.timings["total"] > 0
    assert right.reward() == 1.0
    assert repr(right) == "<Result tiny/is-even: passed, score 1.000>"


def test_code_is_graded_as_it_is(graded: dict[str, Any]) -> None:
    code = graded["code"]

    assert code.outcome == "tests_failed"
    assert code.score == 0.5
    assert code.reward(weights=(0.2, 0.8, 0.0)) == 0.2
    assert code.completion is None


def test_a_result_reads_as_a_sample_of_a_report(graded: dict[str, Any]) -> None:
    sample = json.loads(json.dumps(graded["in_order"][2].to_dict()))

    assert sample["case"] == "tiny/triple"
    assert sample["index"] == 2
    assert sample["outcome"] == "tests_failed"
    assert sample["verdict"]["tests"][0]["outcome"] == "failed"
    assert sample["completion"]["text"] == REPLIES[2]


def test_a_batch_comes_in_order(graded: dict[str, Any]) -> None:
    assert [result.outcome for result in graded["in_order"]] == OUTCOMES
    assert [result.index for result in graded["in_order"]] == [0, 1, 2, 3, 4]


def test_an_endless_batch_comes_as_it_is_done_and_is_not_read_ahead(graded: dict[str, Any]) -> None:
    assert len(graded["some"]) == 8
    for result in graded["some"]:
        assert result.outcome == OUTCOMES[result.index % len(REPLIES)]
    assert len(graded["read"]) <= 8 + 2 * graded["parallelism"]


def test_a_crate_that_cannot_be_had_is_a_fault_and_no_reward(graded: dict[str, Any]) -> None:
    missing = graded["missing"]

    assert missing.fault.kind is FaultKind.TOOLCHAIN
    assert "no-such-crate-of-anybody" in missing.fault.message
    assert (missing.passed, missing.score, missing.outcome) == (None, None, None)
    assert missing.reward() is None
    assert missing.reward(unscored=0.3) == 0.3
    assert missing.to_dict()["fault_kind"] == "toolchain"
    assert "unscored" in repr(missing)


def test_code_that_cheats_has_a_reward_of_its_own() -> None:
    verdict = Verdict(
        outcome=Outcome.TAMPERED,
        passed=False,
        compiled=True,
        integrity=Integrity(level=Level.CHEATED, reason="it forged a line"),
    )
    result = forgetest.Result(TRIPLE, 0, None, None, verdict)

    assert result.reward(cheated=-1.0) == -1.0
    assert result.reward() == 0.0


def test_a_grader_is_used_where_it_was_opened(graded: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="this Grader is not open"):
        asyncio.run(graded["closed"].grade(TRIPLE, code=WRONG))
    with pytest.raises(TypeError, match="a reply or code"):
        asyncio.run(graded["closed"].grade(TRIPLE))


def test_other_loops_and_processes_are_refused_in_one_sentence() -> None:
    def told(grader: forgetest.Grader) -> str:
        try:
            asyncio.run(grader.grade(TRIPLE, code=WRONG))
        except ConfigError as error:
            return str(error)
        return "graded"

    async def opened() -> tuple[str, str]:
        async with forgetest.Grader() as grader:
            other_loop = await asyncio.to_thread(told, grader)
            here, there = multiprocessing.Pipe()
            child = os.fork()
            if child == 0:
                asyncio._set_running_loop(None)  # noqa: SLF001 - a forked trainer starts its own
                there.send(told(grader))
                os._exit(0)
            forked = await asyncio.to_thread(here.recv)
            await asyncio.to_thread(os.waitpid, child, 0)
            return other_loop, forked

    other_loop, forked = asyncio.run(opened())

    assert other_loop == "this Grader belongs to another event loop: open one in each loop"
    assert forked == "this Grader was opened before a fork: open one in each process"


def test_without_asyncio_it_works_inside_a_running_loop() -> None:
    async def notebook() -> list[forgetest.Result]:
        return forgetest.grade_many([(TRIPLE, reply) for reply in REPLIES])

    results = asyncio.run(notebook())

    assert [result.outcome for result in results] == OUTCOMES


SCRIPT = """
import sys, forgetest
cases = forgetest.load(sys.argv[1])
code = "pub fn triple(n: i32) -> i32 { println!(\\"{n}\\"); loop {} }"
print("begun", flush=True)
forgetest.grade_many([(cases["triple"], f"```rust\\n// {n}\\n{code}\\n```") for n in range(50)])
"""


def test_ctrl_c_leaves_nothing_behind(tmp_path: Path) -> None:
    code, err = interrupted(SCRIPT, tmp_path)

    assert code != 0
    assert "KeyboardInterrupt" in err


SEVERAL = """
import multiprocessing, sys, threading
import forgetest
cases = forgetest.load(sys.argv[1])
pairs = [(cases["triple"], "```rust\\n%s\\n```" % sys.argv[2]), (cases["triple"], "no idea")]

def graded():
    return [result.outcome for result in forgetest.grade_many(pairs, parallelism=1)]

def kept(place):
    found[place] = graded()

found = {}
kept("here")
with multiprocessing.get_context("fork").Pool(1) as pool:
    found["forked"] = pool.apply(graded)
threads = [threading.Thread(target=kept, args=(name,)) for name in ("one", "other")]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for name, outcomes in found.items():
    print(name, *outcomes)
"""


def test_threads_forked_workers_and_several_graders_do_not_mind_each_other(tmp_path: Path) -> None:
    (tmp_path / "tiny.toml").write_text(SET, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", SEVERAL, str(tmp_path / "tiny.toml"), RIGHT["triple"]],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )

    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == [
        f"{name} passed no_code" for name in ("forked", "here", "one", "other")
    ]


def test_a_cancelled_batch_leaves_nothing_and_the_grader_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    endless = 'pub fn triple(n: i32) -> i32 { println!("{n}"); loop {} }'

    async def cancelled() -> tuple[list[str], bool | None]:
        async with forgetest.Grader(parallelism=2, verdict_cache=False) as grader:

            async def batch() -> None:
                replies = (f"```rust\n// {n}\n{endless}\n```" for n in range(50))
                async for _ in grader.grade_many((TRIPLE, reply) for reply in replies):
                    pass

            under_way = asyncio.create_task(batch())
            await asyncio.to_thread(wait_for_work, tmp_path)
            under_way.cancel()
            await asyncio.wait([under_way])
            assert under_way.cancelled()
            left = await asyncio.to_thread(os.listdir, tmp_path)
            right = await grader.grade(TRIPLE, code=RIGHT["triple"])
            return left, right.passed

    left, passed = asyncio.run(cancelled())

    assert left == []
    assert passed
    assert not list(processes_in(tmp_path))
