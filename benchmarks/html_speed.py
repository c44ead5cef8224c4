#!/usr/bin/env python3
"""How large the HTML of a large run is, and how fast it opens; see docs/benchmarks.md.

A run of 164 cases, 5 models and 20 samples is made up, with code as long as real solutions are.
"""

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from forgetest.evalset.types import Case, EvalSet, Expectations
from forgetest.extract.types import Extraction, ExtractionRule
from forgetest.grading.verdict import Diagnostic, Outcome, Span, TestOutcome, TestResult, Verdict
from forgetest.render.html import ShownRun, report_files
from forgetest.report.build import build_report
from forgetest.run.events import SampleRecord
from forgetest.run.manifest import Manifest, ToolchainInfo
from forgetest.sampling.completion import Completion, Usage
from forgetest.sampling.plan import ModelSpec, Plan, Sample, Sampling

MET, MISSED = 0, 1  # exit codes
TARGET_MS = 2000.0
MEGABYTE = 1_000_000
LINES = (8, 60)  # of a solution
TESTS = 7
_OPEN = """async (at) => {
    const start = performance.now();
    location.hash = at;
    while (!document.querySelector('#viewer-body .code')) await new Promise(requestAnimationFrame);
    return performance.now() - start;
}"""
_FILTER = """() => {
    const start = performance.now();
    const text = document.getElementById('by-text');
    text.value = 'e0308';
    text.dispatchEvent(new Event('input', {bubbles: true}));
    document.body.offsetHeight;
    return performance.now() - start;
}"""
_READY = """() => {
    const [page] = performance.getEntriesByType('navigation');
    const paints = performance.getEntriesByType('paint');
    const paint = paints.find(({name}) => name === 'first-contentful-paint');
    return [page.loadEventEnd, paint ? paint.startTime : 0];
}"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0, or 1 when the page takes longer than two seconds to open."""
    options = _options().parse_args(arguments)
    random.seed(options.seed)
    run = _run(options.cases, options.models, options.samples)
    start = time.monotonic()
    files = {name: str(text) for name, text in report_files([run]).items()}
    print(f"made in {time.monotonic() - start:.1f} s")
    for name, text in files.items():
        print(f"{name}: {len(text.encode()) / MEGABYTE:.2f} MB")
    with tempfile.TemporaryDirectory() as folder:
        page = _write(Path(options.output or folder), files)
        return _measured(page, options.rounds, run)


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("cases", 164), ("models", 5), ("samples", 20), ("rounds", 5)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, help="keep the files in this folder")
    return parser


