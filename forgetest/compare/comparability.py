"""What is declared to differ between two runs, and whether numbers still mean the same."""

from collections.abc import Iterator

from forgetest.compare.maps import Maps
from forgetest.compare.side import Side
from forgetest.compare.types import Difference, RunInfo
from forgetest.plan import Sampling
from forgetest.sandbox.types import Guarantees, Held

NOT_SENT, NOT_RECORDED = "not sent", "not recorded"


def differences(baseline: Side, current: Side, maps: Maps) -> tuple[Difference, ...]:
    """Return every declared difference, those first that make numbers mean something else."""
    found = [*_meanings(baseline, current, maps), *_conditions(baseline, current)]
    return tuple(one for one in found if one.baseline != one.current)


def _meanings(baseline: Side, current: Side, maps: Maps) -> Iterator[Difference]:
    for what, old, new in (
        ("scoring profile", baseline.scoring_profile, current.scoring_profile),
        ("lint rule", baseline.lint_rule, current.lint_rule),
    ):
        yield Difference(what=what, baseline=old, current=new, refuses=True)
    yield Difference(
        what="version of the prompt's frame",
        baseline=str(baseline.prompt_version),
        current=str(current.prompt_version),
        refuses=not maps.eval_sets,  # a mapped eval set says that prompts are compared
    )


def _conditions(baseline: Side, current: Side) -> Iterator[Difference]:
    pairs = [
        ("forgetest", baseline.forgetest, current.forgetest),
        ("extractor", baseline.extractor, current.extractor),
        ("rustc", *_distinct_lines(baseline.toolchain.rustc, current.toolchain.rustc)),
        ("cargo", baseline.toolchain.cargo, current.toolchain.cargo),
        ("clippy", baseline.toolchain.clippy, current.toolchain.clippy),
        ("sandbox", sandbox_name(baseline), sandbox_name(current)),
        ("samples per case", str(baseline.samples_per_case), str(current.samples_per_case)),
    ]
    for what, old, new in pairs:
        yield Difference(what=what, baseline=old, current=new)
    yield from _guarantees(baseline, current)
    yield from _sampling(baseline.sampling, current.sampling)
    yield from _named("limit", dict(baseline.limits), dict(current.limits))
    yield from _named("server of", dict(baseline.endpoints), dict(current.endpoints))


def _distinct_lines(old: str, new: str) -> tuple[str, str]:
    """Return the first lines of both that differ; their own first lines when all are the same."""
    lines = zip(old.splitlines(), new.splitlines(), strict=False)
    return next((pair for pair in lines if pair[0] != pair[1]), (first_line(old), first_line(new)))


def first_line(text: str) -> str:
    """Return the first line, or nothing of nothing."""
    return text.split("\n", 1)[0]


def run_info(side: Side) -> RunInfo:
    """Return where a side comes from and what judged it."""
    return RunInfo(
        file=side.file,
        created=side.created,
        forgetest=side.forgetest,
        rustc=first_line(side.toolchain.rustc),
        sandbox=sandbox_name(side),
        samples_per_case=side.samples_per_case,
        cases=sum(len(item.cases) for item in side.eval_sets),
        complete=side.complete,
    )


def sandbox_name(side: Side) -> str:
    """Return backend and version, such as `bwrap 0.8.0`."""
    if side.sandbox is None:
        return NOT_RECORDED
    return f"{side.sandbox.backend} {side.sandbox.version}".strip()


def _guarantees(baseline: Side, current: Side) -> Iterator[Difference]:
    if baseline.sandbox is None or current.sandbox is None:
        return
    old, new = baseline.sandbox.guarantees, current.sandbox.guarantees
    for name in Guarantees.model_fields:
        held, holds = getattr(old, name), getattr(new, name)
        if isinstance(held, Held):
            what = f"guarantee {name.replace('_', ' ')}"
            yield Difference(what=what, baseline=str(held), current=str(holds))


def _sampling(baseline: Sampling, current: Sampling) -> Iterator[Difference]:
    for name in Sampling.model_fields:
        yield Difference(
            what=name,
            baseline=_said(getattr(baseline, name)),
            current=_said(getattr(current, name)),
        )


def _said(value: float | None) -> str:
    return NOT_SENT if value is None else f"{value:g}"


def _named(
    kind: str,
    baseline: dict[str, float | int] | dict[str, str],
    current: dict[str, float | int] | dict[str, str],
) -> Iterator[Difference]:
    for name in sorted(baseline.keys() & current.keys()):
        yield Difference(
            what=f"{kind} {name}", baseline=str(baseline[name]), current=str(current[name])
        )
