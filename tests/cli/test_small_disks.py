"""A cache or a temporary folder on a disk that is too small: one line, and nothing is left."""

import json
import shutil
from pathlib import Path

import pytest
from disks import mounted
from program import Program
from tiny import RIGHT, SET

pytestmark = pytest.mark.cargo
RUN = ("run", "--quiet", "--eval-set", "tiny.toml", "--models", "replay/replies.jsonl")


@pytest.fixture
def small_disk(tmp_path: Path) -> Path:
    """Return the place where a small disk is to be mounted."""
    (tmp_path / "small").mkdir()
    return tmp_path / "small"


@pytest.fixture
def here(forgetest: Program) -> Program:
    """Return the program beside an eval set and recorded answers to it."""
    (forgetest.folder / "tiny.toml").write_text(SET, encoding="utf-8")
    replies = [
        {"case_id": name.replace("_", "-"), "completion": f"```rust\n{code}\n```"}
        for name, code in RIGHT.items()
    ]
    text = "".join(json.dumps(reply) + "\n" for reply in replies)
    (forgetest.folder / "replies.jsonl").write_text(text, encoding="utf-8")
    return forgetest


@pytest.mark.parametrize("command", [RUN, ("doctor", "--quiet")])
def test_a_cache_that_holds_no_launcher_is_told_in_one_line(
    here: Program, small_disk: Path, command: tuple[str, ...]
) -> None:
    with mounted(small_disk, "size=64k,mode=0777") as disk:
        done = here(*command, XDG_CACHE_HOME=str(disk))
        left = {path.name.rpartition(".")[2] for path in disk.rglob("*") if path.is_file()}

    assert (done.code, done.err.count("\n")) == (2, 1), done.err
    assert "No space left on device" in done.err
    assert left <= {"lock", "used"}  # no half-built launcher
    assert not (here.folder / "runs").exists()


def test_a_run_whose_temporary_folder_is_full_is_told_in_one_line(
    here: Program, small_disk: Path, tmp_path: Path
) -> None:
    with mounted(small_disk, "size=64k,mode=0777") as disk:
        fresh = here(*RUN, TMPDIR=str(disk), XDG_CACHE_HOME=str(tmp_path / "cache"))
        built = here(*RUN, TMPDIR=str(disk))
        left = list(disk.iterdir())

    assert (fresh.code, built.code) == (2, 2), fresh.err + built.err
    assert fresh.err.count("\n") == built.err.count("\n") == 1
    assert str(small_disk) in fresh.err
    assert "No space left on device" in fresh.err
    assert "No space left on device" in built.err
    assert left == []
    assert not (here.folder / "runs").exists()


def test_a_cache_that_is_full_costs_no_run(here: Program, small_disk: Path) -> None:
    plain = here(*RUN)
    with mounted(small_disk, "size=4m,mode=0777") as disk:
        first = here(*RUN, XDG_CACHE_HOME=str(disk))
        (disk / "filler").write_bytes(bytes(shutil.disk_usage(disk).free))
        full = here(*RUN, XDG_CACHE_HOME=str(disk))

    assert plain.code == first.code == full.code == 0, first.err + full.err
    assert passed(plain.out) == passed(first.out) == passed(full.out)


def passed(out: str) -> list[str]:
    """Return the lines of a report that say how each case ended."""
    lines = [line.strip() for line in out.splitlines() if line.startswith(("is-even", "triple"))]
    assert len(lines) == 2, out
    return lines
