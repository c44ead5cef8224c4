"""The pure parts of grading: files of a case, what programs say, the rules of a verdict."""

import json
import signal
import tomllib
from typing import Any

import pytest
from graders import ADD, ADD_TESTS, CASES, make_case

from forgetest.evalset.types import Dependency
from forgetest.grading.crate import Crate, build_crate
from forgetest.grading.diagnostics import read_messages, unique
from forgetest.grading.harness import harness_source, read_report
from forgetest.grading.limits import Limits
from forgetest.grading.rules import Findings, judge, judge_rejection
from forgetest.grading.stages import Compilation, Linting, TestBuild
from forgetest.grading.testrun import last_words, outcome_of
from forgetest.grading.verdict import Diagnostic, Span, TestOutcome, TestResult
from forgetest.rust.tests import TestFunction
from forgetest.system.process import Exit


def manifest(crate: Crate, path: str) -> dict[str, Any]:
    return tomllib.loads(crate.files[path].decode())


def test_the_sample_is_in_its_crate_byte_for_byte() -> None:
    code = "\ufeff#!/bin/x\r\nfn add() {}\x00\t\r"
    assert build_crate(CASES["add"], code, token="t").files["src/lib.rs"] == code.encode()


def test_a_manifest_says_what_the_case_says_and_builds_nothing_else() -> None:
    dependencies = (
        Dependency(name="serde", version="1.0", features=("derive", "rc")),
        Dependency(name="rand", version='=0.8.5, <"2'),
        Dependency(name="serde", version="1"),
    )
    case = make_case("m", ADD_TESTS, None, edition="2024", dependencies=dependencies)
    crate = build_crate(case, ADD, token="t")
    wanted = {"rand": {"version": '=0.8.5, <"2'}, "serde": {"version": "1"}}
    for path, name in (("Cargo.toml", "sample"), ("case/Cargo.toml", "case")):
        found = manifest(crate, path)
        package = found["package"]
        assert (package["name"], package["edition"]) == (name, "2024")
        beside = {"sample": {"path": ".."}} if name == "case" else {}
        assert found.get("target", {"cfg(any())": {"dependencies": {}}}) == {
            "cfg(any())": {"dependencies": beside}
        }
        ours = {"forgetest-harness": {"path": "../harness"}} if name == "case" else {}
        assert found["dependencies"] == wanted | ours
        automatic = ("build", "autobins", "autoexamples", "autotests", "autobenches")
        assert [package[key] for key in automatic] == [False] * 5
        assert (found["lib"]["test"], found["lib"]["doctest"]) == (False, False)


def test_the_names_of_the_test_modules_come_from_the_token_alone() -> None:
    files = build_crate(CASES["add"], ADD, token="0f3a").files
    assert {"case/src/tests_0f3a.rs", "case/src/api_0f3a.rs"} <= files.keys()
    assert b"0f3a" not in files["src/lib.rs"]
    library = files["case/src/lib.rs"].decode()
    assert library.startswith(ADD)
    assert library.endswith("pub mod api_0f3a;\n")


def test_context_lies_beside_both_copies_and_never_replaces_a_file_of_ours() -> None:
    context = ({"path": "src/units.rs", "content": "u"}, {"path": "src/lib.rs", "content": "x"})
    crate = build_crate(make_case("c", None, None, context=context), ADD, token="t")
    assert crate.files["src/units.rs"] == crate.files["case/src/units.rs"] == b"u"
    assert crate.files["src/lib.rs"] == crate.files["case/src/lib.rs"] == ADD.encode()


def test_the_harness_names_every_test_with_what_it_expects() -> None:
    tests = (
        TestFunction("t::a"),
        TestFunction("t::b", ignored=True, should_panic=True),
        TestFunction("c", should_panic=True, panic_text='r#"x"#'),
    )
    source = harness_source(tests, head="mod m;", path="m::tests")
    for name, expected in (
        ("t::a", "ignored: false, panics: None"),
        ("t::b", 'ignored: true, panics: Some("")'),
        ("c", 'ignored: false, panics: Some(r#"x"#)'),
    ):
        run = f"|| forgetest_harness::succeeded(m::tests::{name}())"
        assert f'Test {{ name: "{name}", {expected}, run: {run} }},' in source


