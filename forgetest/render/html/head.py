"""The head of a page: what was run, and what a reader must know before believing a number."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from forgetest.render.html.caserow import changed_cases
from forgetest.render.run import Run
from forgetest.render.sandbox import sandbox_line
from forgetest.report.types import Report
from forgetest.words import count

NAMED = 5  # changed cases, or eval sets, that are named


@dataclass(frozen=True, slots=True)
class About:
    """What one run was: names and values."""

    label: str
    facts: tuple[tuple[str, str], ...]


def warnings_of(runs: Sequence[Run]) -> tuple[str, ...]:
    """Return every warning, cases that differ between runs first."""
    names = [str(model.model) for run in runs for model in run.report.models]
    several = len(set(names)) < len(names)
    told = (text for run in runs for text in _of(run, several=several))
    return (*_changed(runs), *dict.fromkeys(told))


def title_of(runs: Sequence[Run]) -> str:
    """Return the names of what was evaluated."""
    names = list(dict.fromkeys(item.name for run in runs for item in run.report.eval_sets))
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more or "No eval set"


def about(run: Run) -> About:
    """Return what was run, with what, and what held it."""
    return About(run.label, tuple(_facts(run)))


def summary(runs: Sequence[Run], *, cases: int, models: int) -> str:
    """Return one line: how much was run, and when."""
    samples = sum(model.overall.samples for run in runs for model in run.report.models)
    days = sorted({run.report.created[:10] for run in runs})
    when = days[0] if len(days) == 1 else f"{days[0]} – {days[-1]}"
    counts = (count(models, "model"), count(cases, "case"), count(samples, "sample"))
    return " · ".join((*counts, when))


def _changed(runs: Sequence[Run]) -> Iterator[str]:
    changed = changed_cases(runs)
    if changed:
        names = ", ".join(changed[:NAMED]) + (", …" if len(changed) > NAMED else "")
        yield f"{count(len(changed), 'case')} not the same in all runs: {names}"


def _of(run: Run, *, several: bool) -> Iterator[str]:
    label = f"{run.label}: " if several else ""
    if not run.report.complete:
        yield f"{label}not every planned sample is scored"
    for text in run.report.warnings:
        yield f"{label}{text}"


def _facts(run: Run) -> Iterator[tuple[str, str]]:
    report = run.report
    yield "run", run.label
    yield (
        "eval sets",
        ", ".join(
            f"{item.name} {item.version}".strip() + f" ({count(len(item.cases), 'case')})"
            for item in report.eval_sets
        ),
    )
    yield "models", ", ".join(str(model.model) for model in report.models)
    yield "samples", f"{report.samples_per_case} of each case and model"
    yield "sampling", _sampling(report)
    for provider, address in report.endpoints.items():
        yield f"server of {provider}", address
    rustc = report.toolchain.rustc.partition("\n")[0]
    yield "toolchain", f"{rustc}; {report.toolchain.clippy}"
    yield "sandbox", sandbox_line(report.sandbox)
    yield "scoring", f"{report.scoring_profile}, lints {report.lint_rule}"
    yield "extraction", f"{report.extractor}; prompts of version {report.prompt_version}"
    yield "forgetest", report.forgetest
    yield "date", report.created
    yield "command", " ".join(report.command)


def _sampling(report: Report) -> str:
    said = report.sampling.model_dump(exclude_none=True)
    return ", ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in said.items()) or (
        "as the servers have it"
    )
