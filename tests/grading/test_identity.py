"""The key of the verdict cache changes with every module that a verdict depends on."""

import ast
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from program import ROOT

from forgetest.check.deep import SOURCES
from forgetest.grading.identity import closure, grader_version

PACKAGE = ROOT / "forgetest"
GRADER = ("grading", "sandbox")
# Everything that a grading loads, said by Python itself while one is imported.
LOADED = """
import sys
import forgetest.grading.grader, forgetest.grading.graders, forgetest.sandbox.choose
print(*(name for name in sys.modules if name.split(".")[0] == "forgetest"))
"""


def as_python_reads(sources: tuple[str, ...]) -> set[str]:
    """Return the closure of the imports by Python's own parser, wherever an import stands."""
    found: set[Path] = set()
    waiting = [path for name in sources for path in in_place(PACKAGE / name)]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += modules_of(ast.parse(path.read_text(encoding="utf-8")))
    return {path.relative_to(PACKAGE).as_posix() for path in found}


def in_place(place: Path) -> list[Path]:
    return sorted(place.rglob("*.py")) if place.is_dir() else [place]


def modules_of(tree: ast.Module) -> Iterator[Path]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (file for alias in node.names for file in files_of(alias.name))
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports are not understood"
            yield from files_of(node.module or "")
            for alias in node.names:
                yield from files_of(f"{node.module}.{alias.name}")


def files_of(module: str) -> Iterator[Path]:
    parts = module.split(".")
    if parts[0] != "forgetest":
        return
    for depth in range(1, len(parts) + 1):
        place = ROOT.joinpath(*parts[:depth])
        for file in (place.with_suffix(".py"), place / "__init__.py"):
            if file.is_file() and (depth == len(parts) or file.name == "__init__.py"):
                yield file


@pytest.mark.parametrize("sources", [GRADER, SOURCES], ids=["grader", "checks"])
def test_the_closure_is_the_one_that_python_would_import(sources: tuple[str, ...]) -> None:
    found = {name for name in closure(PACKAGE, sources) if name.endswith(".py")}

    # The root of the package is imported by everything, and holds the version alone.
    assert as_python_reads(sources) - {"__init__.py"} == found - {"__init__.py"}


def test_whatever_a_grading_loads_is_in_the_key() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", LOADED], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = {file for name in ran.stdout.split() for file in files_of(name)}

    names = {file.relative_to(PACKAGE).as_posix() for file in loaded} - {"__init__.py"}
    assert {"grading/grader.py", "rust/scan.py", "sandbox/choose.py", "system/process.py"} <= names
    assert len(names) > 50
    assert names <= closure(PACKAGE, GRADER).keys()


def test_what_is_compiled_into_every_grading_is_in_the_key() -> None:
    found = closure(PACKAGE, GRADER)

    assert {"grading/harness.rs", "sandbox/canary.rs", "sandbox/guard/main.rs"} <= found.keys()
    assert "extract/wants.py" in found
    assert not any(name.startswith(("cli/", "render/", "report/")) for name in found)


def test_a_change_of_any_of_them_makes_another_grader(tmp_path: Path) -> None:
    package = tmp_path / "forgetest"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    version = grader_version.__wrapped__
    seen = {version(package)}
    names = sorted(closure(package, GRADER))

    changed = Random(1).sample(names, 30)  # noqa: S311 - no secret
    for name in changed:
        (package / name).write_bytes((package / name).read_bytes() + b"\n")
        seen.add(version(package))

    assert len(seen) == len(changed) + 1


def test_a_change_of_what_no_verdict_depends_on_keeps_the_verdicts(tmp_path: Path) -> None:
    package = tmp_path / "forgetest"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    version = grader_version.__wrapped__
    before = version(package)

    for name in ("cli/main.py", "render/tables.py", "metrics/scoring.py", "report/build.py"):
        (package / name).write_bytes((package / name).read_bytes() + b"\n")

    assert version(package) == before == grader_version()


def test_a_module_that_is_imported_late_or_over_several_lines_counts(tmp_path: Path) -> None:
    texts = {
        "grading/rules.py": "def f():\n    from forgetest.late.one import (\n    g,\n    h,\n)\n",
        "late/one.py": "from forgetest.late import two\n",
        "late/two.py": "if 1:\n    from forgetest.other import *\n",
        "other/__init__.py": "",
        "late/__init__.py": "",
        "late/three.py": "",
        "sandbox/none.py": "# from nowhere\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)

    assert closure(tmp_path, GRADER).keys() == texts.keys() - {"late/three.py"}


def test_the_key_costs_a_start_next_to_nothing() -> None:
    started = time.process_time()
    grader_version.__wrapped__()
    assert time.process_time() - started < 0.25