@pytest.mark.parametrize(
    ("stdout", "word"),
    [
        (b"n0 ok t::a\n", "ok"),
        (b"n0 panicked t::a\n", "panicked"),
        (b"", None),
        (b"n0 ok t::a", None),
        (b"n0 ok t::b\n", None),
        (b"n1 ok t::a\n", None),
        (b"ok t::a\n", None),
        (b"n0 ok t::a\nn0 ok t::a\n", None),
        (b"n0 ok t::a\n\n", None),
        (b" n0 ok t::a\n", None),
        (b"\xff n0 ok t::a\n", None),
    ],
)
def test_only_the_exact_report_of_the_test_counts(stdout: bytes, word: str | None) -> None:
    report = read_report(stdout, nonce="n0", name="t::a")
    assert (report.word if report else None) == word


def ended(**how: object) -> Exit:
    plain = {
        "code": 0,
        "signal": None,
        "timed_out": False,
        "output_limited": False,
        "stdout": b"",
        "stderr": b"",
        "secs": 0.1,
        "cpu_secs": 0.1,
    }
    return Exit(**{**plain, **how})


@pytest.mark.parametrize(
    ("how", "passed", "failed", "outcome"),
    [
        ({}, True, True, TestOutcome.PASSED),
        ({"code": 1}, True, True, TestOutcome.EXITED_EARLY),
        ({"code": None, "signal": signal.SIGSEGV}, True, True, TestOutcome.CRASHED),
        ({"timed_out": True}, True, True, TestOutcome.TIMEOUT),
        ({"output_limited": True}, True, True, TestOutcome.OUTPUT_LIMIT),
        ({"code": 101}, False, True, TestOutcome.FAILED),
        ({"code": 101}, False, False, TestOutcome.EXITED_EARLY),
        ({}, False, False, TestOutcome.EXITED_EARLY),
    ],
)
def test_a_report_of_a_pass_counts_only_with_a_clean_end(
    how: dict[str, object], passed: bool, failed: bool, outcome: TestOutcome
) -> None:
    assert outcome_of(ended(**how), passed=passed, failed=failed) is outcome


def test_the_first_panic_is_quoted_the_same_in_every_run() -> None:
    output = (
        b"noise\nthread 'main' (4711) panicked at case/src/tests_0f.rs:3:9:\nassertion\n  left: 1\n"
    )
    note = b"note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n"
    quoted = "thread 'main' panicked at case/src/tests.rs:3:9:\nassertion\n  left: 1"
    assert last_words(output + note, "tests_0f") == quoted
    assert last_words(b"\n".join(b"%d" % n for n in range(20)), "t") == "14\n15\n16\n17\n18\n19"


def span(file: str, *, primary: bool = True, expansion: object = None) -> dict[str, object]:
    place = {"line_start": 3, "column_start": 5, "line_end": 3, "column_end": 9, "label": "here"}
    return {"file_name": file, "is_primary": primary, "expansion": expansion, **place}


def message(*spans: object, level: str = "error", children: object = ()) -> bytes:
    code = {"code": "E0001", "explanation": None}
    diagnostic = {"level": level, "message": "wrong", "code": code, "spans": list(spans)}
    said = {**diagnostic, "children": list(children), "rendered": "wrong!", "$message_type": "x"}
    return json.dumps({"reason": "compiler-message", "message": said, "unknown": 1}).encode()


OWN = ("src/lib.rs",)
OUTSIDE = "/rustc/library/core/src/ops.rs"


NOTE = {"level": "note", "message": "", "spans": [span(OWN[0])]}


@pytest.mark.parametrize(
    ("line", "file"),
    [
        (message(span("src/lib.rs")), "src/lib.rs"),
        (message(span(OUTSIDE)), None),
        (message(), None),
        (message(span(OUTSIDE), span("src/lib.rs", primary=False)), "src/lib.rs"),
        (message(span(OUTSIDE, expansion={"span": span("src/lib.rs")})), "src/lib.rs"),
        (
            message(span(OUTSIDE), children=[NOTE]),
            "src/lib.rs",
        ),
    ],
    ids=["own", "outside", "nowhere", "secondary", "macro", "note"],
)  # fmt: skip
def test_a_diagnostic_is_placed_where_it_touches_the_sample(line: bytes, file: str | None) -> None:
    (found,) = [said.message for said in read_messages(b"no json\n" + line) if said.message]
    diagnostic = found.diagnostic(OWN)
    assert (diagnostic.span.file if diagnostic.span else None) == file
    assert (diagnostic.level, diagnostic.code, diagnostic.rendered) == ("error", "E0001", "wrong!")


