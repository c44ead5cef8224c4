"""A list of runs: what each one asked, how far it came, and how much passed."""

from collections.abc import Sequence
from dataclasses import replace

from pydantic import ConfigDict, Field, TypeAdapter
from rich.console import Group, RenderableType
from rich.text import Text

from forgetest.metrics import percent
from forgetest.render.columns import (
    NONE,
    Cell,
    Column,
    View,
    markdown_table,
    terminal_table,
    text_cell,
)
from forgetest.render.numbers import more
from forgetest.render.safe import code
from forgetest.run.state import State
from forgetest.value import Value

_STYLES = {
    State.COMPLETE: "green",
    State.RUNNING: "cyan",
    State.INTERRUPTED: "yellow",
    State.FAILED: "red",
}


class ListedRun(Value):
    """One run folder; `problem` says why it cannot be read."""

    run: str = Field(description="Path of the run folder.")
    created: str = Field("", description="When the run was planned: UTC, ISO 8601.")
    state: State | None = Field(None, description="State of the run; null if it cannot be read.")
    reason: str = Field("", description="Why the run was interrupted or failed.")
    graded: int | None = Field(None, description="Samples that are graded.")
    planned: int | None = Field(None, description="Samples that were planned.")
    eval_sets: tuple[str, ...] = Field((), description="Ids of the eval sets.")
    models: tuple[str, ...] = Field((), description="Models that are asked.")
    pass_rates: dict[str, float | None] = Field(
        default_factory=dict, description="Pass rate of each model; empty before there is a report."
    )
    problem: str = Field("", description="Why the folder cannot be read; empty if it can.")


ListedRuns = list[ListedRun]
"""What `forgetest runs --format json` prints, the latest first."""

LISTED_RUNS: TypeAdapter[ListedRuns] = TypeAdapter(ListedRuns, config=ConfigDict(defer_build=True))


def run_list_tables(runs: Sequence[ListedRun], *, hidden: int, width: int) -> RenderableType:
    """Return the runs as a table; `hidden` older ones are only counted."""
    table = terminal_table(_columns(runs), runs, width=width)
    return Group(table, Text(_hidden(hidden), style="dim")) if hidden else table


def run_list_markdown(runs: Sequence[ListedRun], *, hidden: int) -> str:
    """Return the runs as GitHub markdown, ending in a newline."""
    table = markdown_table(_columns(runs), runs)
    return f"{table}\n\n{_hidden(hidden)}\n" if hidden else f"{table}\n"


def _hidden(number: int) -> str:
    return f"{more(number, 'older run')}: show them with --all"


def _columns(runs: Sequence[ListedRun]) -> list[Column[ListedRun]]:
    column = Column[ListedRun]
    return [
        column(
            title="run",
            cell=lambda run: text_cell(run.run),
            is_text=True,
            markdown=code,
            min_width=max((len(run.run) for run in runs), default=0),  # one line, to copy it
        ),
        column(title="state", cell=_state, is_text=True),
        column(
            title="eval sets",
            cell=lambda run: text_cell(_sets(run)),
            views=View.WIDE | View.MARKDOWN,
            is_text=True,
        ),
        column(title="pass rate", cell=_result, views=View.WIDE | View.MARKDOWN, is_text=True),
        column(title="pass rate", cell=_sets_and_result, views=View.NARROW, is_text=True),
    ]


def _sets(run: ListedRun) -> str:
    return ", ".join(run.eval_sets) or NONE


def _sets_and_result(run: ListedRun) -> Cell:
    result = _result(run)
    return result if run.problem else replace(result, shown=f"{_sets(run)}: {result.shown}")


def _state(run: ListedRun) -> Cell:
    if run.state is None:
        return Cell("unreadable", style="red")
    done = run.state is State.COMPLETE or run.planned is None
    so_far = "" if done else f" {run.graded}/{run.planned}"
    return Cell(f"{run.state}{so_far}", style=_STYLES[run.state])


def _result(run: ListedRun) -> Cell:
    """Return the pass rate of each model, best first; without a report only their names."""
    if run.problem:
        return Cell(run.problem, style="red")
    names = sorted(run.models, key=lambda name: _best_first(run.pass_rates.get(name)))
    return Cell(" · ".join(_with_rate(name, run.pass_rates.get(name)) for name in names) or NONE)


def _best_first(rate: float | None) -> float:
    return 1.0 if rate is None else -rate


def _with_rate(name: str, rate: float | None) -> str:
    return name if rate is None else f"{name} {percent(rate)}"
