"""What `validate --deep` found, as GitHub markdown."""

from collections.abc import Iterator

from forgetest.check.types import CaseCheck, DeepCheck, SetCheck
from forgetest.render.checking.cells import (
    COLUMNS,
    case_cells,
    finding_words,
    head_words,
    total_cells,
    totals_words,
)
from forgetest.render.markdown import table
from forgetest.render.safe import code, escape, listing

_LONG = 600  # characters of a finding


def deep_markdown(found: DeepCheck, *, survivors: int) -> str:
    """Return a table per set, the findings and so many survivors of each case."""
    parts = [escape(head_words(found))]
    for item in found.sets:
        parts += [f"### {code(item.eval_set)}", escape(totals_words(item.totals)), _set_table(item)]
        parts += list(_findings(item))
        parts += [part for case in item.cases for part in _survivors(case, survivors)]
    if len(found.sets) > 1:
        parts.append(f"**All sets**: {escape(totals_words(found.totals))}")
    return "\n\n".join(parts) + "\n"


def _set_table(item: SetCheck) -> str:
    rows = [
        [code(case.case.partition("/")[2]), *map(escape, case_cells(case)), finding_words(case)]
        for case in item.cases
    ]
    rows.append(["**total**", *map(escape, total_cells(item.totals)), ""])
    return table(["case", *COLUMNS, "findings"], rows)


def _findings(item: SetCheck) -> Iterator[str]:
    lines = [
        f"- {code(case.case)}: {one.severity}: {escape(one.message, _LONG)}"
        for case in item.cases
        for one in case.findings
    ]
    if lines:
        yield "\n".join(lines)


def _survivors(case: CaseCheck, most: int) -> Iterator[str]:
    for survivor in (case.strength.survivors if case.strength else ())[:most]:
        head = f"{code(case.case)} survives: {code(survivor.mutant)}"
        diff = listing(survivor.diff, "diff")
        yield f"{head}  \nmissing: {escape(survivor.missing, _LONG)}\n\n{diff}"
