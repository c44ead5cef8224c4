"""Small runs made of values, for tests of what is computed from them."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from forgetest.errors import FaultKind
from forgetest.evalset.types import Case, Difficulty, EvalSet
from forgetest.extract.types import Extraction, ExtractionRule
from forgetest.grading.verdict import Diagnostic, Outcome, TestOutcome, TestResult, Verdict
from forgetest.run.events import Faulted, SampleRecord
from forgetest.run.manifest import Manifest, ToolchainInfo
from forgetest.run.seal import Chain
from forgetest.sampling.completion import Completion, Cost, Finish, Usage
from forgetest.sampling.plan import ModelSpec, Plan, Sample, Sampling, parse_model
from forgetest.sampling.variant import Variant

AT = "2026-11-21T00:00:00.000+00:00"
PASS, FAIL, BROKEN, FAULT = "P", "F", "B", "x"


def case(name: str, *, eval_set: str = "set", tags: Sequence[str] = ()) -> Case:
    return Case(
        id=name,
        eval_set=eval_set,
        name=name.title(),
        prompt=f"Write {name}.",
        tags=tuple(tags),
        difficulty=Difficulty.EASY,
    )


VARIANTS = {
    "terse": Variant(system="You write terse Rust.", temperature=0.2),
    "careful": Variant(template="{prompt}\n\nThink of edge cases first."),
}


def spec(name: str) -> ModelSpec:
    """Return the model of `p/m`, or of `p/m@terse`."""
    return parse_model(name, VARIANTS)


def manifest(
    cases: Sequence[Case], *, models: Sequence[str] = ("p/m",), n: int, pass_k: Sequence[int] = (1,)
) -> Manifest:
    """Return what a run of the models is, which may be asked in one of `VARIANTS`."""
    names = dict.fromkeys(item.eval_set for item in cases)
    specs = tuple(map(spec, models))
    plan = Plan(
        models=specs,
        variants={item.variant: VARIANTS[item.variant] for item in specs if item.variant},
        samples_per_case=n,
        pass_k=tuple(pass_k),
        sampling=Sampling(),
        eval_sets=tuple(
            EvalSet(
                id=name,
                name=name.title(),
                cases=tuple(item for item in cases if item.eval_set == name),
            )
            for name in names
        ),
    )
    return Manifest(
        forgetest="0.1.0",
        created=AT,
        command=("forgetest", "run"),
        plan=plan,
        plan_digest=plan.digest,
        prompt_version=1,
        extractor="defining",
        scoring_profile="standard",
        lint_rule="forced",
        toolchain=ToolchainInfo(rustc="rustc 1.95.0", cargo="cargo 1", clippy="clippy 1"),
        limits={"test_secs": 5},
        names_recordings=True,
    )


def verdict(letter: str) -> Verdict:
    match letter:
        case "P":
            return Verdict(
                outcome=Outcome.PASSED, passed=True, compiled=True, tests=results(passed=2)
            )
        case "F":
            return Verdict(
                outcome=Outcome.TESTS_FAILED,
                passed=False,
                compiled=True,
                reasons=("test `b` failed",),
                tests=results(passed=1, failed=1),
            )
        case _:
            error = Diagnostic(level="error", code="E0308", message="mismatched types")
            return Verdict(outcome=Outcome.COMPILE_FAILED, passed=False, errors=(error,))


def results(*, passed: int, failed: int = 0) -> tuple[TestResult, ...]:
    outcomes = [TestOutcome.PASSED] * passed + [TestOutcome.FAILED] * failed
    return tuple(TestResult(name=f"t{i}", outcome=item) for i, item in enumerate(outcomes))


def completion(text: str, *, usd: str | None = "0.001") -> Completion:
    return Completion(
        text=text,
        finish=Finish.STOP,
        usage=Usage(input_tokens=10, output_tokens=20),
        cost=Cost(usd=None if usd is None else Decimal(usd), source="config"),
        latency_secs=0.5,
    )


def record(letter: str, key: str, *, usd: str | None = "0.001") -> SampleRecord:
    if letter == FAULT:
        fault = Faulted(
            sample=key, at=AT, stage="asking", kind=FaultKind.PROVIDER, message="no answer"
        )
        return SampleRecord(fault=fault)
    return SampleRecord(
        completion=completion(key, usd=usd),
        extraction=Extraction(code="fn f() {}", rule=ExtractionRule.WHOLE, blocks=0),
        verdict=verdict(letter),
    )


def records(letters: Mapping[str, str], *, model: str = "p/m") -> dict[str, SampleRecord]:
    """Return the records of `set/case` -> one letter per sample."""
    asked = spec(model)
    found: dict[str, SampleRecord] = {}
    for place, outcomes in letters.items():
        eval_set, case_id = place.split("/")
        for index, letter in enumerate(outcomes):
            key = Sample(model=asked, eval_set=eval_set, case=case_id, index=index).key
            found[key] = record(letter, key)
    return found


def resealed(lines: Iterable[bytes]) -> bytes:
    """Return a journal of some lines of another one, as if no other had ever been there."""
    then, now = Chain(), Chain()
    return b"".join(now.seal(then.check(line.rstrip(b"\n"))[0].decode()) for line in lines)
