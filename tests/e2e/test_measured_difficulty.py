"""The recorded answers of a strong model, and the table that tells how many pass."""

import json
import re
from collections import Counter

import pytest
from measured_table import ANSWERS, answered, counted, recorded
from program import Program
from strength_table import PAGE

from forgetest.evalset.load import load
from forgetest.report.files import load_report

FRONTIER = ("rust-frontier/", "rust-frontier-crates/")
# Grading all answers takes ten minutes: every sixth case stands for the others.
STEP = 6


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
    cases = sorted({json.loads(line)["case_id"] for line in recorded()})
    chosen = [case for case in cases if case.startswith(FRONTIER)][::STEP]
    lines = [line for line in recorded() if json.loads(line)["case_id"] in chosen]
    (remembering.folder / "answers.jsonl").write_text("".join(lines), encoding="utf-8")

    done = remembering("grade", "answers.jsonl", "-e", ANSWERS.parents[2] / "eval-sets", "--quiet")

    assert done.code == 0, done.err
    (model,) = load_report(remembering.run_folder()).models
    told = dict(re.findall(r"(?m)^\| `(\S+)` \|.* \| (\d+ of \d+) \|$", PAGE.read_text("utf-8")))
    found = {case.case: f"{case.c} of {case.n}" for case in model.cases}
    assert len(found) == len(chosen)
    assert found.items() <= told.items(), "renew it: make cases"
