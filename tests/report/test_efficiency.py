"""Memory that passing samples take, over what the reference takes: counted, compared and shown."""

import json
import math

import pytest
from program import ROOT, Program
from records import case, manifest

from forgetest.grading.verdict import Outcome, TestOutcome, TestResult, Verdict
from forgetest.render.markdown import report_markdown
from forgetest.report.build import build_report
from forgetest.report.types import Report
from forgetest.run.events import SampleRecord
from forgetest.sampling.plan import Sample

MODELS = ("p/twice", "p/mixed", "p/fails", "reference/solution")
Taken = tuple[int, int] | None  # allocations and bytes of a test; None: it is not counted
TAKEN: dict[str, dict[str, list[Taken]]] = {
    "p/twice": {"s/one": [(7, 1999), (7, 1999)], "s/two": [(1, 1)], "s/plain": [None]},
    "p/mixed": {"s/one": [(7, 499), (1, 499)], "s/two": [(3, 1)], "s/plain": [None]},
    "p/fails": {"s/one": [], "s/two": [], "s/plain": [None]},
    "reference/solution": {"s/one": [(3, 999)], "s/two": [(0, 0)], "s/plain": [None]},
}


def verdict(taken: Taken, *, passed: bool = True) -> Verdict:
    allocations, peak = taken or (None, None)
    counts = [(0, 0), (allocations, peak)] if taken else [(None, None)]
    tests = tuple(
        TestResult(
            name=f"tests::t{place}", outcome=TestOutcome.PASSED, allocations=each, peak_bytes=held
        )
        for place, (each, held) in enumerate(counts)
    )
    outcome = Outcome.PASSED if passed else Outcome.TESTS_FAILED
    return Verdict(outcome=outcome, passed=passed, compiled=True, tests=tests)


def reported(models: tuple[str, ...] = MODELS) -> Report:
    cases = [case(name, eval_set="s") for name in ("one", "two", "plain")]
    plan = manifest(cases, models=list(models), n=3, pass_k=(1,))
    records = {}
    for spec, model in zip(plan.plan.models, models, strict=True):
        for key, taken in TAKEN[model].items():
            passing = [verdict(each) for each in taken]
            failing = [verdict((99, 99_999), passed=False)] * (3 - len(taken))
            for index, found in enumerate([*passing, *failing]):
                sample = Sample(model=spec, eval_set="s", case=key.split("/")[1], index=index)
                records[sample.key] = SampleRecord(verdict=found)
    return build_report(plan, records)


def test_the_passing_samples_of_each_case_have_a_geometric_mean() -> None:
    report = reported()
    mixed, fails = report.models[1], report.models[2]
    assert [result.memory and result.memory.samples for result in mixed.cases] == [2, 1, None]
    assert mixed.cases[0].memory is not None
    assert mixed.cases[0].memory.allocations == pytest.approx(math.sqrt(8 * 2) - 1)
    assert [result.memory for result in fails.cases] == [None, None, None]


def test_models_are_compared_with_the_reference_over_the_cases_that_both_have() -> None:
    twice, mixed, fails, reference = reported().models
    assert twice.efficiency is not None
    assert mixed.efficiency is not None
    assert (twice.efficiency.cases, mixed.efficiency.cases) == (2, 2)
    assert twice.efficiency.allocations == pytest.approx(2.0)
    assert twice.efficiency.peak_bytes == pytest.approx(2.0)
    assert mixed.efficiency.allocations == pytest.approx(math.sqrt(1 * 4))
    assert mixed.efficiency.peak_bytes == pytest.approx(math.sqrt(0.5 * 2))
    assert (fails.efficiency, reference.efficiency) == (None, None)


def test_a_report_without_the_reference_or_without_counts_says_nothing_of_it() -> None:
    alone = reported(MODELS[:2])
    assert [model.efficiency for model in alone.models] == [None, None]
    assert "efficiency" not in json.loads(alone.models[0].model_dump_json())
    assert "memory" not in json.loads(alone.models[0].cases[2].model_dump_json())
    assert "allocs" not in report_markdown(alone)


def test_the_leaderboard_shows_the_ratios() -> None:
    rows = [line.split("|") for line in report_markdown(reported()).split("\n") if "|" in line]
    head = [cell.strip() for cell in rows[0]]
    ratios = {
        row[head.index("model")].strip().strip("`"): (
            row[head.index("allocs")].strip(),
            row[head.index("memory")].strip(),
        )
        for row in rows[2:6]
    }
    assert ratios == {
        "p/twice": ("2.00x", "2.00x"),
        "p/mixed": ("2.00x", "1.00x"),
        "p/fails": ("–", "–"),
        "reference/solution": ("–", "–"),
    }


@pytest.mark.cargo
def test_a_run_with_the_reference_tells_how_much_more_a_sample_takes(forgetest: Program) -> None:
    guide = (ROOT / "docs" / "eval-sets.md").read_text(encoding="utf-8")
    section = guide.partition("## Counting work and memory")[2]
    example = section.partition("```toml\n")[2].partition("```")[0]
    example = example.replace("max_peak_bytes = 8192", "max_peak_bytes = 9000")
    example = example.replace("assert_eq!(allocations(|| merge(&[1, 4, 5], &[2, 3])), 1);", "")
    lavish = example.partition("reference_solution = '''\n")[2].partition("'''")[0]
    lavish = lavish.replace("    merged\n", "    drop(vec![0u8; 900]);\n    merged\n")
    line = {"case_id": "merge", "model": "m", "completion": f"```rust\n{lavish}```"}
    head = '[eval_set]\nid = "counted"\n'
    (forgetest.folder / "s.toml").write_text(f"{head}{example}", encoding="utf-8")
    (forgetest.folder / "a.jsonl").write_text(json.dumps(line), encoding="utf-8")

    done = forgetest("run", "-e", "s.toml", "--models", "reference/solution,replay/a.jsonl")

    assert done.code == 0, done.err
    report = json.loads((forgetest.run_folder() / "report.json").read_text(encoding="utf-8"))
    (found,) = [model["efficiency"] for model in report["models"] if "efficiency" in model]
    assert found == {
        "cases": 1,
        "allocations": pytest.approx(5 / 4),
        "peak_bytes": found["peak_bytes"],
    }
    assert found["peak_bytes"] > 1.5
    assert "allocs" in done.out