def _write(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder / "report.html"


def _measured(page: Path, rounds: int, run: ShownRun) -> int:
    case, model = run.report.eval_sets[0].cases[-1].id, run.report.models[-1].model
    at = f"#large%2F{case}/{model.provider}%2F{model.model}/3"
    program = shutil.which("chromium")
    if program is None:
        print("chromium is not here; only sizes were measured")
        return MET
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        loads = [_opened(browser, page, at) for _ in range(rounds)]
        browser.close()
    for name, times in zip(
        ("loaded", "first paint", "sample", "filter"), zip(*loads, strict=True), strict=True
    ):
        print(f"{name}: median {sorted(times)[len(times) // 2]:.0f} ms, most {max(times):.0f} ms")
    return MET if sorted(load[0] for load in loads)[rounds // 2] < TARGET_MS else MISSED


def _opened(browser: Browser, page: Path, at: str) -> tuple[float, float, float, float]:
    """Return milliseconds until all is loaded, something is seen, a sample and a filter show."""
    tab = browser.new_page()
    tab.goto(page.as_uri())
    tab.wait_for_timeout(200)
    loaded, paint = tab.evaluate(_READY)
    found = loaded, paint, tab.evaluate(_OPEN, at), tab.evaluate(_FILTER)
    tab.close()
    return found


def _run(cases: int, models: int, samples: int) -> ShownRun:
    asked = tuple(_case(index) for index in range(cases))
    specs = tuple(ModelSpec(provider="made", model=f"model-{i}") for i in range(models))
    sets = (EvalSet(id="large", name="Large", cases=asked),)
    plan = Plan(
        models=specs,
        samples_per_case=samples,
        pass_k=tuple(k for k in (1, 5, 10) if k <= samples),
        sampling=Sampling(temperature=0.8),
        eval_sets=sets,
    )
    found = {sample.key: _record(specs.index(sample.model), sample) for sample in plan.samples()}
    return ShownRun(build_report(_manifest(plan), found), sets, "large")


def _manifest(plan: Plan) -> Manifest:
    return Manifest(
        forgetest="0",
        created="2026-11-21T00:00:00Z",
        command=("forgetest", "run"),
        plan=plan,
        plan_digest=plan.digest,
        prompt_version=1,
        extractor="defining",
        scoring_profile="standard",
        lint_rule="forced",
        toolchain=ToolchainInfo(rustc="rustc 1", cargo="cargo 1", clippy="clippy 1"),
        limits={},
    )


def _case(index: int) -> Case:
    return Case(
        id=f"case-{index:03}",
        eval_set="large",
        name=f"Case {index}",
        prompt="Write a function that does this.\n" + _code(12),
        tags=("strings", "ownership") if index % 2 else ("collections",),
        expectations=Expectations(test_file=_code(40)),
        reference_solution=_code(30),
    )


def _code(lines: int) -> str:
    body = "".join(_line(index) for index in range(lines))
    return f"pub fn solve(values: &[i64]) -> Option<i64> {{\n{body}    None\n}}\n"


def _line(index: int) -> str:
    return f"    let value_{index} = values.get({random.randrange(99)})?.checked_add({index});\n"  # noqa: S311


def _record(model: int, sample: Sample) -> SampleRecord:
    code = _code(random.randint(*LINES))  # noqa: S311 - made-up data
    completion = Completion(
        text=f"Here is the solution:\n\n```rust\n{code}```\n\nIt runs in linear time.",
        usage=Usage(input_tokens=300, output_tokens=len(code) // 3),
        latency_secs=random.lognormvariate(0.5 + model / 4, 0.5),
    )
    extraction = Extraction(code=code, rule=ExtractionRule.WHOLE, blocks=1)
    hard = int(sample.case[-1]) / 10
    return SampleRecord(
        completion=completion,
        extraction=extraction,
        verdict=_verdict(random.random() * 1.2 - model / 8 - hard / 2),  # noqa: S311
    )


def _verdict(luck: float) -> Verdict:
    if luck < 0:
        return _broken()
    failed = 0 if luck > 0.25 else random.randint(1, TESTS)  # noqa: S311, PLR2004
    outcome = Outcome.TESTS_FAILED if failed else Outcome.PASSED
    reasons = (f"{failed} of {TESTS} tests failed",) if failed else ()
    return Verdict(
        outcome=outcome,
        passed=not failed,
        compiled=True,
        tests=tuple(_tests(failed)),
        reasons=reasons,
    )


def _broken() -> Verdict:
    code = random.choice(("E0308", "E0382", "E0502", "E0425", "E0277"))  # noqa: S311
    span = Span(file="src/lib.rs", line=3, column=9, end_line=3, end_column=20, label="here")
    said = f"error[{code}]: mismatched types\n --> src/lib.rs:3:9\n" + "  |\n" * 8
    error = Diagnostic(
        level="error", code=code, message="mismatched types", span=span, rendered=said
    )
    reason = f"error {code} at src/lib.rs:3: mismatched types"
    return Verdict(outcome=Outcome.COMPILE_FAILED, passed=False, errors=(error,), reasons=(reason,))


def _tests(failed: int) -> Iterator[TestResult]:
    for index in range(TESTS):
        name = f"tests::it_keeps_promise_{index}_of_the_task"
        passed = index >= failed
        outcome = TestOutcome.PASSED if passed else TestOutcome.FAILED
        message = "" if passed else "assertion `left == right` failed\n  left: 1\n right: 2"
        yield TestResult(name=name, outcome=outcome, message=message, secs=0.002)


if __name__ == "__main__":
    sys.exit(main())
