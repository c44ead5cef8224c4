"""Workspaces, opened and left."""

import asyncio
import time
from pathlib import Path

import pytest
from graders import ADD, ADD_TESTS, make_case, make_grader

from forgetest.evalset.types import ContextFile

pytestmark = pytest.mark.cargo
FILES = tuple(ContextFile(path=f"src/data/{n}.txt", content="x") for n in range(400))


def test_a_sample_that_is_cancelled_while_its_files_are_written_leaves_none(
    tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    grader = make_grader(pytestconfig, temp=tmp_path)
    case = make_case("add", ADD_TESTS, ADD, context=FILES)

    def first_written() -> int:
        while not (written := list(tmp_path.rglob("*.txt"))):
            time.sleep(0.001)
        return len(written)

    async def cancelled() -> int:
        grading = asyncio.create_task(grader.grade(case, ADD))
        written = await asyncio.to_thread(first_written)
        grading.cancel()
        await asyncio.wait([grading])
        return written

    written = asyncio.run(cancelled())  # it ends when its threads have ended

    assert written
    assert list(tmp_path.iterdir()) == []
