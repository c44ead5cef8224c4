"""The code of docs/python.md runs as it stands."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from program import ROOT

PAGE = (ROOT / "docs/python.md").read_text("utf-8")
BLOCKS = [
    block
    for block in re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    if "Bearer" not in block  # needs a server: tests/api/test_server.py has one
]


@pytest.mark.cargo
@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_the_code_of_the_page_runs(number: int, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", BLOCKS[number]],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    if number == 0:
        assert done.stdout.splitlines() == ["0 starter/add passed", "1 starter/double refused"]


def test_the_page_has_code() -> None:
    assert len(BLOCKS) == 3
