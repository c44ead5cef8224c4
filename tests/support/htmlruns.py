"""Runs for pages: with errors, lints, tests and times, and one in which all text is hostile."""

import functools
from collections.abc import Sequence
from decimal import Decimal

import records
from records import case as plain_case

from forgetest.evalset.types import Case, ContextFile, EvalSet, Expectations
from forgetest.extract.types import Extraction, ExtractionRule
from forgetest.grading.verdict import Diagnostic, Outcome, Span, TestOutcome, TestResult, Verdict
from forgetest.render.html import ShownRun
from forgetest.report.build import build_report
from forgetest.run.events import SampleRecord
from forgetest.sampling.completion import Completion, Cost, Usage
from forgetest.sampling.plan import Sample

CODE = """// Adds two numbers; "quotes" and 'c' in a comment.
pub fn add<'a>(a: i32, b: i32) -> i32 {
    let text = r#"raw "string" /* no comment */"#;
    return a + text;
}
"""
HOSTILE = (
    "<script>window.pwned=1</script><img src=x onerror=window.pwned=2>",
    "</script><script>window.pwned=3</script><!-- <script>",
    "\"><svg onload=window.pwned=4><iframe src='javascript:parent.pwned=5'>",
    "<style>body{display:none}</style><base href=https://evil.example/>",
    "javascript:window.pwned=6 {{ 7*7 }} {% raw %} ${7*7} `",
    "\u202eevil\u2066 \u200b\u200d \x1b[31mred\x1b]0;title\x07 \x00 \r\n\u2028\u2029",
    "```html\n<meta http-equiv=refresh content='0;url=https://evil.example'>\n```",
    "<form action=https://evil.example><button autofocus onfocus=window.pwned=7>",
    "z\u0300\u0301\u0302\u0303\u0304\u0305\u0306" * 20,
)
ALL_HOSTILE = " ".join(HOSTILE)


def error(line: int = 4, message: str = "mismatched types", code: str = "E0308") -> Diagnostic:
    span = Span(
        file="src/lib.rs", line=line, column=16, end_line=line, end_column=20, label="expected i32"
    )
    return Diagnostic(
        level="error", code=code, message=message, span=span, rendered=f"error: {message}\n"
    )


def lint(line: int = 4, code: str = "clippy::needless_return") -> Diagnostic:
    span = Span(file="src/lib.rs", line=line, column=5, end_line=line, end_column=11)
    return Diagnostic(level="warning", code=code, message="unneeded `return`", span=span)


def verdict(letter: str) -> Verdict:
    """Return a verdict: P passes, L with a lint, F fails a test, B does not compile."""
    passed = TestResult(name="tests::adds", outcome=TestOutcome.PASSED, secs=0.002)
    if letter == "B":
        return Verdict(
            outcome=Outcome.COMPILE_FAILED,
            passed=False,
            errors=(error(),),
            reasons=("error E0308 at src/lib.rs:4: mismatched types",),
        )
    if letter == "F":
        failed = TestResult(
            name="tests::adds_below_zero",
            outcome=TestOutcome.FAILED,
            message="assertion failed: left 1, right 2",
        )
        return Verdict(
            outcome=Outcome.TESTS_FAILED,
            passed=False,
            compiled=True,
            tests=(passed, failed),
            reasons=("1 of 2 tests failed: tests::adds_below_zero",),
        )
    lints = (lint(),) if letter == "L" else ()
    return Verdict(outcome=Outcome.PASSED, passed=True, compiled=True, tests=(passed,), lints=lints)


def record(
    letter: str, *, code: str = CODE, usd: str | None = "0.002", secs: float = 1.5
) -> SampleRecord:
    if letter == records.FAULT:
        return records.record(letter, "x")
    completion = Completion(
        text=f"Here you are:\n\n```rust\n{code}```\n",
        usage=Usage(input_tokens=100, output_tokens=40),
        cost=Cost(usd=None if usd is None else Decimal(usd), source="config"),
        latency_secs=secs,
        notes=("new, not graded: plan.txt",),
    )
    return SampleRecord(
        completion=completion,
        extraction=Extraction(code=code, rule=ExtractionRule.WHOLE, blocks=1),
        verdict=verdict(letter),
    )


