"""An importer is one file and one row in `importers/catalogue.py`; all else follows from them.

The package is copied, an importer is added as CONTRIBUTING.md says, and the command line of the
copy uses it.
"""

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from program import ROOT

IMPORTER = '''
"""Quizzes: JSON Lines of questions with tests."""

from pathlib import Path

from forgetest.evalset.types import Case, Expectations, Provenance
from forgetest.importers.problems import checked_tests, holdable, imported
from forgetest.importers.reading import SourceItem, make_each, read_source
from forgetest.importers.types import Imported, ImportOptions, case_id, set_id


def read_quiz(path: Path, options: ImportOptions) -> Imported:
    """Return the questions of a file as cases."""

    def make(item: SourceItem) -> Case:
        item.demand_rust()
        name = item.text("name")
        tests = Expectations(test_file=checked_tests(item.text("tests")))
        case = Case(id=case_id(name), eval_set=id_, name=name, prompt=item.text("question"),
                    expectations=tests)
        return holdable(case)

    id_ = set_id(path, options)
    reading = read_source(path)
    cases, left_out = make_each(reading.items, make, lambda case: case.id)
    left_out = [*reading.left_out, *left_out]
    return imported(cases, path, options, source=Provenance(name="Quizzes"), left_out=left_out)
'''
ROW = '    Importer("quiz", "quizzes, .jsonl: questions with tests", read_quiz),\n'
TESTS = "#[test]\nfn two() {\n    assert_eq!(super::two(), 2);\n}\n"


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "forgetest", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a copy of the package that has the importer."""
    folder = tmp_path_factory.mktemp("extended")
    shutil.copytree(ROOT / "forgetest", folder / "forgetest")
    importers = folder / "forgetest" / "importers"
    (importers / "quiz.py").write_text(IMPORTER.lstrip(), encoding="utf-8")
    catalogue = importers / "catalogue.py"
    text = catalogue.read_text(encoding="utf-8")
    line = "from forgetest.importers.recorded import"
    assert line in text
    text = text.replace(line, f"from forgetest.importers.quiz import read_quiz\n{line}")
    text = text.replace("IMPORTERS = (\n", f"IMPORTERS = (\n{ROW}")
    catalogue.write_text(text, encoding="utf-8")
    return folder


def test_a_new_importer_is_listed_and_suggested(extended: Path) -> None:
    listed = run(extended, "import")
    suggested = run(extended, "import", "quizz", "quiz.jsonl")

    assert "quizzes, .jsonl: questions with tests" in listed.stdout
    assert 'did you mean "quiz"?' in suggested.stderr


def test_a_new_importer_writes_an_eval_set_and_names_what_it_left_out(extended: Path) -> None:
    rows = [
        {"name": "two", "question": "Write `pub fn two() -> i32`.", "tests": TESTS},
        {"name": "three", "question": "Write `pub fn three() -> i32`."},
        {"name": "two", "question": "Write it again.", "tests": TESTS},
    ]
    (extended / "mine.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")

    done = run(extended, "import", "quiz", "mine.jsonl", "--no-validate")

    assert done.returncode == 0, done.stderr
    document = tomllib.loads((extended / "mine.toml").read_text(encoding="utf-8"))
    assert [case["id"] for case in document["cases"]] == ["two"]
    assert document["eval_set"]["source"] == {"name": "Quizzes"}
    assert '"tests" is missing' in done.stderr
    assert '"two" is already in mine.jsonl:1' in done.stderr