def test_what_is_said_twice_of_one_place_counts_once() -> None:
    lines = b"\n".join([message(span("src/lib.rs"))] * 3)
    found = [said.message.diagnostic(OWN) for said in read_messages(lines) if said.message]
    assert len(unique(found)) == 1


def result(outcome: str, name: str = "t") -> TestResult:
    return TestResult(name=name, outcome=TestOutcome(outcome))


BUILT = TestBuild(workspace=None, program="program")
CLEAN = Linting(())


@pytest.mark.parametrize(
    ("tests", "outcome"),
    [
        ("passed passed", "passed"),
        ("passed ignored", "passed"),
        ("passed failed", "tests_failed"),
        ("failed crashed", "test_crashed"),
        ("exited_early passed", "test_crashed"),
        ("output_limit failed", "test_crashed"),
        ("crashed timeout failed", "test_timeout"),
        ("ignored ignored", "no_tests_ran"),
        ("", "no_tests_ran"),
    ],
)
def test_every_expected_test_must_pass_and_one_must_run(tests: str, outcome: str) -> None:
    findings = Findings(CLEAN, BUILT, tuple(map(result, tests.split())))
    verdict = judge(CASES["add"], findings)
    assert (str(verdict.outcome), verdict.passed) == (outcome, outcome == "passed")
    assert bool(verdict.reasons) != verdict.passed


def test_an_unmet_requirement_does_not_hide_failed_tests() -> None:
    findings = Findings(CLEAN, BUILT, (result("failed"),), ("no function f",))
    verdict = judge(CASES["add"], findings)
    assert str(verdict.outcome) == "tests_failed"
    assert verdict.reasons == ("1 of 1 tests failed: t", "no function f")


def test_many_failed_tests_are_counted_and_a_few_named() -> None:
    tests = tuple(result("failed", f"t{n}") for n in range(9))
    verdict = judge(CASES["add"], Findings(CLEAN, BUILT, tests))
    assert verdict.reasons == ("9 of 9 tests failed: t0, t1, t2, t3, t4 and 4 more",)


def test_a_rejection_counts_only_with_an_error_in_the_sample() -> None:
    case = make_case("r", None, None, should_compile=False)
    place = Span(file="src/lib.rs", line=1, column=1, end_line=1, end_column=2)
    for where, passed in ((place, True), (None, False)):
        error = Diagnostic(level="error", code="E0001", message="m", span=where)
        found = Compilation(compiled=False, errors=(error,), reason="broken")
        assert judge_rejection(case, found).passed == passed


def test_a_longer_time_of_the_case_holds_for_the_compiler_too() -> None:
    limits = Limits()
    walls = {
        secs: limits.compile(make_case("t", None, None, timeout_secs=secs)).wall_secs
        for secs in (None, 1.0, 60.0)
    }
    assert walls == {None: 20.0, 1.0: 20.0, 60.0: 60.0}


@pytest.mark.parametrize(
    ("own", "left", "wall", "cpu"),
    [(None, 60.0, 5.0, 4), (None, 3.0, 3.0, 3), (1.5, 9.0, 1.5, 2), (30.0, 90.0, 30.0, 30)],
)
def test_a_test_has_the_time_of_its_case_or_five_seconds(
    own: float | None, left: float, wall: float, cpu: int
) -> None:
    found = Limits().test(make_case("t", None, None, timeout_secs=own), left)

    assert (found.wall_secs, found.cpu_secs) == (wall, cpu)


def test_all_tests_have_the_time_of_each_or_a_minute_together() -> None:
    limits = Limits()

    assert limits.all_tests(make_case("t", None, None, timeout_secs=2.0), 4) == 8.0
    assert limits.all_tests(make_case("t", None, None), 4) == 60.0
