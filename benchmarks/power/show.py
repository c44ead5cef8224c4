"""The figures as tables: for a terminal, and as markdown for the documentation."""

from collections.abc import Callable, Iterator, Sequence
from statistics import mean

from rich.console import Console
from tables import Cells, as_markdown, print_lines, print_tables

from forgetest.metrics import WilsonInterval
from power.models import SETTINGS
from power.published import published
from power.results import Results, Tally

ALPHA = 0.05
_NEAR = 5  # percentage points
_HUNDRED = 100


def print_results(results: Results, console: Console) -> None:
    """Print every table."""
    print_tables(_tables(results), console)
    print_lines(_about(results), console)


def markdown(results: Results) -> str:
    """Return every table as markdown."""
    return as_markdown(_about(results), _tables(results))


def too_many_alarms(results: Results) -> list[str]:
    """Return the trials in which even the lower end of the evidence gate's alarms is over alpha."""
    return [
        f"{_name(one)}: {_span(one.interval(one.evidence))}"
        for one in _of_effect(results, "none")
        if one.interval(one.evidence).lower > ALPHA
    ]


def disagreements(results: Results) -> list[str]:
    """Return where the threshold rule errs otherwise than in the specification.

    That is by more than 5 points, and the 95 % interval does not hold the specification's value.
    """
    return [
        f"{_name(one)}: {wanted:g} % in the specification, {_span(one.interval(one.any_case))} here"
        for one, wanted in _compared(results)
        if abs(_gap(one, wanted)) > _NEAR and not _holds(one.interval(one.any_case), wanted)
    ]


def _compared(results: Results) -> list[tuple[Tally, float]]:
    pairs = [(one, _published(one)) for one in _of_effect(results, "none")]
    return [(one, wanted) for one, wanted in pairs if wanted is not None]


def _gap(one: Tally, wanted: float) -> float:
    return _HUNDRED * one.any_case / one.trial.pairs - wanted


def _holds(found: WilsonInterval, wanted: float) -> bool:
    return found.lower <= wanted / _HUNDRED <= found.upper


def _about(results: Results) -> Iterator[str]:
    quick = ", a quick run: figures are coarse" if results.quick else ""
    yield f"Command: `{results.command}`{quick}; seed {results.seed}, {results.seconds:.0f} s"
    pairs = {one.trial.effect == "none": one.trial.pairs for one in results.tallies}
    yield f"{pairs[True]} pairs of runs a cell without a change, {pairs[False]} with one"
    gaps = [abs(_gap(one, wanted)) for one, wanted in _compared(results)]
    yield (
        "The threshold rule's errors are within "
        f"{max(gaps):.1f} points of the specification's, on average {mean(gaps):.1f}"
    )
    yield from disagreements(results)


def _tables(results: Results) -> Iterator[tuple[str, Cells, list[Cells]]]:
    nothing = _of_effect(results, "none")
    yield (
        "Threshold rule, nothing changed: some case falls by more than 0.05 (specification)",
        ("cases", "samples", *SETTINGS),
        _by_setting(nothing, _beside),
    )
    yield (
        "Threshold rule, nothing changed: the mean score falls by more than 0.05",
        ("cases", "samples", *SETTINGS),
        _by_setting(nothing, lambda one: _span(one.interval(one.mean))),
    )
    yield (
        "Evidence gate, nothing changed: a regression is called (95 % interval)",
        ("cases", "samples", *SETTINGS),
        _by_setting(nothing, lambda one: _span(one.interval(one.evidence))),
    )
    for effect in ("one broken", "two broken", "all 15 % worse"):
        yield (
            f"Evidence gate, {effect}: a regression is called (all together, a case alone)",
            ("cases", "samples", *SETTINGS),
            _by_setting(_of_effect(results, effect), _found),
        )


def _by_setting(tallies: Sequence[Tally], cell: Callable[[Tally], str]) -> list[Cells]:
    rows: dict[tuple[int, int], dict[str, str]] = {}
    for one in tallies:
        row = rows.setdefault((one.trial.cases, one.trial.samples), {})
        row[one.trial.setting] = cell(one)
    return [
        (str(cases), str(samples), *(row.get(setting, "–") for setting in SETTINGS))
        for (cases, samples), row in rows.items()
    ]


def _beside(one: Tally) -> str:
    wanted = _published(one)
    known = "" if wanted is None else f" ({wanted:g})"
    return f"{_percent(one, one.any_case)}{known} %"


def _found(one: Tally) -> str:
    counts = one.evidence, one.together, one.single
    return "{} % ({}, {})".format(*(_percent(one, count) for count in counts))


def _percent(one: Tally, count: int) -> str:
    return f"{round(_HUNDRED * count / one.trial.pairs, 1):g}"


def _span(found: WilsonInterval) -> str:
    shares = float(found.mean), found.lower, found.upper
    return "{:.1f} % ({:.1f}–{:.1f})".format(*(_HUNDRED * share for share in shares))


def _published(one: Tally) -> float | None:
    return published(one.trial.setting, one.trial.cases, one.trial.samples)


def _of_effect(results: Results, effect: str) -> list[Tally]:
    return [one for one in results.tallies if one.trial.effect == effect]


def _name(one: Tally) -> str:
    return f"{one.trial.setting}, {one.trial.cases} cases, {one.trial.samples} samples"
