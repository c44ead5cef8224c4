"""Records how strong the tests of the shipped eval sets are, after a deep check of all of them.

forgetest validate --deep --format json --output FILE eval-sets
python tests/support/strength_table.py FILE    write eval-sets/strength.json and the table of docs
"""

import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

from program import ROOT

from forgetest.check.types import SetCheck, Validation
from forgetest.evalset.load import load
from forgetest.evalset.strength import RecordedStrength, StrengthRecord, strength_record
from forgetest.evalset.types import Difficulty, EvalSet, NoEffect, fields_without
from forgetest.metrics import percent

RECORD = ROOT / "eval-sets" / "strength.json"
PAGE = ROOT / "docs" / "eval-sets.md"
MARKS = ("<!-- strength: begin -->", "<!-- strength: end -->")
_TITLES = (
    "set",
    "cases",
    "easy / medium / hard / expert",
    "tests",
    "mutants",
    "do not compile",
    "equivalent",
    "killed",
    "strength",
    "lowest of a case",
    "slowest test",
)


def record_of(check: Validation) -> StrengthRecord:
    """Return what a deep check says of every set; new ones come last."""
    known = list(strength_record().sets)
    contents = {item.id: content_of(item) for item in load([ROOT / "eval-sets"])}
    found = {item.eval_set: _strength(item, contents[item.eval_set]) for item in check.sets}
    order = sorted(found, key=lambda name: (known.index(name) if name in known else 99, name))
    rustc = check.toolchain.rustc.split()[1]
    return StrengthRecord(rustc=rustc, sets={name: found[name] for name in order})


def content_of(eval_set: EvalSet) -> str:
    """Return the digest of all of a set's cases on which verdicts depend, with context files."""
    left_out = fields_without(NoEffect.ON_VERDICT)
    cases = "\n".join(case.model_dump_json(exclude=left_out) for case in eval_set.cases)
    return hashlib.sha256(cases.encode()).hexdigest()


def _strength(item: SetCheck, content: str) -> RecordedStrength:
    timings = [case.soundness.timing for case in item.cases]
    slowest = max(timing.slowest_secs for timing in timings if timing)
    return RecordedStrength(
        version=item.version,
        content=content,
        tests=sum(case.soundness.tests for case in item.cases),
        mutants=item.totals.mutants,
        not_compiled=item.totals.not_compiled,
        equivalent=item.totals.equivalent,
        killed=item.totals.killed,
        lowest=item.totals.lowest_strength or 0.0,
        slowest_test_ms=round(slowest * 1000),
    )


def table(record: StrengthRecord, eval_sets: Sequence[EvalSet]) -> str:
    """Return the table of the documentation: a row per set, and their sum."""
    by_id = {item.id: item for item in eval_sets}
    rows = [_row(by_id[name], strength) for name, strength in record.sets.items()]
    head, *lines = (
        f"| {' | '.join(cells)} |".replace("|  |", "| |")
        for cells in (_TITLES, *rows, _sum(record, eval_sets))
    )
    return "\n".join([head, "|---" * len(_TITLES) + "|", *lines])


def _row(eval_set: EvalSet, strength: RecordedStrength) -> tuple[str, ...]:
    levels = [sum(case.difficulty == level for case in eval_set.cases) for level in Difficulty]
    return (
        f"`{eval_set.id}`",
        str(len(eval_set.cases)),
        " / ".join(map(str, levels)),
        *_figures([strength]),
        f"{strength.slowest_test_ms} ms",
    )


def _sum(record: StrengthRecord, eval_sets: Sequence[EvalSet]) -> tuple[str, ...]:
    cases = sum(len(item.cases) for item in eval_sets)
    return ("all", str(cases), "", *_figures(list(record.sets.values())), "")


def _figures(of: Sequence[RecordedStrength]) -> tuple[str, ...]:
    keys = ("tests", "mutants", "not_compiled", "equivalent", "killed")
    sums = [sum(getattr(strength, key) for strength in of) for key in keys]
    share = sums[-1] / sum(strength.counted for strength in of)
    return (*map(str, sums), percent(share), percent(min(strength.lowest for strength in of)))


def page_with(page: str, text: str, marks: tuple[str, str] = MARKS) -> str:
    """Return the page with `text` between its two marks."""
    begin, end = marks
    head, _, rest = page.partition(begin)
    _, _, tail = rest.partition(end)
    return f"{head}{begin}\n\n{text}\n\n{end}{tail}"


def main(file: Path) -> None:
    """Write the record and the table."""
    record = record_of(Validation.model_validate_json(file.read_bytes()))
    RECORD.write_text(record.model_dump_json(indent=2) + "\n", encoding="utf-8")
    eval_sets = load([RECORD.parent])
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(page_with(page, table(record, eval_sets)), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