def full_case(name: str, *, eval_set: str = "set", tags: Sequence[str] = ("math",)) -> Case:
    return plain_case(name, eval_set=eval_set, tags=tags).model_copy(
        update={
            "prompt": f"Write {name}.\nIt adds.",
            "description": f"Measures {name}.",
            "context": (ContextFile(path="src/extra.rs", content="pub struct Extra;\n"),),
            "expectations": Expectations(test_file="#[test]\nfn adds() { assert!(true); }\n"),
            "reference_solution": "pub fn add(a: i32, b: i32) -> i32 { a + b }\n",
        }
    )


def run(
    letters: dict[str, dict[str, str]],
    *,
    cases: Sequence[Case] | None = None,
    pass_k: Sequence[int] = (1,),
    label: str = "run",
    code: str = CODE,
) -> ShownRun:
    """Return a run of model -> `set/case` -> one letter per sample."""
    keys = list(next(iter(letters.values())))
    asked = cases or [full_case(key.split("/")[1], eval_set=key.split("/")[0]) for key in keys]
    n = len(next(iter(next(iter(letters.values())).values())))
    plan = records.manifest(asked, models=list(letters), n=n, pass_k=pass_k)
    found: dict[str, SampleRecord] = {}
    for spec, model in zip(plan.plan.models, letters, strict=True):
        for key, outcomes in letters[model].items():
            eval_set, case = key.split("/")
            for index, letter in enumerate(outcomes):
                sample = Sample(model=spec, eval_set=eval_set, case=case, index=index)
                found[sample.key] = record(letter, code=code, secs=1.0 + index)
    return ShownRun(build_report(plan, found), plan.plan.eval_sets, label)


@functools.cache
def three_models() -> ShownRun:
    """Return a run of three models, three cases and four samples each."""
    return run(
        {
            "p/strong": {"set/add": "PPPP", "set/merge": "PPLP", "set/parse": "PPFP"},
            "p/middle": {"set/add": "PPPF", "set/merge": "LFBB", "set/parse": "PFFx"},
            "p/weak": {"set/add": "PBBB", "set/merge": "BBBB", "set/parse": "FFBB"},
        },
        cases=[
            full_case("add", tags=("math",)),
            full_case("merge", tags=("slices",)),
            full_case("parse", tags=("slices", "errors")),
        ],
        pass_k=(1, 2, 4),
    )


@functools.cache
def hostile(text: str = ALL_HOSTILE) -> ShownRun:
    """Return a run in which every text that others write is hostile."""
    name = text.replace("|", "")
    case = full_case("add").model_copy(
        update={
            "id": name,
            "name": text,
            "description": text,
            "prompt": text,
            "tags": (text, "math"),
            "context": (ContextFile(path=text, content=text),),
            "expectations": Expectations(test_file=text),
            "reference_solution": text,
            "file": text,
        }
    )
    plan = records.manifest([case], models=["p/m"], n=3)
    model = plan.plan.models[0].model_copy(update={"model": name})
    sets = (EvalSet(id="set", name=text, version=text, cases=(case,)),)
    asked = plan.plan.model_copy(update={"models": (model,), "eval_sets": sets})
    manifest = plan.model_copy(
        update={"plan": asked, "command": ("forgetest", text), "endpoints": {"p": text}}
    )
    samples = asked.samples()
    found = {sample.key: _hostile_record(text) for sample in samples}
    report = build_report(manifest, found)
    return ShownRun(report.model_copy(update={"warnings": (text,)}), sets, text)


def _hostile_record(text: str) -> SampleRecord:
    bad = error(1, text, "E0308").model_copy(update={"rendered": text, "code": text})
    assert bad.span is not None
    marked = bad.model_copy(update={"span": bad.span.model_copy(update={"label": text})})
    outcome = TestResult(name=text, outcome=TestOutcome.FAILED, message=text)
    made = record("F", code=text)
    assert made.completion is not None
    told = Verdict(
        outcome=Outcome.COMPILE_FAILED,
        passed=False,
        errors=(marked,),
        test_errors=(marked,),
        lints=(marked,),
        tests=(outcome,),
        reasons=(text,),
        flags=(text,),
    )
    completion = made.completion.model_copy(
        update={"text": text, "native_finish": text, "served_model": text, "notes": (text,)}
    )
    return SampleRecord(completion=completion, extraction=made.extraction, verdict=told)
