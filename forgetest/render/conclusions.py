"""What a run found, in words: what leads, by how much, and whether noise explains it."""

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from forgetest.evalset.shipped import PACKED
from forgetest.metrics import percent
from forgetest.render.comparison.numbers import chance, points
from forgetest.render.numbers import more
from forgetest.render.safe import one_line
from forgetest.report.types import EvalSetInfo, ModelReport, Report
from forgetest.sampling.plan import is_anchor, is_reference
from forgetest.value import count

if TYPE_CHECKING:
    from forgetest.rank.lead import Rival

BROKEN = "BROKEN CASES"  # begins the line on an anchor that does not hold
NAMED = 3  # broken cases
RIVALS = 4  # models that are compared with the leader by name


def conclusions(reports: Sequence[tuple[str, Report]]) -> Iterator[str]:
    """Yield what some labelled reports found: the leader against each other model, then variants.

    The anchors come last. Nothing is said of a single model, unless no sample of it is scored.
    """
    models = [model for _, report in reports for model in report.models]
    yield from _unscored_words([model for model in models if not model.overall.cases])
    if sum(not is_anchor(str(model.model)) for model in models) > 1:
        yield from _lead_words(reports)
    anchors = [model for model in models if is_anchor(str(model.model))]
    eval_sets = [info for _, report in reports for info in report.eval_sets]
    scored = [anchor for anchor in anchors if anchor.overall.cases]
    yield from _anchor_words(scored, " ".join(["validate --deep", *_arguments(eval_sets)]))


def _lead_words(reports: Sequence[tuple[str, Report]]) -> Iterator[str]:
    """Yield each leader against its rivals; nothing where they cannot be ranked."""
    from forgetest.rank.lead import leads, ranking_of

    ranked = ranking_of(reports)
    if ranked is not None:
        found = leads(*ranked)
        yield from _beside(found.models, "model")
        yield from _between_variants(found.variants)


def _beside(rivals: Sequence["Rival"], kind: str) -> Iterator[str]:
    """Yield a line for each of the first rivals, and how many more there are."""
    yield from map(rival_words, rivals[:RIVALS])
    if len(rivals) > RIVALS:
        yield f"{more(len(rivals) - RIVALS, kind)}: forgetest rank compares all pairs"


def _between_variants(found: Mapping[str, Sequence["Rival"]]) -> Iterator[str]:
    """Yield how each model's best variant compares with its others, and what compares all."""
    for name, variants in [*found.items()][:RIVALS]:
        yield from (f"{name}: {line}" for line in _beside(variants, "variant"))
    if len(found) > 1:
        yield "variants over all models: forgetest rank --by variant"


def _unscored_words(models: Sequence[ModelReport]) -> Iterator[str]:
    """Yield why nothing is known of some models, once for all that share the reason."""
    names: dict[str, list[str]] = {}
    for model in models:
        names.setdefault(_first_fault(model), []).append(str(model.model))
    for why, sharing in names.items():
        yield f"{', '.join(sharing)}: no sample is scored: {why}"


def _first_fault(model: ModelReport) -> str:
    faults = (sample.fault for case in model.cases for sample in case.samples if sample.fault)
    return next(faults, "the run was stopped").removeprefix(f"{model.model}: ")


def rival_words(rival: "Rival") -> str:
    """Return `a beats b by 19.0 points (63.1 % to 44.1 %), p 0.011`, or why that is unknown."""
    test = rival.test
    apart = _size(test.delta)
    if test.differ:
        rates = f"{_rate(rival.higher_rate)} to {_rate(rival.lower_rate)}"
        return (
            f"{rival.higher} beats {rival.lower} by {apart} points ({rates}), {chance(test.p_holm)}"
        )
    seen = (
        f"smallest detectable difference {_size(min(1.0, rival.detectable))}"
        if rival.detectable is not None
        else "too few cases that vary"
    )
    between = f"{rival.higher} and {rival.lower} are not distinguishable"
    return f"{between}: {apart} points apart, {chance(test.p_holm)}; {seen}"


def _size(delta: float) -> str:
    return points(delta).removeprefix("+")


def _rate(rate: float | None) -> str:
    return "–" if rate is None else percent(rate)


def _anchor_words(anchors: Sequence[ModelReport], check: str) -> Iterator[str]:
    """Yield which anchors fail, and the command that checks the cases; one line where none does."""
    wrong = [*map(_wrong_anchor, anchors)]
    advice = f"no model can be judged by that: run forgetest {check}"
    yield from (f"{BROKEN}: {line}; {advice}" for line in wrong if line)
    if anchors and not any(wrong):
        names = " and ".join(_as_expected(model) for model in anchors)
        yield f"anchors: {names}, as {'it' if len(anchors) == 1 else 'they'} should"


def _as_expected(model: ModelReport) -> str:
    passes = "everything" if is_reference(str(model.model)) else "nothing"
    return f"{model.model.model} passes {passes}"


def _wrong_anchor(model: ModelReport) -> str:
    """Return what is wrong with the cases or the machine by an anchor; empty where nothing is."""
    if is_reference(str(model.model)):
        wrong, verb = [case.key for case in model.cases if case.c < case.n], "fails"
    else:
        wrong, verb = [case.key for case in model.cases if case.c], "passes"
    if not wrong:
        return ""
    named = " ".join(filter(None, [", ".join(wrong[:NAMED]), more(len(wrong) - NAMED)]))
    return f"{model.model} {verb} in {count(len(wrong), 'case')} ({named})"


def has_broken_cases(report: Report) -> bool:
    """Tell whether an anchor shows that a case is broken."""
    return any(_wrong_anchor(model) for model in report.models if is_anchor(str(model.model)))


def _arguments(eval_sets: Iterable[EvalSetInfo]) -> list[str]:
    """Return the eval sets as a command line names them: shipped ones by their name."""
    files = dict.fromkeys(info.file for info in eval_sets if info.file)
    return [shlex.quote(one_line(_named(file))) for file in files]


def _named(file: str) -> str:
    shipped = file.startswith(PACKED)
    return file.removeprefix(PACKED).removesuffix(".toml") if shipped else file


def next_steps(report: Report, run: str) -> Iterator[str]:
    """Yield commands with what they show, aligned; `run` is the run's argument, or empty."""
    run = f" {run}" if run else ""
    steps = [*_first_steps(report, run)]
    if any(model.overall.cases for model in report.models):
        steps.append((f"report{run} --open", "the page"))
    commands = [f"forgetest {command}" for command, _ in steps]
    width = max(map(len, commands), default=0)
    for place, (command, (_, shows)) in enumerate(zip(commands, steps, strict=True)):
        yield f"{'     ' if place else 'next:'} {command:{width}}  {shows}"


def _first_steps(report: Report, run: str) -> Iterator[tuple[str, str]]:
    models = [model for model in report.models if not is_anchor(str(model.model))]
    if not models and not has_broken_cases(report):
        sets = [f"-e {name}" for name in _arguments(report.eval_sets)]
        yield " ".join(["run", *sets, "--models PROVIDER/MODEL"]), "the same cases for a model"
    wrong: Counter[str] = Counter()
    for case in (case for model in models for case in model.cases):
        wrong[case.key] += case.n - case.c
    worst = max(wrong, key=wrong.__getitem__, default="")
    if not worst or not wrong[worst]:
        return
    failing = sum(number > 0 for number in wrong.values())
    yield f"show{run} --failed", f"{count(failing, 'case')} with failing samples"
    name = worst if len(report.eval_sets) > 1 else worst.partition("/")[2]
    yield f"show{run} {name}", "the case that fails most, with code and errors"
