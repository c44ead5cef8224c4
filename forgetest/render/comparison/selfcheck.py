"""How often gates fire on no change, as a table."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from forgetest.compare.selfcheck import Alarms, ModelCheck, SelfCheck
from forgetest.metrics import percent
from forgetest.render.markdown import table
from forgetest.render.numbers import interval
from forgetest.render.safe import escape
from forgetest.words import count

HEADER = ["model", "cases", "samples a half", "threshold rule fires", "evidence gate fires"]


def self_check_table(found: SelfCheck) -> RenderableType:
    """Return one row a model for the terminal, with what it means."""
    rows = Table(box=None, pad_edge=False, header_style="bold")
    for number, name in enumerate(HEADER):
        rows.add_column(name, justify="right" if number else "left", overflow="fold")
    for model in found.models:
        rows.add_row(model.model, *_figures(model))
    return Group(rows, Text(), *(Text(line, style="dim") for line in _meaning(found)))


def self_check_markdown(found: SelfCheck) -> str:
    """Return the same as GitHub markdown, ending in a newline."""
    rows = [[escape(model.model), *_figures(model)] for model in found.models]
    return "\n\n".join(["### forgetest: self-check", table(HEADER, rows), *_meaning(found)]) + "\n"


def _figures(model: ModelCheck) -> list[str]:
    if not model.cases:
        return ["0", "–", "–", "–"]
    return [
        str(model.cases),
        str(model.samples_per_half),
        _rate(model.threshold),
        _rate(model.evidence),
    ]


def _rate(alarms: Alarms) -> str:
    return f"{percent(alarms.fired / alarms.splits)} ({interval(alarms.interval)})"


def _meaning(found: SelfCheck) -> Iterator[str]:
    splits = max((model.threshold.splits for model in found.models), default=0)
    if not splits:
        yield "No case has two scored samples: there are no halves to compare."
        return
    yield (
        f"Nothing changed between the halves: every alarm is a false one. {splits} random splits of"
        f" each case's samples; threshold {found.options.threshold:g}, alpha"
        f" {found.options.alpha:g}; in brackets the 95 % interval of the rate."
    )
    left_out = sum(model.cases_left_out for model in found.models)
    if left_out:
        yield f"left out: {count(left_out, 'case')} with fewer than two scored samples."
