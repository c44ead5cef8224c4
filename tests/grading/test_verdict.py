"""What a verdict says of the sample's honesty, and what it is worth when the sample is not."""

import io
import os
from fractions import Fraction
from pathlib import Path

import pytest
from graders import ADD, ADD_TESTS, CASES, grade, make_case, make_grader, outcomes
from records import case, completion, manifest, results
from rich.console import Console

from forgetest.evalset.types import UnsafeRule
from forgetest.extract.types import Extraction, ExtractionRule
from forgetest.grading.crate import build_crate
from forgetest.grading.rules import Findings, judge, judge_policy, not_built, with_integrity
from forgetest.grading.stages import Linting, TestBuild
from forgetest.grading.verdict import (
    STATUS_OF,
    Integrity,
    Level,
    Outcome,
    Status,
    TestOutcome,
    TestResult,
    Verdict,
    integrity_of,
)
from forgetest.grading.workspace import Workspace
from forgetest.render.live import plain_line
from forgetest.render.markdown import report_markdown
from forgetest.render.tables import report_tables
from forgetest.report.build import build_report
from forgetest.report.score import verdict_score
from forgetest.report.types import Report
from forgetest.run.events import Graded, SampleRecord
from forgetest.run.tally import Tallies
from forgetest.rust.scan import scan
from forgetest.rust.tests import TestFunction
from forgetest.sampling.plan import ModelSpec, Sample
from forgetest.system.toolchain import Toolchain

DENYING = CASES["add"].model_copy(update={"unsafe": UnsafeRule.DENY})
TOOLCHAIN = Toolchain.resolve(os.environ)
WORKSPACE = Workspace(Path("root"), build_crate(CASES["add"], ADD, token="t"), TOOLCHAIN)
BUILT = TestBuild(WORKSPACE, Path("program"))


def result(outcome: TestOutcome, name: str = "t") -> TestResult:
    return TestResult(name=name, outcome=outcome)


def judged(*ended: TestOutcome) -> Verdict:
    tests = tuple(result(outcome, f"t{i}") for i, outcome in enumerate(ended))
    return judge(CASES["add"], Findings(Linting(()), BUILT, tests))


@pytest.mark.parametrize(
    ("code", "level", "flags", "reason"),
    [
        (ADD, Level.CLEAN, (), ""),
        ("unsafe fn f() { unsafe {} }", Level.FLAGGED, ("unsafe",), "the code has unsafe"),
        (
            "use std::{fs, process};",
            Level.FLAGGED,
            ("process", "fs"),
            "the code has process, fs",
        ),
    ],
)
def test_flags_make_a_sample_flagged(
    code: str, level: Level, flags: tuple[str, ...], reason: str
) -> None:
    found = integrity_of(scan(code))
    assert (found.level, found.flags, found.reason) == (level, flags, reason)
    assert found.unsafe_count == code.count("unsafe")


def test_who_is_caught_has_cheated_and_who_is_refused_is_flagged() -> None:
    assert integrity_of(scan(ADD), caught="it forged").level is Level.CHEATED
    assert integrity_of(scan("unsafe fn f() {}"), caught="it forged").reason == "it forged"
    assert integrity_of(scan(ADD), refused="no").model_dump() == {
        "level": Level.FLAGGED,
        "flags": (),
        "unsafe_count": 0,
        "reason": "no",
    }


def test_every_outcome_has_a_status_and_the_new_ones_the_right_one() -> None:
    assert set(STATUS_OF) == set(Outcome)
    assert STATUS_OF[Outcome.POLICY] is Status.COMPILE_FAILED
    assert STATUS_OF[Outcome.TAMPERED] is Status.TEST_ABORTED


