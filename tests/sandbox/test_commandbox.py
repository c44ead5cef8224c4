"""The box of a command: what it sees, what it may write, and that nothing of it survives."""

import shutil
import subprocess
from pathlib import Path

import pytest

from forgetest.sandbox.commandbox import boxed

pytestmark = pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")


def test_a_boxed_command_sees_what_it_is_given_and_writes_where_it_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, crate, given, eval_sets = (tmp_path / name for name in ("home", "crate", "given", "sets"))
    for folder in (home, crate, given, eval_sets):
        folder.mkdir()
        (folder / "file").write_text(folder.name)
    monkeypatch.setenv("HOME", str(home))
    script = (
        f"cat {given}/file file; cat {home}/file {eval_sets}/file; touch new; touch {given}/new;"
        " (setsid sleep 60 &)"
    )
    argv = boxed(
        ["sh", "-c", script],
        crate,
        reads=(given, tmp_path / "missing"),
        writes=(crate,),
        hidden=(eval_sets,),
    )

    ran = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=20)

    assert ran.stdout == "givencrate", ran.stderr
    assert ran.stderr.count("No such file") == 2
    assert "Read-only" in ran.stderr
    assert (crate / "new").exists()
    assert not (given / "new").exists()


def test_a_hidden_folder_is_empty_inside_one_that_is_read(tmp_path: Path) -> None:
    inner = tmp_path / "given" / "sets"
    inner.mkdir(parents=True)
    (inner / "tests.toml").touch()
    argv = boxed(
        ["ls", str(inner)], Path("/"), reads=(tmp_path / "given",), writes=(), hidden=(inner,)
    )

    ran = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=20)

    assert (ran.returncode, ran.stdout) == (0, ""), ran.stderr
