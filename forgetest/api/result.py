"""What grading one answer gives: a verdict or a fault, as values."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from typing import Any, NamedTuple

from forgetest.errors import Fault
from forgetest.evalset.types import Case
from forgetest.extract.types import Extraction
from forgetest.grading.verdict import Diagnostic, Integrity, Level, Outcome, TestResult, Verdict
from forgetest.metrics import STANDARD, ScoringProfile
from forgetest.report.aggregate import sample_report
from forgetest.report.samples import SampleReport
from forgetest.report.score import verdict_score
from forgetest.run.events import Faulted, SampleRecord
from forgetest.sampling.completion import Completion


class Weights(NamedTuple):
    """What compiling, passing tests and being free of lints weigh in a reward."""

    compile: float = 0.4
    tests: float = 0.5
    clippy: float = 0.1


@dataclass(frozen=True)
class Result:
    """One graded answer; where the machine failed, `fault` says why and there is no verdict."""

    case: Case
    index: int  # among the pairs of a batch, from 0
    completion: Completion | None  # None: code was given
    extraction: Extraction | None
    verdict: Verdict | None
    fault: Fault | None = None

    @property
    def scored(self) -> bool:
        """Whether there is a verdict."""
        return self.verdict is not None

    @property
    def passed(self) -> bool | None:
        """Whether the code is right; None where the machine failed."""
        return self.verdict.passed if self.verdict else None

    @property
    def score(self) -> float | None:
        """0.4 compile + 0.5 tests + 0.1 clippy, 0 to 1; None where the machine failed."""
        return float(verdict_score(self.verdict)) if self.verdict else None

    @property
    def outcome(self) -> Outcome | None:
        """The result in one word; None where the machine failed."""
        return self.verdict.outcome if self.verdict else None

    @property
    def code(self) -> str | None:
        """The code that was graded; None where the answer has none."""
        return self.extraction.code if self.extraction else None

    @property
    def tests(self) -> tuple[TestResult, ...]:
        """Every expected test, in the order of the test file."""
        return self.verdict.tests if self.verdict else ()

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """Errors of rustc, about the code and then about building the tests against it."""
        return (*self.verdict.errors, *self.verdict.test_errors) if self.verdict else ()

    @property
    def lints(self) -> tuple[Diagnostic, ...]:
        """Lints of clippy on the code."""
        return self.verdict.lints if self.verdict else ()

    @property
    def integrity(self) -> Integrity | None:
        """How far to trust the verdict."""
        return self.verdict.integrity if self.verdict else None

    @property
    def timings(self) -> dict[str, float]:
        """Seconds by phase of grading."""
        return dict(self.verdict.timings) if self.verdict else {}

    def reward(
        self,
        *,
        weights: tuple[float, float, float] = Weights(),
        cheated: float = 0.0,
        unscored: float | None = None,
    ) -> float | None:
        """Return a reward for training: the weighted parts of the score, 0 to 1.

        `cheated` is the reward of code that was caught cheating, even if it passed. `unscored` is
        that of an answer that the machine failed on; None leaves it to the caller, because a
        trainer that takes it for 0 learns from the machine's troubles.
        """
        if self.verdict is None:
            return unscored
        if self.verdict.integrity.level is Level.CHEATED:
            return cheated
        return float(verdict_score(self.verdict, _profile(*weights)))

    @cached_property
    def report(self) -> SampleReport:
        """The same as a sample of report.json."""
        fault = self.fault and Faulted(
            sample=self.case.key,
            at="",
            stage="grading",
            kind=self.fault.kind,
            message=self.fault.message,
        )
        record = SampleRecord(
            completion=self.completion,
            extraction=self.extraction,
            verdict=self.verdict,
            fault=fault,
        )
        return sample_report(self.index, record)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of a sample in report.json, with the case as `set/case`."""
        return {"case": self.case.key, **self.report.model_dump(mode="json")}

    def __repr__(self) -> str:
        state = self.outcome or f"unscored: {self.fault}"
        score = "" if self.score is None else f", score {self.score:.3f}"
        return f"<Result {self.case.key}: {state}{score}>"


@cache
def _profile(compile_: float, tests: float, clippy: float) -> ScoringProfile:
    return replace(
        STANDARD,
        name="reward",
        compile_weight=Fraction(str(compile_)),
        tests_weight=Fraction(str(tests)),
        clippy_weight=Fraction(str(clippy)),
    )
