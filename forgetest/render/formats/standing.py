"""What several formats say of a case: how it did, why samples fail, where it is written.

A case fails when a scored sample is wrong. It is unscored, and not a failure, when faults of the
machine left samples without a verdict and the rest are right.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath

from forgetest.evalset.types import Case
from forgetest.grading.verdict import Outcome
from forgetest.render.numbers import more
from forgetest.render.run import ShownRun
from forgetest.render.safe import Paths, one_line
from forgetest.report.samples import SampleReport
from forgetest.report.types import CaseReport, ModelReport

SHOWN = 20  # samples of a case that are listed
CODES = 3  # error codes that are named behind an outcome
_LINE = 300  # characters of a sample's line


class TestStatus(StrEnum):
    """How a tool for tests sees a case."""

    PASSED = "passed"
    FAILED = "failed"
    UNSCORED = "unscored"
    NOT_PLANNED = "not_planned"


def standing(case: CaseReport) -> TestStatus:
    """Return how the case did."""
    if case.c < case.n:
        return TestStatus.FAILED
    if case.n < case.planned:
        return TestStatus.UNSCORED
    return TestStatus.PASSED if case.n else TestStatus.NOT_PLANNED


def main_failure(case: CaseReport) -> str:
    """Return the outcome that most of the wrong samples have, or the kind of fault of most.

    Returns the standing for a case that has neither.
    """
    wrong = _outcomes(case) or Counter(str(sample.fault_kind) for sample in unscored(case))
    return min(wrong, key=lambda name: (-wrong[name], name)) if wrong else str(standing(case))


def case_summary(case: CaseReport) -> str:
    """Return `passed 3 of 5; compile_failed 2 (E0308 2); 1 unscored (provider)`."""
    parts = [f"passed {case.c} of {case.n}"]
    wrong = sorted(_outcomes(case).items(), key=lambda item: (-item[1], item[0]))
    parts.extend(f"{name} {count}{_codes(case, name)}" for name, count in wrong)
    if missing := unscored(case):
        kinds = ", ".join(sorted({str(sample.fault_kind or "not graded") for sample in missing}))
        parts.append(f"{len(missing)} unscored ({kinds})")
    return "; ".join(parts)


def failure_list(case: CaseReport) -> list[str]:
    """Return a line for each sample that did not pass, `#2 compile_failed: ...`; at most SHOWN."""
    failures = [_line(sample) for sample in case.samples if not sample.passed]
    return [*failures[:SHOWN], *filter(None, [more(len(failures) - SHOWN)])]


def unscored(case: CaseReport) -> list[SampleReport]:
    """Return the samples without a verdict."""
    return [sample for sample in case.samples if not sample.scored]


def reason(sample: SampleReport) -> str:
    """Return why a sample did not pass, on one line; empty for one that did."""
    if not sample.scored:
        return one_line(f"{sample.fault_kind}: {sample.fault}" if sample.fault else "not graded")
    return one_line("; ".join(sample.verdict.reasons) if sample.verdict else "", _LINE)


def work_secs(case: CaseReport) -> float:
    """Return the seconds of all requests and gradings of a case, added up."""
    return sum(request_secs(sample) + grading_secs(sample) for sample in case.samples)


def request_secs(sample: SampleReport) -> float:
    """Return the seconds of the sample's successful requests; 0 where none was measured."""
    return sum(reply.latency_secs or 0.0 for reply in sample.completions)


def grading_secs(sample: SampleReport) -> float:
    """Return the seconds that grading took."""
    return sample.verdict.timings.get("total", 0.0) if sample.verdict else 0.0


def error_codes(sample: SampleReport) -> list[str]:
    """Return the rustc codes that stopped a sample, each once, in their order."""
    if sample.verdict is None or sample.outcome is not Outcome.COMPILE_FAILED:
        return []
    return list(dict.fromkeys(error.code for error in sample.verdict.errors if error.code))


def _outcomes(case: CaseReport) -> Counter[str]:
    return Counter(
        str(sample.outcome) for sample in case.samples if sample.scored and not sample.passed
    )


def _codes(case: CaseReport, outcome: str) -> str:
    if outcome != Outcome.COMPILE_FAILED:
        return ""
    counts = Counter(code for sample in case.samples for code in error_codes(sample))
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    named = ", ".join(f"{one_line(code)} {count}" for code, count in ordered[:CODES])
    return f" ({named}{', …' if len(ordered) > CODES else ''})" if named else ""


def _line(sample: SampleReport) -> str:
    word = str(sample.outcome) if sample.scored else "unscored"
    why = reason(sample)
    return f"#{sample.index + 1} {word}{': ' if why else ''}{why}"


class Pieces(Iterable[str]):
    """A text that is made while it is written, and again each time, however long it is."""

    def __init__(self, make: Callable[[], Iterable[str]]) -> None:
        self._make = make

    def __iter__(self) -> Iterator[str]:
        return iter(self._make())

    def __str__(self) -> str:
        return "".join(self)


