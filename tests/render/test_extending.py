"""What CONTRIBUTING.md says of a new column and a new format, done to a copy of the package."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from program import ROOT

from forgetest.render.formats.catalogue import FORMAT_NAMES

PRINT_ALL_FORMS = """
from formatted import made, two_models
for name in ("text", "markdown", "html", "csv"):
    print(f"=== {name}")
    for content in made(name, two_models()).values():
        print(content)
"""
FORMAT = '''"""A line for each model."""

from collections.abc import Sequence

from forgetest.render.formats.standing import Files
from forgetest.render.run import ShownRun

LINES = "lines.txt"


def lines_files(runs: Sequence[ShownRun]) -> Files:
    """Return lines.txt."""
    return {LINES: "".join(f"{model.model}\\n" for run in runs for model in run.report.models)}
'''


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Return a copy of the package that may be changed."""
    ignored = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(ROOT / "forgetest", tmp_path / "forgetest", ignore=ignored))


def python(package: Path, script: str) -> str:
    """Return what a script prints that imports this copy of the package."""
    path = os.pathsep.join([str(package.parent), str(ROOT / "tests" / "support")])
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=package.parent,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def insert(file: Path, before: str, text: str) -> None:
    """Write a text in front of the only place that has `before`."""
    source = file.read_text(encoding="utf-8")
    assert source.count(before) == 1
    file.write_text(source.replace(before, text + before), encoding="utf-8")


def forms(printed: str) -> dict[str, str]:
    """Return what was printed of each form."""
    parts = [part.partition("\n") for part in printed.split("=== ")]
    return {name: text for name, _, text in parts if name in FORMAT_NAMES}


def test_a_column_of_cases_is_added_in_one_file_and_stands_in_all_four_forms(
    package: Path,
) -> None:
    insert(
        package / "render" / "case_table.py",
        '        CaseColumn(title="passed"',
        '        CaseColumn(title="sixfold", views=View.EVERYWHERE, '
        "cell=lambda case: number_cell(6 * case.c)),\n",
    )

    shown = forms(python(package, PRINT_ALL_FORMS))

    assert "#1 sixfold" in shown["text"]
    assert "| p/good sixfold |" in shown["markdown"]
    assert "<wbr>good sixfold</th>" in shown["html"]
    assert ",c,sixfold,unscored," in shown["csv"]
    assert [line.split()[1] for line in shown["text"].splitlines() if "alpha" in line] == ["12"]
    assert "| set/alpha | 12 |" in shown["markdown"]
    assert '<td data-sort="12" class="number">' in shown["html"]
    assert "2,2,2,12,0," in shown["csv"]


def test_a_column_of_models_is_added_in_one_file_and_stands_in_every_leaderboard(
    package: Path,
) -> None:
    insert(
        package / "render" / "leaderboard.py",
        '        column(\n            title="compile",',
        '        column(title="solved", explains="Samples that pass", '
        "cell=lambda row: number_cell(row.model.overall.samples_passed)),\n",
    )

    shown = forms(python(package, PRINT_ALL_FORMS))

    assert "score  solved  compile" in shown["text"]
    assert "| score | solved | compile |" in shown["markdown"]
    assert "| 0.958 | 5 | 100.0 % |" in shown["markdown"]
    assert 'title="Samples that pass" data-first="descending">solved</th>' in shown["html"]
    assert '<td data-sort="5">5' in " ".join(shown["html"].split())


def test_a_format_is_one_file_and_one_row_of_the_catalogue(package: Path) -> None:
    (package / "render" / "formats" / "lines.py").write_text(FORMAT, encoding="utf-8")
    catalogue = package / "render" / "formats" / "catalogue.py"
    insert(
        catalogue, '    "junit":', '    "lines": Format(_all_runs("lines.lines_files"), ("l",)),\n'
    )

    listed = python(package, "from forgetest.cli.commands import app; app(['report', '--help'])")
    made = python(
        package, "from formatted import made, two_models; print(made('lines', two_models()))"
    )

    assert "lines" in " ".join(listed.split())
    assert made == "{'lines.txt': 'p/good\\np/bad\\n'}\n"
