"""The parts of a sample in a report.json that a comparison reads; all else is passed over."""

from decimal import Decimal

from pydantic import BaseModel, ConfigDict

from forgetest.evalset.types import Difficulty
from forgetest.grading.verdict import Counted, Outcome, TestOutcome


class Row(BaseModel):
    """A frozen part of somebody's report, of which only these fields are read."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class DiagnosticRow(Row):
    """What rustc or clippy said."""

    code: str | None = None
    message: str


class TestRow(Row):
    """One expected test."""

    name: str
    outcome: TestOutcome
    message: str = ""


class VerdictRow(Counted, Row):
    """What became of one sample."""

    outcome: Outcome
    passed: bool
    compiled: bool = False
    reasons: tuple[str, ...] = ()
    errors: tuple[DiagnosticRow, ...] = ()
    test_errors: tuple[DiagnosticRow, ...] = ()
    tests: tuple[TestRow, ...] = ()
    lints: tuple[DiagnosticRow, ...] = ()
    flags: tuple[str, ...] = ()


class UsageRow(Row):
    """Tokens of one completion."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int = 0
    cache_read_tokens: int = 0


class CostRow(Row):
    """Its price."""

    usd: Decimal | None = None
    source: str = "unknown"


class CompletionRow(Row):
    """What asking cost."""

    usage: UsageRow = UsageRow()
    cost: CostRow = CostRow()
    latency_secs: float | None = None
    served_model: str | None = None


class SampleRow(Row):
    """One sample; unscored without a verdict."""

    index: int
    verdict: VerdictRow | None = None
    completion: CompletionRow | None = None


class CaseRow(Row):
    """One case of one model."""

    eval_set: str
    case: str
    name: str
    tags: tuple[str, ...] = ()
    difficulty: Difficulty | None = None
    planned: int
    n: int
    c: int
    samples: tuple[SampleRow, ...]