Files = dict[str, str | Pieces]  # a path below the folder that was asked for -> its text

_LONGEST = 80  # characters of a made name


def suite_name(run: ShownRun, model: ModelReport, *, several: bool) -> str:
    """Return the name of a model's results, with the run's in front where there are several."""
    return f"{run.label}: {model.model}" if several else str(model.model)


def who(model: ModelReport) -> dict[str, str]:
    """Return the model and, as a key of its own, the variant in which it was asked.

    The default variant has none: files of runs without variants are as they have always been.
    """
    variant = model.model.variant
    return {"model": model.model.plain, **({} if variant is None else {"variant": variant})}


@dataclass(frozen=True, slots=True)
class CaseLocation:
    """Where a case is written; `file` is None where that is outside the repository."""

    file: str | None
    name: str  # of the file, without its folders
    line: int | None


def case_locations(run: ShownRun, paths: Paths) -> Mapping[str, CaseLocation]:
    """Return the place of each case, by `set/case`."""
    return {
        f"{item.id}/{case.id}": CaseLocation(paths.of(item.file), _last_name(item.file), case.line)
        for item in run.report.eval_sets
        for case in item.cases
    }


def _last_name(file: str) -> str:
    return one_line(PurePosixPath(file.replace("\\", "/")).name) or "unknown.toml"


def whole_cases(run: ShownRun) -> dict[str, Case]:
    """Return the whole cases by `set/case`; none without the run folder."""
    return {case.key: case for item in run.eval_sets for case in item.cases}


def file_names(names: Sequence[str]) -> Mapping[str, str]:
    """Return a name for files or folders for each different text, the same for the same texts.

    Letters, digits, `.`, `_` and `-` stay; no two names differ in upper and lower case alone.
    """
    taken: set[str] = set()
    made: dict[str, str] = {}
    for name in dict.fromkeys(names):
        plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name)[:_LONGEST].strip(".-") or "unnamed"
        number, free = 2, plain
        while free.lower() in taken:
            number, free = number + 1, f"{plain}-{number}"
        taken.add(free.lower())
        made[name] = free
    return made


_CODE = re.compile(r"E\d{4}|(?:clippy::)?[a-z_][a-z0-9_]{0,80}")  # what the compilers call things


class SarifLevel(StrEnum):
    """How grave a finding is, in SARIF's words."""

    ERROR = "error"  # no sample passes
    WARNING = "warning"  # some do
    NOTE = "note"  # lints fail nothing


@dataclass(frozen=True, slots=True)
class CaseTrouble:
    """One kind of trouble that samples of one model have with one case."""

    case: CaseReport
    model: ModelReport
    rule: str
    level: SarifLevel
    samples: tuple[int, ...]  # counted from 1
    example: str  # of the first of them, one line

    @property
    def fingerprint(self) -> str:
        """Return what stays the same from run to run, wherever the case's line moves."""
        parts = (self.case.key, str(self.model.model), self.rule)
        return hashlib.sha256("\0".join(parts).encode(errors="replace")).hexdigest()[:32]


def case_troubles(model: ModelReport) -> Iterator[CaseTrouble]:
    """Yield the findings of a model, case by case; unscored samples have none."""
    for case in model.cases:
        kinds: dict[str, list[tuple[SampleReport, str]]] = {}
        for sample in case.samples:
            for rule, example in _kinds(sample).items():
                kinds.setdefault(rule, []).append((sample, example))
        for rule, found in kinds.items():
            yield CaseTrouble(
                case=case,
                model=model,
                rule=rule,
                level=_level(case, wrong=any(_is_wrong(sample, rule) for sample, _ in found)),
                samples=tuple(sample.index + 1 for sample, _ in found),
                example=found[0][1],
            )


def _level(case: CaseReport, *, wrong: bool) -> SarifLevel:
    if not wrong:
        return SarifLevel.NOTE
    return SarifLevel.WARNING if case.c else SarifLevel.ERROR


def _is_wrong(sample: SampleReport, rule: str) -> bool:
    return rule == sample.outcome or rule in error_codes(sample)


def _kinds(sample: SampleReport) -> dict[str, str]:
    """Return the rules that a sample breaks, with what is said of each."""
    if sample.verdict is None or sample.outcome is None:
        return {}
    wrong = {} if sample.passed else _wrong(sample, sample.outcome)
    lints = {
        lint.code: one_line(lint.message)
        for lint in sample.verdict.lints
        if lint.code and _CODE.fullmatch(lint.code)
    }
    return {**lints, **wrong}


def _wrong(sample: SampleReport, outcome: Outcome) -> dict[str, str]:
    """Return the codes of rustc where these stopped the sample, and else its outcome."""
    errors = sample.verdict.errors if sample.verdict else ()
    codes = [code for code in error_codes(sample) if _CODE.fullmatch(code)]
    if not codes:
        return {str(outcome): reason(sample)}
    return {
        code: next(one_line(error.message) for error in errors if error.code == code)
        for code in codes
    }
