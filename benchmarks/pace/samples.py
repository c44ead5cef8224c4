"""Samples of a made-up model: verdicts of many kinds on real code, of the corpus beside this."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from random import Random

from forgetest.errors import FaultKind
from forgetest.extract.types import Extraction, ExtractionRule
from forgetest.grading.verdict import Diagnostic, Outcome, Span, TestOutcome, TestResult, Verdict
from forgetest.run.events import Faulted, SampleRecord
from forgetest.sampling.completion import Completion, Cost, Finish, Usage

CODES = Path(__file__).parent.parent / "corpus" / "samples"
TESTS = 3  # a case
UNSCORED = 0.002  # share of samples
AT = "2026-11-21T00:00:00.000+00:00"
_SHORT = 800  # characters
_SLOW = 0.1  # chance that a failing sample hangs
_ERRORS = (
    ("E0308", "mismatched types"),
    ("E0382", "borrow of moved value: `words`"),
    ("E0502", "cannot borrow `counts` as mutable because it is also borrowed as immutable"),
    ("E0599", "no method named `sorted` found for struct `Vec<u32>` in the current scope"),
)
_LINTS = (
    ("clippy::needless_range_loop", "the loop variable `i` is only used to index `words`"),
    ("clippy::needless_return", "unneeded `return` statement"),
)
_FAILED = "assertion `left == right` failed\n  left: {}\n right: {}"


@dataclass(frozen=True, slots=True)
class Model:
    """What one case's samples are drawn from."""

    pass_rate: float
    codes: Sequence[str]


def codes() -> list[str]:
    """Return the shorter samples of the corpus, always in the same order."""
    found = (file.read_text(encoding="utf-8") for file in sorted(CODES.rglob("*.rs")))
    return [code for code in found if len(code) < _SHORT]


def record(model: Model, key: str, rng: Random) -> SampleRecord:
    """Return one sample."""
    if rng.random() < UNSCORED:
        kind = FaultKind.PROVIDER
        return SampleRecord(
            fault=Faulted(sample=key, at=AT, stage="asking", kind=kind, message="503 from server")
        )
    code = f"// {key}\n{rng.choice(model.codes)}"
    text = (
        "Here is one way to do it. It goes over the input once and keeps what it needs.\n\n"
        f"```rust\n{code}```\n\nAll names are those of the task. Edge cases such as empty input "
        "return early, and nothing is allocated that could be borrowed.\n"
    )
    return SampleRecord(
        completion=_completion(text, rng),
        extraction=Extraction(code=code, rule=ExtractionRule.WHOLE, blocks=1),
        verdict=_passed(rng) if rng.random() < model.pass_rate else _failed(rng),
    )


def _completion(text: str, rng: Random) -> Completion:
    tokens = len(text) // 4
    return Completion(
        text=text,
        finish=Finish.STOP,
        native_finish="stop",
        usage=Usage(input_tokens=rng.randrange(300, 500), output_tokens=tokens),
        cost=Cost(usd=Decimal(tokens) / 1_000_000, source="config"),
        latency_secs=round(rng.uniform(1, 9), 3),
        request_id=f"req-{rng.getrandbits(64):016x}",
        served_model="made-up-2026-11-01",
    )


def _passed(rng: Random) -> Verdict:
    return Verdict(
        outcome=Outcome.PASSED,
        passed=True,
        compiled=True,
        tests=_tests(TESTS, rng),
        lints=_lints(rng),
        timings=_timings(rng),
    )


def _failed(rng: Random) -> Verdict:
    kinds: tuple[Callable[[Random], Verdict], ...] = (_wrong, _rejected, _without_code)
    return rng.choices(kinds, (60, 35, 5))[0](rng)


def _wrong(rng: Random) -> Verdict:
    right = rng.choice((0, 2))
    slow = rng.random() < _SLOW
    return Verdict(
        outcome=Outcome.TEST_TIMEOUT if slow else Outcome.TESTS_FAILED,
        passed=False,
        compiled=True,
        reasons=(f"test `tests::t{right + 1}` failed",),
        tests=_tests(right, rng, TestOutcome.TIMEOUT if slow else TestOutcome.FAILED),
        lints=_lints(rng),
        timings=_timings(rng),
    )


def _rejected(rng: Random) -> Verdict:
    return Verdict(
        outcome=Outcome.COMPILE_FAILED,
        passed=False,
        reasons=("does not compile",),
        errors=tuple(
            _diagnostic("error", rng.choice(_ERRORS), rng) for _ in range(rng.choice((1, 1, 2)))
        ),
        timings={"compile": round(rng.uniform(0.1, 0.3), 4)},
    )


def _without_code(_: Random) -> Verdict:
    reason = "no Rust code was found in the completion"
    return Verdict(outcome=Outcome.NO_CODE, passed=False, reasons=(reason,))


def _tests(
    right: int, rng: Random, otherwise: TestOutcome = TestOutcome.FAILED
) -> tuple[TestResult, ...]:
    return tuple(
        TestResult(
            name=f"tests::t{i + 1}",
            outcome=TestOutcome.PASSED if i < right else otherwise,
            message="" if i < right else _FAILED.format(i, rng.randrange(9)),
            secs=round(rng.uniform(0.001, 0.01), 4),
        )
        for i in range(TESTS)
    )


def _lints(rng: Random) -> tuple[Diagnostic, ...]:
    found = rng.choices((0, 1, 2), (80, 15, 5))[0]
    return tuple(_diagnostic("warning", lint, rng) for lint in _LINTS[:found])


def _diagnostic(level: str, said: tuple[str, str], rng: Random) -> Diagnostic:
    code, message = said
    line, column = rng.randrange(1, 40), rng.randrange(5, 30)
    return Diagnostic(
        level=level,
        code=code,
        message=message,
        span=Span(
            file="src/lib.rs", line=line, column=column, end_line=line, end_column=column + 6
        ),
        rendered=(
            f"{level}[{code}]: {message}\n  --> src/lib.rs:{line}:{column}\n   |\n{line:<3}|"
            "     let found = words.iter().map(|word| word.len()).max();\n"
            f"   |{' ' * column}^^^^^^\n"
        ),
    )


def _timings(rng: Random) -> dict[str, float]:
    return {
        name: round(rng.uniform(0.02, 0.3), 4) for name in ("compile", "build", "run", "clippy")
    }
