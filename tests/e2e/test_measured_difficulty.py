"""The recorded answers of a strong model, and the tables that tell how many pass."""

import json
import re
from collections import Counter
from collections.abc import Sequence

import pytest
from measured_table import ANSWERS, answered, counted, passing, recorded, table
from program import Program
from strength_table import PAGE

from forgetest.evalset.load import load
from forgetest.report.files import load_report
from forgetest.report.types import CaseReport

FRONTIER = ("rust-frontier", "rust-frontier-crates")
# Of the older sets, those with a failure.
OLDER = ("rust-errors/", "rust-unsafe/")
# Every answer costs half a second of two cores: a tenth of the cases stands for the others.
STEP = 10


def rows_of_cases() -> dict[str, str]:
    """Return what the page tells of each case with answers: `passed of answers`."""
    return dict(re.findall(r"(?m)^\| `(\S+)` \|.* \| (\d+ of \d+) \|$", PAGE.read_text("utf-8")))


def graded(forgetest: Program, lines: Sequence[str]) -> list[CaseReport]:
    """Grade recorded answers, and return the cases that they answer."""
    (forgetest.folder / "answers.jsonl").write_text("".join(lines), encoding="utf-8")
    done = forgetest("grade", "answers.jsonl", "-e", ANSWERS.parents[2] / "eval-sets", "--quiet")
    assert done.code == 0, done.err
    (model,) = load_report(forgetest.run_folder()).models
    return list(model.cases)


def test_the_table_counts_every_answer_of_a_shipped_case() -> None:
    shipped = {
        (item.id, case.id)
        for item in load([ANSWERS.parents[2] / "eval-sets"])
        for case in item.cases
    }
    assert set(answered()) <= shipped
    assert counted(PAGE.read_text(encoding="utf-8")) == Counter(name for name, _ in answered())


def test_the_rows_of_the_cases_add_up_to_those_of_their_sets() -> None:
    rows = rows_of_cases()
    answers = Counter(answered())
    for eval_set in FRONTIER:
        told = {case: rows[case] for name, case in answers if name == eval_set}
        assert {case: int(row.split()[2]) for case, row in told.items()} == {
            case: count for (name, case), count in answers.items() if name == eval_set
        }
        passed = sum(int(row.split()[0]) for row in told.values())
        assert passing(PAGE.read_text(encoding="utf-8"))[eval_set] == passed


@pytest.mark.cargo
def test_answers_of_the_frontier_pass_and_fail_as_its_rows_say(remembering: Program) -> None:
    frontier = sorted({(name, case) for name, case in answered() if name in FRONTIER})
    chosen = {f"{name}/{case}" for name, case in frontier[::STEP]}
    lines = [line for line in recorded() if json.loads(line)["case_id"] in chosen]

    cases = graded(remembering, lines)

    found = {case.case: f"{case.c} of {case.n}" for case in cases}
    assert len(found) == len(chosen)
    assert found.items() <= rows_of_cases().items(), "renew it: make cases"


@pytest.mark.cargo
def test_older_answers_pass_and_fail_as_the_table_says(remembering: Program) -> None:
    lines = [line for line in recorded() if json.loads(line)["case_id"].startswith(OLDER)]

    cases = graded(remembering, lines)

    _, _, *rows, _ = table(cases).splitlines()
    assert len(rows) == len(OLDER)
    assert set(rows) <= set(PAGE.read_text(encoding="utf-8").splitlines()), "renew it: make cases"