@pytest.mark.parametrize("outcome", sorted(TestOutcome))
def test_no_test_but_one_that_passed_or_is_ignored_lets_a_sample_pass(outcome: TestOutcome) -> None:
    verdict = judged(TestOutcome.PASSED, outcome)
    neutral = outcome in (TestOutcome.PASSED, TestOutcome.IGNORED)
    assert verdict.passed == neutral
    assert bool(verdict.reasons) != neutral
    assert verdict.tests_failed == (0 if neutral else 1)


def test_a_tampered_test_says_more_than_any_other() -> None:
    verdict = judged(*TestOutcome)
    assert verdict.outcome is Outcome.TAMPERED
    assert verdict.reasons[0] == "1 of 9 tests were tampered with: t7"
    honest = with_integrity(judged(TestOutcome.TIMEOUT), scan(ADD))
    assert (honest.outcome, honest.integrity.level) == (Outcome.TEST_TIMEOUT, Level.CLEAN)
    assert with_integrity(verdict, scan(ADD)).integrity == Integrity(
        level=Level.CHEATED, reason="it tampered with t7"
    )


def test_a_test_that_runs_out_of_memory_crashes_its_sample() -> None:
    verdict = judged(TestOutcome.PASSED, TestOutcome.MEMORY_LIMIT)
    assert verdict.outcome is Outcome.TEST_CRASHED
    assert verdict.reasons == ("1 of 2 tests ran out of memory: t1",)


def test_tests_that_were_not_built_are_failed_and_score_as_if_there_were_none() -> None:
    functions = (TestFunction("a"), TestFunction("b", ignored=True), TestFunction("c"))
    findings = Findings(Linting(()), TestBuild(WORKSPACE, None, reason="no"), not_built(functions))
    verdict = judge(CASES["add"], findings)
    assert outcomes(verdict) == {"a": "not_built", "b": "ignored", "c": "not_built"}
    assert (verdict.outcome, verdict.reasons) == (Outcome.TEST_BUILD_FAILED, ("no",))
    assert (verdict.tests_passed, verdict.tests_failed) == (0, 2)
    assert (
        verdict_score(verdict)
        == verdict_score(verdict.model_copy(update={"tests": ()}))
        == Fraction(1, 2)
    )


def test_policy_names_what_and_where_and_scores_nothing() -> None:
    code = f"{ADD}\n#[no_mangle]\npub fn f() {{}}\n"
    verdict = judge_policy(CASES["add"], scan(code))
    assert verdict is not None
    assert (verdict.outcome, verdict.passed, verdict_score(verdict)) == (Outcome.POLICY, False, 0)
    assert verdict.reasons == (
        "`no_mangle` in line 5 is refused: it decides what the linker puts into the test program",
    )
    assert verdict.integrity.level is Level.FLAGGED
    assert verdict.integrity.reason == verdict.reasons[0]


def test_unsafe_is_refused_where_the_case_denies_it_and_only_there() -> None:
    found = scan("// unsafe\nfn f() {}\nfn g() { unsafe {} }\n")
    refused = judge_policy(DENYING, found)
    assert judge_policy(CASES["add"], found) is None
    assert judge_policy(DENYING, scan("#![forbid(unsafe_code)]\n")) is None
    assert refused is not None
    assert refused.reasons == ("`unsafe` in line 3 is refused: the eval set denies it",)


