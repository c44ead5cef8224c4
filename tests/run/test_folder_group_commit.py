"""Lines of the journal that wait for one sync together are on the disk when they return."""

import asyncio
import errno
import os
from pathlib import Path
from typing import Any

import pytest
from journals import events_in

from forgetest.errors import RunDirError
from forgetest.run.events import Completed
from forgetest.run.folder import RunDir
from forgetest.sampling.completion import Completion
from forgetest.sampling.plan import Plan, Sampling

MANIFEST: Any = None  # nothing of it is read
PLAN = Plan(models=(), samples_per_case=1, pass_k=(1,), sampling=Sampling(), eval_sets=())


def events(count: int) -> list[Completed]:
    return [
        Completed(sample=f"m|s/c|{i}", at="now", completion=Completion(text="x" * (i % 7)))
        for i in range(count)
    ]


def opened(path: Path) -> tuple[RunDir, int]:
    journal = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
    return RunDir(path.parent, MANIFEST, PLAN, descriptor=journal), journal


def test_every_line_returns_after_a_sync_that_began_after_it_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journal.jsonl"
    rundir, journal = opened(path)
    synced, syncs, really = [0], [0], os.fsync

    def fsync(descriptor: int) -> None:
        size = path.stat().st_size
        really(descriptor)
        synced[0], syncs[0] = max(synced[0], size), syncs[0] + 1

    async def append(event: Completed, pause: int) -> None:
        for _ in range(pause):
            await asyncio.sleep(0)
        begun = asyncio.create_task(rundir.append_together(event))
        await asyncio.sleep(0)
        written = path.stat().st_size
        await begun
        assert synced[0] >= written

    async def all_together() -> None:
        await asyncio.gather(*(append(event, i % 40) for i, event in enumerate(events(400))))

    monkeypatch.setattr(os, "fsync", fsync)
    asyncio.run(all_together())
    os.close(journal)

    written = events_in(path.read_bytes())
    assert written == list(rundir.read())
    assert {event.sample for event in written} == {event.sample for event in events(400)}
    assert 1 <= syncs[0] <= 100


def test_one_line_alone_is_synced_too(tmp_path: Path) -> None:
    rundir, journal = opened(tmp_path / "journal.jsonl")

    async def one_by_one() -> None:
        for event in events(3):
            await rundir.append_together(event)

    asyncio.run(one_by_one())
    os.close(journal)

    assert len(events_in((tmp_path / "journal.jsonl").read_bytes())) == 3


@pytest.mark.parametrize("code", [errno.EIO, errno.ENOSPC])
def test_a_sync_that_fails_is_told_to_all_who_wait_for_it(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rundir, journal = opened(tmp_path / "journal.jsonl")

    def fsync(descriptor: int) -> None:
        raise OSError(code, os.strerror(code))

    async def together() -> list[BaseException | None]:
        waiting = (rundir.append_together(event) for event in events(5))
        return await asyncio.gather(*waiting, return_exceptions=True)

    monkeypatch.setattr(os, "fsync", fsync)
    outcomes = asyncio.run(together())
    os.close(journal)

    assert all(isinstance(outcome, RunDirError) for outcome in outcomes)
    assert os.strerror(code) in str(outcomes[0])


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    journal = os.open("/dev/full", os.O_WRONLY)
    rundir = RunDir(tmp_path, MANIFEST, PLAN, descriptor=journal)

    with pytest.raises(RunDirError, match="No space left on device"):
        asyncio.run(rundir.append_together(events(1)[0]))
    os.close(journal)


def test_who_is_cancelled_while_waiting_disturbs_nobody(tmp_path: Path) -> None:
    rundir, journal = opened(tmp_path / "journal.jsonl")

    async def one_cancelled() -> None:
        tasks = [asyncio.create_task(rundir.append_together(event)) for event in events(5)]
        await asyncio.sleep(0)
        tasks[0].cancel()
        await asyncio.wait(tasks)
        assert [task.cancelled() for task in tasks] == [True, False, False, False, False]

    asyncio.run(one_cancelled())
    os.close(journal)

    assert len(list(rundir.read())) == 5
