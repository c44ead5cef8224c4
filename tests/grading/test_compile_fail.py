"""Uses that rustc must reject: the error asked for, in the use, beside a twin that compiles."""

import asyncio
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from attacks import cases
from boxes import guarded, sandbox_of, toolchain
from graders import cache_of, grade, make_case, make_grader, outcomes

from forgetest.errors import Fault
from forgetest.evalset.types import Case, CompileFail
from forgetest.grading.crate import graded_crate
from forgetest.grading.grader import SampleGrader
from forgetest.grading.probe import Noticed
from forgetest.grading.verdict import Layout, Reach, Verdict

pytestmark = pytest.mark.cargo

POOL = cases()["pool"]
REFERENCE = POOL.reference_solution or ""
CODE = """
#[derive(Clone, Default)]
pub struct Key {
    number: u32,
}

impl Key {
    pub fn number(&self) -> u32 {
        self.number
    }
}
"""
TESTS = "use super::*;\n#[test]\nfn is_nought() { assert_eq!(Key::default().number(), 0); }"
MOVED = "use super::*;\nfn misuse(key: Key) { drop(key); key.number(); }"
USED = "use super::*;\nfn misuse(key: Key) { key.number(); drop(key); }"


def use(name: str, code: str, source: str, compiles: str = USED) -> CompileFail:
    return CompileFail(name=name, code=(code,), source=source, compiles=compiles)


USES = (
    use("moved", "E0382", MOVED),
    use("of_a_private_field", "E0616", "use super::*;\nfn misuse(key: Key) { key.number; }"),
    use("taken", "E0382", USED),
    use("of_another_code", "E0499", MOVED),
    use("of_an_unknown_name", "E0382", "use super::*;\nfn misuse(key: Kee) { drop(key) }"),
    use("that_is_no_rust", "E0382", "use super::*;\nfn misuse(key: Key) { drop(key; }"),
    use("that_closes_the_module", "E0382", "} use super::*; fn f(k: Key) { drop(k); drop(k); }"),
    use("with_a_denied_lint", "E0382", f"#![deny(warnings)]\n{USED}\nfn unused() {{}}"),
    use("whose_twin_is_wrong", "E0382", MOVED, "use super::*;\nfn f(key: Key) { key.text(); }"),
    use("whose_twin_is_no_rust", "E0382", MOVED, "use super::*;\nfn f("),
)
CASE = make_case("key", TESTS, None, compile_fail=USES)


@pytest.fixture(scope="module")
def verdict(pytestconfig: pytest.Config) -> Verdict:
    return grade(make_grader(pytestconfig), CASE, CODE)


def test_each_use_is_a_test_by_name_after_those_of_the_file(verdict: Verdict) -> None:
    names = [test.name for test in verdict.tests]

    assert names[1:] == [f"compile_fail::{use.name}" for use in USES]
    assert (verdict.tests_passed, verdict.tests_failed) == (3, 8)
    assert verdict.outcome == "tests_failed"
    assert verdict.reasons[0].startswith("8 of 11 tests failed: compile_fail::taken, ")
    assert verdict.timings["compile_fail"] > 0


def test_only_the_error_asked_for_in_the_use_itself_passes(verdict: Verdict) -> None:
    passed = [name for name, outcome in outcomes(verdict).items() if outcome == "passed"]

    assert passed == ["is_nought", "moved", "of_a_private_field"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("taken", "rustc takes the use, and must reject it with E0382"),
        ("with_a_denied_lint", "rustc takes the use, and must reject it with E0382"),
        (
            "of_another_code",
            "rustc rejects the use, but not with E0499: error[E0382]: borrow of m",
        ),
        ("of_an_unknown_name", "rustc rejects the use, but not with E0382: error[E0425]: cannot f"),
        ("that_is_no_rust", "rustc rejects the use, but not with E0382: error: mismatched clo"),
        (
            "that_closes_the_module",
            "rustc rejects the use, but not with E0382: error: unexpected c",
        ),
        ("whose_twin_is_wrong", "rustc rejects the twin, which must compile: error[E0599]: no met"),
        ("whose_twin_is_no_rust", "rustc rejects the twin, which must compile: error: this file c"),
    ],
)
def test_the_message_says_what_rustc_made_of_it(verdict: Verdict, name: str, message: str) -> None:
    (said,) = [test.message for test in verdict.tests if test.name == f"compile_fail::{name}"]

    assert said.startswith(message)


def test_an_error_is_shown_at_its_line_without_our_folders(verdict: Verdict) -> None:
    (said,) = [test.message for test in verdict.tests if test.name.endswith("of_another_code")]

    assert " --> of_another_code.rs:2:34\n" in said
    assert "2 | fn misuse(key: Key) { drop(key); key.number(); }" in said


@pytest.mark.parametrize(
    ("layout", "direct"),
    [(Layout.PUBLIC, True), (Layout.SPLICE, True), (Layout.LIBTEST, True), (Layout.SPLICE, False)],
)
def test_uses_are_judged_from_outside_wherever_the_other_tests_are(
    layout: Layout, direct: bool, pytestconfig: pytest.Config
) -> None:
    verdict = grade(make_grader(pytestconfig, layout=layout, direct=direct), POOL, REFERENCE)

    assert verdict.passed, verdict.tests
    assert verdict.tests_passed == 6


