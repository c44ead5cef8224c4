"""What `doctor` and `validate` found, as tables and lines."""

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from forgetest.check.anchors import AnchorCheck
from forgetest.grading.verdict import Verdict
from forgetest.render.safe import one_line
from forgetest.toolchain import Check


def checks_table(checks: Sequence[Check]) -> Table:
    """Return one row per thing a machine needs: there or not, and what would install it."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("", "what", "found"):
        table.add_column(name, overflow="fold")
    for check in checks:
        mark = Text("ok", style="green") if check.ok else Text("missing", style="red")
        if not check.ok and not check.needed:
            mark = Text("optional", style="yellow")
        table.add_row(mark, check.name, check.found if check.ok else check.fix)
    return table


def missing_lines(checks: Sequence[Check]) -> list[str]:
    """Return one line for each needed thing that is missing, with the command that installs it."""
    return [
        f"{check.name}: {check.found}; {check.fix}"
        for check in checks
        if check.needed and not check.ok
    ]


def case_line(found: AnchorCheck) -> str:
    """Return one line for a checked case."""
    words = "; ".join((*found.problems, *found.notes))
    state = "broken" if found.problems else "ok"
    return f"{found.case.key}: {state}{f' ({one_line(words)})' if words else ''}"


def validation_table(found: Sequence[AnchorCheck]) -> Table:
    """Return one row per case: what its reference and its stub came to, and what is wrong."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("case", overflow="fold")
    for name in ("tests", "reference", "stub"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("what is wrong", overflow="fold")
    for item in found:
        style = "red" if item.problems else "dim"
        words = Text("\n".join((*item.problems, *item.notes)), style=style)
        tests = str(len(item.reference.tests)) if item.reference else "–"
        table.add_row(item.case.key, tests, _word(item.reference), _word(item.stub), words)
    return table


def _word(verdict: Verdict | None) -> str:
    return "–" if verdict is None else str(verdict.outcome)
