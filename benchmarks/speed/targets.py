"""The targets: what is compared with what, and how good it has to be."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from speed.results import Figure, Passes, Results, Spent, ratio

PLAIN = "plain"
PLAIN_ISOLATED = "plain-isolated"
GUARDED = "guarded"
GUARDED_ALONE = "guarded, 1 worker"
UNGUARDED = "sandbox none"
FLOOR = "floor"
FLOOR_TOGETHER = "floor, all workers"
CACHED = "cached"
ONCE = "once"
COPIES = "copies"

QUICK_SLACK = 0.25


@dataclass(frozen=True, slots=True)
class Target:
    """A ratio with its goal; `goal` is None for one that is only told."""

    name: str
    part: str  # the field of `Results`
    above: str
    below: str
    of: Callable[[Spent], float]
    goal: float | None
    at_least: bool = True


@dataclass(frozen=True, slots=True)
class Row:
    """A target with what was reached."""

    target: Target
    reached: Figure
    bound: float | None  # the goal, with the slack of a quick run
    met: bool


def _rate(spent: Spent) -> float:
    return spent.rate


def _cpu(spent: Spent) -> float:
    return spent.cpu / spent.samples


def _all_cpu(spent: Spent) -> float:
    return spent.cpu


TARGETS = (
    Target("samples/s, guarded : plain", "speed", GUARDED, PLAIN, _rate, 5.0),
    Target("samples/s, guarded : plain-isolated", "speed", GUARDED, PLAIN_ISOLATED, _rate, None),
    Target("samples/s, sandbox none : plain", "speed", UNGUARDED, PLAIN, _rate, None),
    Target("samples/s, sandbox none : guarded", "speed", UNGUARDED, GUARDED, _rate, None),
    Target("CPU, guarded : floor", "speed", GUARDED, FLOOR, _cpu, 2.0, at_least=False),
    Target("CPU, sandbox none : floor", "speed", UNGUARDED, FLOOR, _cpu, None),
    Target("samples/s, warm cache : guarded", "speed", CACHED, GUARDED, _rate, 100.0),
    Target("CPU, copies : one", "duplicates", COPIES, ONCE, _all_cpu, 1.02, at_least=False),
    Target("tokio, samples/s, guarded : warm plain", "tokio", GUARDED, PLAIN, _rate, 3.5),
)
EFFICIENCIES = (
    Target("efficiency of all workers", "speed", GUARDED, GUARDED_ALONE, _rate, 0.9),
    # What this machine gives to compilers alone: no grader can do better.
    Target("efficiency of the bare floor", "speed", FLOOR_TOGETHER, FLOOR, _rate, None),
)


def rows(results: Results) -> list[Row]:
    """Return what was reached of every target that was measured."""
    return [*_ratios(results), *_efficiency(results)]


def missed(results: Results) -> list[str]:
    """Return a line for each target that was measured and missed."""
    lines = [
        f"{row.target.name}: {row.reached.median:.2f}, wanted {_sign(row.target)} {row.bound:g}"
        for row in rows(results)
        if not row.met
    ]
    wrong = sum(one.wrong for one in results.stability)
    return [*lines, *([f"{wrong} verdicts changed with the number of workers"] if wrong else [])]


def _ratios(results: Results) -> Iterator[Row]:
    for target in TARGETS:
        measured: dict[str, Passes] = getattr(results, target.part)
        if target.above in measured and target.below in measured:
            reached = ratio(measured[target.above], measured[target.below], target.of)
            yield _row(target, reached, quick=results.quick)


def _efficiency(results: Results) -> Iterator[Row]:
    for target in EFFICIENCIES:
        if {target.above, target.below} <= results.speed.keys():
            found = ratio(results.speed[target.above], results.speed[target.below], _rate)
            of_all = {name: value / results.workers for name, value in found.model_dump().items()}
            yield _row(target, Figure(**of_all), quick=results.quick)


def _row(target: Target, reached: Figure, *, quick: bool) -> Row:
    if target.goal is None:
        return Row(target, reached, None, met=True)
    slack = QUICK_SLACK if quick else 0.0
    if target.at_least:
        bound = target.goal * (1 - slack)
        return Row(target, reached, bound, met=reached.median >= bound)
    bound = target.goal * (1 + slack)
    return Row(target, reached, bound, met=reached.median <= bound)


def _sign(target: Target) -> str:
    return ">=" if target.at_least else "<="
