"""The code of docs/python.md and docs/notebook.md runs as it is, by what users install."""

import re
from pathlib import Path

import pytest
from installed import Installed, installed_once
from program import ROOT, program_in

pytestmark = [pytest.mark.cargo, pytest.mark.wheel]

_BLOCK = re.compile(r"^```(python|text)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def blocks(page: str, kind: str) -> list[str]:
    text = (ROOT / "docs" / page).read_text("utf-8")
    return [code for name, code in _BLOCK.findall(text) if name == kind]


# Each block in a namespace of its own, and a line between what they print.
EACH = """
import sys
for code in sys.stdin.read().split("\\f"):
    exec(compile(code, "page", "exec"), {"__name__": "__main__"})
    print("--", flush=True)
"""
# Cells of one notebook, each followed by a line.
CELLS = """
import sys
names = {"__name__": "__main__"}
for code in sys.stdin.read().split("\\f"):
    exec(compile(code, "cell", "exec"), names)
    print("--", flush=True)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return installed_once(tmp_path_factory)


@pytest.fixture
def home(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> dict[str, str]:
    environ = program_in(tmp_path, tmp_path_factory.mktemp("cache"), pytestconfig).environ
    return dict(environ)


def test_the_code_of_the_page_runs(
    installed: Installed, tmp_path: Path, home: dict[str, str]
) -> None:
    # The client of the server is tested with one, in tests/api/test_server.py.
    codes = [code for code in blocks("python.md", "python") if "Bearer" not in code]
    done = installed.python(EACH, cwd=tmp_path, stdin="\f".join(codes), **home)

    assert done.code == 0, done.err
    printed = done.out.split("--\n")
    assert len(codes) == 4
    assert printed[0].splitlines() == ["0 starter/add passed", "1 starter/double refused"]
    assert printed[3].splitlines()[-1] == "8 of 8"


def test_the_cells_of_the_notebook_print_what_stands_below_them(
    installed: Installed, tmp_path: Path, home: dict[str, str]
) -> None:
    cells, outputs = (blocks("notebook.md", kind) for kind in ("python", "text"))
    done = installed.python(CELLS, cwd=tmp_path, stdin="\f".join(cells), **home)

    assert done.code == 0, done.err
    assert done.out.split("--\n")[:-1] == outputs
    assert not done.err, "a library prints nothing of its own"
    assert [path.name for path in tmp_path.iterdir()] == ["runs"]