def test_through_cargo_a_use_fails_as_it_does_directly(pytestconfig: pytest.Config) -> None:
    code = REFERENCE.replace("PhantomData<*const ()>", "PhantomData<u8>")
    case = with_uses(POOL, POOL.expectations.compile_fail[1], POOL.expectations.compile_fail[3])

    ways = [make_grader(pytestconfig, direct=direct) for direct in (True, False)]
    directly, by_cargo = [grade(grader, case, code).tests for grader in ways]

    assert [(test.name, test.outcome, test.message) for test in by_cargo] == [
        (test.name, test.outcome, test.message) for test in directly
    ]
    assert [test.outcome for test in directly[2:]] == ["failed", "passed"]


def with_uses(case: Case, *uses: CompileFail) -> Case:
    expectations = case.expectations.model_copy(update={"compile_fail": uses})
    return case.model_copy(update={"expectations": expectations})


def test_where_the_tests_do_not_build_no_use_is_built(pytestconfig: pytest.Config) -> None:
    code = CODE.replace("fn number", "fn no_number")

    verdict = grade(make_grader(pytestconfig), with_uses(CASE, *USES[:2]), code)

    assert outcomes(verdict) == dict.fromkeys(
        ("is_nought", "moved", "of_a_private_field"), "not_built"
    )
    assert verdict.outcome == "test_build_failed"


def test_a_near_miss_that_only_a_use_notices_is_noticed(pytestconfig: pytest.Config) -> None:
    grader = make_grader(pytestconfig)
    code = CODE.replace("Clone, ", "Clone, Copy, ")
    case = with_uses(CASE, USES[0])

    found = asyncio.run(grader.probe(case, code))
    verdict = grade(grader, case, code)

    assert found.noticed is Noticed.PASSED  # a look at what runs, before it is graded in full
    assert outcomes(verdict) == {"is_nought": "passed", "moved": "failed"}


@pytest.mark.parametrize("layout", [Layout.PUBLIC, Layout.SPLICE])
def test_cargo_finds_the_uses_of_an_exported_crate(layout: Layout, tmp_path: Path) -> None:
    inside = Verdict(outcome="passed", passed=True, reach=Reach(layout=layout))
    graded_crate(POOL, REFERENCE, inside, lock=None).crate.write(tmp_path)
    check = [toolchain().cargo, "check", "-p", "case", "--test", "compile_fail", "--offline"]
    env = {"PATH": toolchain().search_path, "RUSTC": str(toolchain().rustc), "HOME": str(tmp_path)}
    uses = tmp_path / "case" / "compile_fail"

    twins = subprocess.run(check, cwd=tmp_path, env=env, capture_output=True, check=False)
    shutil.copy(uses / "rejected" / "two_handles_at_once.rs", uses)
    rejected = subprocess.run(check, cwd=tmp_path, env=env, capture_output=True, check=False)

    assert twins.returncode == 0, twins.stderr
    assert b"error[E0499]" in rejected.stderr


def by_hand(config: pytest.Config, folder: Path, script: str) -> SampleGrader:
    """Return a grader without walls whose rustc does what `script` says to uses."""
    sandbox = sandbox_of("none", config)
    grade(guarded(sandbox, cache=cache_of(config)), with_uses(CASE), CODE)  # crates are ready
    rustc = folder / "rustc"
    rustc.write_text(
        f'#!/bin/sh\ncase "$*" in *compile_fail/lib.rs*) {script};; esac\n'
        f'exec {toolchain().rustc} "$@"\n'
    )
    rustc.chmod(0o755)
    tools = replace(toolchain(), rustc=rustc)
    return SampleGrader(tools, cache=cache_of(config), sandbox=sandbox)


def test_a_compiler_that_fails_over_every_use_is_the_machine_s_fault(
    pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    grader = by_hand(pytestconfig, tmp_path, "exit 1")

    with pytest.raises(Fault, match="the compiler fails on a sound crate too"):
        grade(grader, with_uses(CASE, USES[0]), CODE)


def test_a_compiler_that_fails_over_the_uses_of_one_sample_is_its_failure(
    pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    rejected = "grep -q MARK src/lib.rs && grep -q 'drop(key); key' case/compile_fail/moved.rs"
    grader = by_hand(pytestconfig, tmp_path, f"if {rejected}; then exit 1; fi")
    case = with_uses(CASE, USES[0]).model_copy(update={"reference_solution": CODE})

    sound, marked = grade(grader, case, CODE), grade(grader, case, f"// MARK\n{CODE}")

    assert sound.passed
    assert outcomes(marked) == {"is_nought": "passed", "moved": "failed"}


def test_all_uses_together_have_a_limit_of_time(pytestconfig: pytest.Config) -> None:
    # Twins that only the borrow checker can end: rustc refuses what is no Rust within any limit.
    case = with_uses(CASE, *USES[:4])

    verdict = grade(make_grader(pytestconfig, tests_wall_secs=0.001), case, CODE)

    uses = {test.outcome: test.message for test in verdict.tests[1:]}
    assert uses == {
        "timeout": "the compiler was stopped: it took too long, for this use or for all together"
    }
