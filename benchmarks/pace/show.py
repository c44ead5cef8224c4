"""The figures as tables, and which targets are missed."""

from collections.abc import Callable, Iterator, Sequence
from statistics import median

from rich.console import Console
from tables import Cells, as_markdown, print_lines, print_tables

from pace.results import COMPARE, LOAD, READ, Results, Size, Spent

TIME, MEMORY = 2.5, 1.5  # times what reading both files with the JSON parser alone takes
_MILLIS, _MIB = 1000, 1 << 20
_HEAD = ("what", "seconds", "CPU seconds", "peak MiB")
_SMALL_HEAD = ("what", "ms", "CPU ms")
_RATIO_HEAD = ("compare : read, pass by pass", "ratio", "goal", "")
_NAMES = {
    READ: "reading both files with pydantic_core.from_json",
    COMPARE: "forgetest compare --format json",
    LOAD: "starting Python and loading what compares",
}

Of = Callable[[Spent], float]


def wall(spent: Spent) -> float:
    """Return wall time."""
    return spent.wall


def cpu(spent: Spent) -> float:
    """Return CPU time."""
    return spent.cpu


def peak(spent: Spent) -> float:
    """Return peak memory."""
    return spent.peak


_TARGETS: tuple[tuple[str, Of, float], ...] = (
    ("time", wall, TIME),
    ("CPU time", cpu, TIME),
    ("memory", peak, MEMORY),
)


def missed(results: Results) -> list[str]:
    """Return the targets that the medians miss."""
    found = ((name, median(results.large.ratios(of)), goal) for name, of, goal in _TARGETS)
    return [f"{name}: {ratio:.2f} times" for name, ratio, goal in found if ratio > goal]


def print_results(results: Results, console: Console) -> None:
    """Print every table."""
    print_lines(_about(results), console)
    print_tables(_tables(results), console)


def markdown(results: Results) -> str:
    """Return every table as markdown."""
    return as_markdown(_about(results), _tables(results))


def _about(results: Results) -> Iterator[str]:
    quick = ", a quick run: small files say little about large ones" if results.quick else ""
    yield f"Command: `{results.command}`{quick}"
    passes = len(results.large.passes[READ])
    yield f"{passes} passes; medians, with the least and the most in brackets"
    yield (
        f"{results.machine}; Python {results.python};"
        f" load {results.load_before:g} before, {results.load_after:g} after"
    )


def _tables(results: Results) -> Iterator[tuple[str, Cells, list[Cells]]]:
    large, small = results.large, results.typical
    yield _size(large), _HEAD, [_large(large, what) for what in (READ, COMPARE)]
    if not results.quick:
        yield "Against the parser alone", _RATIO_HEAD, [_ratio(large, *one) for one in _TARGETS]
    yield _size(small), _SMALL_HEAD, [_small(small, what) for what in (READ, COMPARE, LOAD)]


def _size(size: Size) -> str:
    mebibytes = size.bytes / 2 / _MIB
    return f"{size.cases:,} cases of {size.samples} samples, two files of {mebibytes:,.3g} MiB"


def _large(size: Size, what: str) -> Cells:
    return (
        _NAMES[what],
        _span([one.wall for one in size.passes[what]], "{:.1f}"),
        _span([one.cpu for one in size.passes[what]], "{:.1f}"),
        _span([one.peak for one in size.passes[what]], "{:,.0f}"),
    )


def _small(size: Size, what: str) -> Cells:
    return (
        _NAMES[what],
        _span([one.wall * _MILLIS for one in size.passes[what]], "{:.0f}"),
        _span([one.cpu * _MILLIS for one in size.passes[what]], "{:.0f}"),
    )


def _ratio(size: Size, name: str, of: Of, goal: float) -> Cells:
    ratios = size.ratios(of)
    verdict = "met" if median(ratios) <= goal else "missed"
    return (name, _span(ratios, "{:.2f}"), f"≤ {goal:g}", verdict)


def _span(values: Sequence[float], form: str) -> str:
    """Return the median with the range of all passes."""
    numbers = map(form.format, (median(values), min(values), max(values)))
    return "{} ({}–{})".format(*numbers)
