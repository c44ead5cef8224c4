"""What asking again was worth: a table by round, and a line on the gain and the errors.

The same for terminal, markdown and the page; and how the code differs from round to round.
"""

import difflib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from forgetest.render.columns import NONE, Cell, Column, View, metric_cell, number_cell, text_cell
from forgetest.render.leaderboard import RankedModel
from forgetest.render.numbers import and_more, dollars, interval, seconds
from forgetest.report.samples import RoundReport
from forgetest.report.types import AfterRound, RepairGain, RoundsReport
from forgetest.sampling.completion import Usd
from forgetest.value import count

DIFF_STYLES = {"-": "red", "+": "green", "@": "cyan"}
CODES = 5  # error codes that are named
_EXACT = 0.0001  # the smallest p that is written out


class RoundLine(NamedTuple):
    """One model after one round."""

    model: RankedModel
    after: AfterRound


def round_rows(models: Sequence[RankedModel]) -> list[RoundLine]:
    """Return a row for each round of each model that is asked again; nothing without any."""
    return [
        RoundLine(model, after)
        for model in models
        if model.model.rounds is not None
        for after in model.model.rounds.after
    ]


def round_columns() -> list[Column[RoundLine]]:
    """Return the columns of the table by round."""
    column = Column[RoundLine]
    return [
        column(
            title="model",
            cell=lambda row: text_cell(row.model.title),
            is_text=True,
            min_width=12,
            key=True,
        ),
        column(
            title="variant",
            cell=lambda row: text_cell(row.model.variant),
            is_text=True,
            key=True,
        ),
        column(title="round", cell=lambda row: number_cell(row.after.round), key=True),
        column(
            title="asked",
            cell=lambda row: number_cell(row.after.asked),
            explains="Samples that were asked in this round",
        ),
        column(
            title="passed",
            cell=lambda row: number_cell(row.after.passed),
            explains="Samples that pass by then",
        ),
        column(
            title="pass@1",
            cell=lambda row: metric_cell(
                row.after.pass_rate, interval=interval(row.after.pass_rate.ci95)
            ),
            explains="Share of cases solved by then, with its 95 % interval",
            strong=True,
        ),
        column(
            title="95 % interval",
            cell=lambda row: text_cell(interval(row.after.pass_rate.ci95)),
            views=View.TEXT,
        ),
        column(
            title="cost",
            cell=lambda row: _usd(row.after.usd),
            views=View.WIDE | View.MARKDOWN | View.PAGE,
            explains="US dollars of all rounds so far",
            low_is_good=True,
        ),
        column(
            title="per solved",
            terminal_title="$/solved",
            cell=lambda row: _usd(row.after.usd_per_solved),
            explains="The same for each sample that passes",
            low_is_good=True,
        ),
        column(
            title="time per solved",
            terminal_title="time/solved",
            cell=lambda row: number_cell(row.after.secs_per_solved, seconds),
            explains="Seconds of all requests so far, for each sample that passes",
            low_is_good=True,
        ),
    ]


def _usd(usd: Usd | None) -> Cell:
    return Cell(NONE) if usd is None else Cell(dollars(usd), float(usd))


def round_lines(models: Sequence[RankedModel]) -> Iterator[str]:
    """Yield a line for each model that is asked again: its gain, and which errors it repaired."""
    for model in models:
        if model.model.rounds is not None:
            yield f"{model.name}: {' · '.join(_words(model.model.rounds))}"


def _words(rounds: RoundsReport) -> Iterator[str]:
    yield f"up to {count(rounds.most, 'round')}, feedback {rounds.feedback}"
    if rounds.gain is not None:
        yield _gain(rounds.gain)
    for title, is_repaired in (("repaired", True), ("not repaired", False)):
        named = [
            f"{code} {errors.repaired} of {errors.samples}"
            for code, errors in rounds.codes.items()
            if bool(errors.repaired) is is_repaired
        ]
        if named:
            yield f"{title} {and_more(named, CODES)}"


def _gain(gain: RepairGain) -> str:
    """Return `repair gained +50.0 points [+10.1, +89.9] in 3 samples, p = 0.25`."""
    points = f"{100 * gain.delta:+.1f} points"
    if gain.ci95 is not None:
        points += " [{:+.1f}, {:+.1f}]".format(*(100 * end for end in gain.ci95))
    chance = f"p < {_EXACT}" if gain.p_value < _EXACT else f"p = {gain.p_value:.4g}"
    return f"repair gained {points} in {count(gain.repaired, 'sample')}, {chance}"


def code_diff(rounds: Sequence[RoundReport], place: int) -> list[str] | None:
    """Return how the code of a round differs from the code before it, as lines of a unified diff.

    None for the first code, and for a round without any.
    """
    code = rounds[place].code
    before = next((item.code for item in reversed(rounds[:place]) if item.code is not None), None)
    if code is None or before is None:
        return None
    lines = difflib.unified_diff(before.splitlines(), code.splitlines(), lineterm="")
    return [*lines][2:]
