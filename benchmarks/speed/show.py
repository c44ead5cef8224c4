"""The figures as tables: for a terminal, and as markdown for the documentation."""

from collections.abc import Iterator

from rich.console import Console
from tables import Cells, as_markdown, print_lines, print_tables

from speed.results import Figure, Passes, Results, figure
from speed.targets import Row, rows

_MILLIS = 1000
_TITLES = {
    "speed": "Speed over the corpus",
    "duplicates": "Copies of identical code",
    "tokio": "With tokio, one worker each",
}
_SPENT_HEAD = ("contestant", "samples/s", "CPU ms a sample", "of it own Python")
_RATIO_HEAD = ("compared, pass by pass", "ratio", "goal", "")
_STABLE_HEAD = ("graded at once", "rounds", "verdicts", "wrong")


def print_results(results: Results, console: Console) -> None:
    """Print every table."""
    print_lines(_about(results), console)
    print_tables(_tables(results), console)


def markdown(results: Results) -> str:
    """Return every table as markdown."""
    return as_markdown(_about(results), _tables(results))


def _tables(results: Results) -> Iterator[tuple[str, Cells, list[Cells]]]:
    for part, title in _TITLES.items():
        measured: dict[str, Passes] = getattr(results, part)
        if measured:
            yield title, _SPENT_HEAD, [_spent(*found) for found in measured.items()]
    if found := rows(results):
        yield "Ratios", _RATIO_HEAD, list(map(_ratio, found))
    if results.stability:
        yield "Verdicts with several workers", _STABLE_HEAD, list(_stable(results))


def _about(results: Results) -> Iterator[str]:
    machine = results.machine
    quick = ", a quick run with 25 % slack" if results.quick else ""
    yield f"Command: `{results.command}`{quick}"
    yield (
        f"{results.samples} samples, {results.passes} passes after a warm-up, "
        f"{results.workers} workers; every verdict of every pass was the expected one"
    )
    yield (
        f"{machine.processor}, {machine.cores} cores, {machine.memory_gib:g} GiB, "
        f"{machine.system}; load {machine.load_before:g} before, {machine.load_after:g} after"
    )
    yield f"{machine.rustc}; {machine.clippy}; Python {machine.python}; sandbox: {machine.sandbox}"
    for part, reason in results.skipped.items():
        yield f"Not measured: {part}: {reason}"


def _spent(name: str, passes: Passes) -> Cells:
    cpu = figure(passes, lambda spent: spent.cpu / spent.samples * _MILLIS)
    own = figure(passes, lambda spent: spent.own_cpu / spent.samples * _MILLIS)
    return (name, _span(figure(passes, lambda spent: spent.rate)), _span(cpu), _span(own))


def _ratio(row: Row) -> Cells:
    target = row.target
    if row.bound is None:
        return (target.name, _span(row.reached), "–", "")
    sign = "≥" if target.at_least else "≤"
    return (
        target.name,
        _span(row.reached),
        f"{sign} {row.bound:g}",
        "met" if row.met else "missed",
    )


def _stable(results: Results) -> Iterator[Cells]:
    for one in results.stability:
        yield (str(one.workers), str(one.rounds), str(one.verdicts), str(one.wrong))


def _span(figure: Figure) -> str:
    """Return the median with the range of all passes."""
    numbers = map(_number, (figure.median, figure.least, figure.most))
    return "{} ({}–{})".format(*numbers)


def _number(value: float) -> str:
    """Return three digits that count."""
    before_the_point = len(f"{value:.0f}")
    return f"{value:.{max(0, 3 - before_the_point)}f}"