@pytest.mark.cargo
def test_the_grader_scans_before_it_compiles_and_flags_what_it_grades(
    pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    grader = make_grader(pytestconfig)
    absent = make_grader(pytestconfig, temp=tmp_path / "absent")
    refused = grade(absent, CASES["add"], f"#[no_mangle]\npub {ADD}")
    denied = grade(absent, DENYING, f"{ADD}pub unsafe fn f() {{}}\n")
    flagged = grade(grader, CASES["add"], f"{ADD}pub unsafe fn f() {{}}\n")
    clean = grade(grader, DENYING, ADD)

    assert [str(one.outcome) for one in (refused, denied)] == ["policy", "policy"]
    assert (flagged.passed, flagged.integrity.flags) == (True, ("unsafe",))
    assert (clean.passed, clean.integrity) == (True, Integrity())


@pytest.mark.cargo
def test_each_test_has_an_outcome_by_name_when_none_was_built(
    pytestconfig: pytest.Config,
) -> None:
    case_ = make_case("other", ADD_TESTS, ADD)
    verdict = grade(make_grader(pytestconfig), case_, "pub fn sum(a: i32) -> i32 {\n    a\n}\n")
    assert str(verdict.outcome) == "test_build_failed"
    assert outcomes(verdict) == {
        "adds": "not_built",
        "adds_negatives": "not_built",
        "refuses_overflow": "not_built",
        "answers_in_a_result": "not_built",
        "is_ignored": "ignored",
    }
    assert (verdict_score(verdict), verdict.lints) == (Fraction(1, 2), ())


@pytest.mark.cargo
def test_crates_of_the_case_can_not_be_redirected(pytestconfig: pytest.Config) -> None:
    code = "extern crate self as tokio;\n"
    refused = grade(make_grader(pytestconfig), CASES["tokio"], code)
    assert str(refused.outcome) == "policy"


CHEAT = Integrity(level=Level.CHEATED, reason="it tampered with t0")
FLAGGED = Integrity(level=Level.FLAGGED, flags=("unsafe", "fs"), unsafe_count=1, reason="unsafe")


def verdicts() -> list[Verdict]:
    passed = Verdict(outcome=Outcome.PASSED, passed=True, compiled=True, tests=results(passed=1))
    cheated = judged(TestOutcome.TAMPERED).model_copy(update={"integrity": CHEAT})
    return [passed, passed.model_copy(update={"integrity": FLAGGED}), cheated]


def a_report() -> Report:
    spec = ModelSpec(provider="p", model="m")
    extraction = Extraction(code="fn f() {}", rule=ExtractionRule.WHOLE, blocks=0)
    made = {
        Sample(model=spec, eval_set="set", case="a", index=index).key: SampleRecord(
            completion=completion(str(index)), extraction=extraction, verdict=verdict
        )
        for index, verdict in enumerate(verdicts())
    }
    return build_report(manifest([case("a")], n=3), made)


def test_a_report_counts_levels_and_flags_and_names_who_cheated() -> None:
    (model,) = a_report().models
    assert model.integrity == {"cheated": 1, "clean": 1, "flagged": 1}
    assert model.integrity_flags == {"fs": 1, "unsafe": 1}
    assert (model.passed_flagged, model.cheated) == (1, ("set/a #3",))
    levels = [sample.integrity for sample in model.cases[0].samples]
    assert levels == [Level.CLEAN, Level.FLAGGED, Level.CHEATED]


def test_a_flagged_pass_and_a_cheat_are_shown_to_everybody() -> None:
    report = a_report()
    console = Console(file=io.StringIO(), width=200, record=True)
    console.print(report_tables(report, width=200))
    shown = report_markdown(report).replace("\\", "").replace("&#8203;", "")
    for text in (console.export_text(), shown):
        assert "passed 2 (1 flagged) · tampered 1 · flags: fs 1, unsafe 1" in text
        assert "p/m: 1 sample cheated: set/a #3" in text


def test_a_line_of_the_run_says_what_a_pass_is_flagged_for() -> None:
    tallies = Tallies.of(manifest([case("a")], n=3).plan)
    extraction = Extraction(code="fn f() {}", rule=ExtractionRule.WHOLE, blocks=0)
    lines = [
        plain_line(
            Graded(sample="p/m|set/a|0", at="", extraction=extraction, verdict=verdict), tallies
        )
        for verdict in verdicts()
    ]
    assert [(line or "").partition(": ")[2] for line in lines] == [
        "passed",
        "passed (flagged: unsafe)",
        "tampered (1 of 1 tests were tampered with: t0)",
    ]
