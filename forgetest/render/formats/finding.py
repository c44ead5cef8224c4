"""What is wrong with a case's samples, by kind: a rustc code, a clippy lint, or an outcome."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from forgetest.grading.verdict import Outcome
from forgetest.render.formats.standing import error_codes, reason
from forgetest.render.safe import one_line
from forgetest.report.types import CaseReport, ModelReport, SampleReport

_CODE = re.compile(r"E\d{4}|(?:clippy::)?[a-z_][a-z0-9_]{0,80}")  # what the compilers call things


class Level(StrEnum):
    """How grave a finding is, in SARIF's words."""

    ERROR = "error"  # no sample passes
    WARNING = "warning"  # some do
    NOTE = "note"  # lints fail nothing


@dataclass(frozen=True, slots=True)
class Finding:
    """One kind of trouble that samples of one model have with one case."""

    case: CaseReport
    model: ModelReport
    rule: str
    level: Level
    samples: tuple[int, ...]  # counted from 1
    example: str  # of the first of them, one line

    @property
    def fingerprint(self) -> str:
        """Return what stays the same from run to run, wherever the case's line moves."""
        parts = (self.case.key, str(self.model.model), self.rule)
        return hashlib.sha256("\0".join(parts).encode(errors="replace")).hexdigest()[:32]


def findings(model: ModelReport) -> Iterator[Finding]:
    """Yield the findings of a model, case by case; unscored samples have none."""
    for case in model.cases:
        kinds: dict[str, list[tuple[SampleReport, str]]] = {}
        for sample in case.samples:
            for rule, example in _kinds(sample).items():
                kinds.setdefault(rule, []).append((sample, example))
        for rule, found in kinds.items():
            yield Finding(
                case=case,
                model=model,
                rule=rule,
                level=_level(case, wrong=any(_is_wrong(sample, rule) for sample, _ in found)),
                samples=tuple(sample.index + 1 for sample, _ in found),
                example=found[0][1],
            )


def _level(case: CaseReport, *, wrong: bool) -> Level:
    if not wrong:
        return Level.NOTE
    return Level.WARNING if case.c else Level.ERROR


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
