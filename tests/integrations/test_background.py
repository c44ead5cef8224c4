"""One grader for threads, loops and forked processes that know nothing of one another."""

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from interrupting import interrupted
from tiny import RIGHT, SET

import forgetest
from forgetest.errors import ConfigError, ToolchainError
from forgetest.integrations.background import BackgroundGrader, case_of, messages

pytestmark = pytest.mark.cargo

CASES = forgetest.load(SET)
EVEN, TRIPLE = CASES["is-even"], CASES["triple"]
PAIRS = [
    (TRIPLE, f"```rust\n{RIGHT['triple']}\n```"),
    (EVEN, "no idea"),
    (EVEN, f"```rust\n{RIGHT['is_even']}\n```"),
]
OUTCOMES = ["passed", "no_code", "passed"]


@pytest.fixture(scope="module")
def grader() -> Iterator[BackgroundGrader]:
    background = BackgroundGrader(parallelism=2)
    yield background
    background.close()


def outcomes(grader: BackgroundGrader) -> list[str | None]:
    return [result.outcome for result in grader.grade_many(PAIRS)]


def threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "forgetest-grading"}


def test_threads_and_loops_share_one_grader(grader: BackgroundGrader) -> None:
    async def in_a_loop() -> list[str | None]:
        one = await grader.grade(*PAIRS[0])
        return [one.outcome, *(result.outcome for result in await grader.grade_all(PAIRS[1:]))]

    before = threads()
    with ThreadPoolExecutor(3) as pool:
        at_once = [pool.submit(outcomes, grader) for _ in range(2)]
        at_once.append(pool.submit(asyncio.run, in_a_loop()))
        given = [future.result() for future in at_once]

    assert given == [OUTCOMES] * 3
    assert len(threads() - before) <= 1


def test_a_forked_process_opens_a_grader_of_its_own(grader: BackgroundGrader) -> None:
    assert outcomes(grader) == OUTCOMES
    here, there = multiprocessing.Pipe()

    child = os.fork()
    if child == 0:
        there.send(outcomes(grader))
        grader.close()
        os._exit(0)

    answered = here.poll(60)
    if not answered:
        os.kill(child, signal.SIGKILL)
    assert os.waitpid(child, 0)[1] == 0
    assert here.recv() == OUTCOMES
    assert outcomes(grader) == OUTCOMES


def test_what_cannot_be_opened_is_said_to_everyone_and_tried_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    grader = BackgroundGrader(parallelism=1)
    with monkeypatch.context() as bare:
        bare.setenv("PATH", str(tmp_path))
        for _ in range(2):
            with pytest.raises(ToolchainError, match="rustc is not on PATH"):
                grader.grade_many(PAIRS)

    assert outcomes(grader) == OUTCOMES
    grader.close()
    assert grader.submit(*PAIRS[0]).result().passed  # open again
    grader.close()


def test_a_row_of_another_set_is_refused_by_name() -> None:
    with pytest.raises(ConfigError, match=r'"other/add" is no case of <Cases of tiny \(2\)>'):
        case_of(CASES, "other/add")


def test_the_model_is_told_what_a_run_tells_it() -> None:
    system, user = messages(TRIPLE)

    assert (system["role"], user["role"]) == ("system", "user")
    assert "expert Rust engineer" in system["content"]
    assert user["content"].startswith(TRIPLE.prompt)


SCRIPT = """
import sys, forgetest
reward = forgetest.trl.reward(sys.argv[1], parallelism=2)
code = "pub fn triple(n: i32) -> i32 { println!(\\"{n}\\"); loop {} }"
print("begun", flush=True)
replies = [f"```rust\\n// {n}\\n{code}\\n```" for n in range(50)]
reward(prompts=None, completions=replies, case=["tiny/triple"] * 50)
"""


def test_ctrl_c_in_a_reward_leaves_nothing_behind(tmp_path: Path) -> None:
    code, err = interrupted(SCRIPT, tmp_path)

    assert code == -signal.SIGINT
    assert err.splitlines()[-1] == "KeyboardInterrupt"
