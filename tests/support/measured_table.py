"""Records how many recorded answers of a strong model the shipped cases pass.

forgetest grade examples/strong-model/answers.jsonl.gz --eval-set eval-sets --output FILE
python tests/support/measured_table.py FILE    write the table of docs
"""

import gzip
import json
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from program import ROOT
from strength_table import PAGE, page_with

from forgetest.evalset.load import load
from forgetest.metrics import percent
from forgetest.report.files import load_report
from forgetest.report.types import CaseReport

ANSWERS = ROOT / "examples" / "strong-model" / "answers.jsonl.gz"
MARKS = ("<!-- measured: begin -->", "<!-- measured: end -->")
_TITLES = ("set", "cases", "answered", "answers", "passed", "rate", "not passed")


def recorded() -> list[str]:
    """Return the recorded answers, each a line of JSON."""
    return gzip.decompress(ANSWERS.read_bytes()).decode("utf-8").splitlines(keepends=True)


def answered() -> list[tuple[str, str]]:
    """Return the eval set and the case of each recorded answer, in the order of the file."""
    names = [json.loads(line)["case_id"].split("/", 1) for line in recorded()]
    return [(eval_set, case) for eval_set, case in names]


def table(cases: list[CaseReport]) -> str:
    """Return a row for each eval set that has answers, and their sum."""
    sizes = {item.id: len(item.cases) for item in load([ROOT / "eval-sets"])}
    by_set = {name: [case for case in cases if case.eval_set == name] for name in sizes}
    rows = [_row(f"`{name}`", sizes[name], found) for name, found in by_set.items() if found]
    rows.append(_row("all", sum(sizes[name] for name, found in by_set.items() if found), cases))
    lines = [f"| {' | '.join(cells)} |".replace("|  |", "| |") for cells in (_TITLES, *rows)]
    return "\n".join([lines[0], "|---" * len(_TITLES) + "|", *lines[1:]])


def _row(name: str, size: int, cases: list[CaseReport]) -> tuple[str, ...]:
    answers, passed = sum(case.n for case in cases), sum(case.c for case in cases)
    missed = [f"`{case.case}` {case.n - case.c} of {case.n}" for case in cases if case.c < case.n]
    not_passed = "" if name == "all" else ", ".join(missed)
    counts = (size, len(cases), answers, passed)
    return (name, *map(str, counts), percent(passed / answers), not_passed)


def counted(page: str) -> Mapping[str, int]:
    """Return the number of answers of each set, as the table of a page tells it."""
    return Counter(_column(page, "answers"))


def passing(page: str) -> Mapping[str, int]:
    """Return the number of answers of each set that pass, as the table of a page tells it."""
    return _column(page, "passed")


def _column(page: str, title: str) -> Mapping[str, int]:
    text = page.partition(MARKS[0])[2].partition(MARKS[1])[0]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| `")]
    return {row[0].strip("`"): int(row[_TITLES.index(title)]) for row in rows}


def main(file: Path) -> None:
    """Write the table from the report of all answers."""
    (model,) = load_report(file).models
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(page_with(page, table(list(model.cases)), MARKS), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
