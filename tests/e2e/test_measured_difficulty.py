"""The recorded answers of a strong model, and the table that tells how many pass."""

import json
from collections import Counter

import pytest
from measured_table import ANSWERS, answered, counted, recorded, table
from program import Program
from strength_table import PAGE

from forgetest.evalset.load import load
from forgetest.report.files import load_report

# Those in which not all answers pass.
GRADED = ("rust-errors/", "rust-frontier/", "rust-frontier-crates/", "rust-unsafe/")


def test_the_table_counts_every_answer_of_a_shipped_case() -> None:
    shipped = {
        (item.id, case.id)
        for item in load([ANSWERS.parents[2] / "eval-sets"])
        for case in item.cases
    }
    assert set(answered()) <= shipped
    assert counted(PAGE.read_text(encoding="utf-8")) == Counter(name for name, _ in answered())


@pytest.mark.cargo
def test_answers_pass_and_fail_as_the_table_says(remembering: Program) -> None:
    chosen = [line for line in recorded() if json.loads(line)["case_id"].startswith(GRADED)]
    (remembering.folder / "answers.jsonl").write_text("".join(chosen), encoding="utf-8")

    done = remembering("grade", "answers.jsonl", "-e", ANSWERS.parents[2] / "eval-sets", "--quiet")

    assert done.code == 0, done.err
    (model,) = load_report(remembering.run_folder()).models
    _, _, *rows, _ = table(list(model.cases)).splitlines()
    assert len(rows) == len(GRADED)
    assert set(rows) <= set(PAGE.read_text(encoding="utf-8").splitlines()), "renew it: make cases"
