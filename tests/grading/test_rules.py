"""What a case may ask for beside its tests, and whose failure a failure is."""

import asyncio
import fcntl
import os
import re
import subprocess
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from graders import (
    ADD,
    ADD_TESTS,
    CASES,
    LATER,
    cache_of,
    grade,
    make_case,
    make_grader,
    outcomes,
    sandbox_of,
)

from forgetest.errors import CratesError, EvalSetError, Fault, FaultKind
from forgetest.evalset.types import ContextFile, Dependency
from forgetest.grading.dependencies import Dependencies
from forgetest.grading.diagnostics import read_messages
from forgetest.grading.grader import SampleGrader
from forgetest.grading.limits import Limits
from forgetest.grading.workshop import Workshop
from forgetest.grading.workspace import Prepared
from forgetest.report.score import verdict_score
from forgetest.sandbox.backends import AUTO, Backend
from forgetest.system.toolchain import Toolchain

pytestmark = pytest.mark.cargo

MOVED = "pub fn f() -> String { let a = String::new(); let b = a; drop(b); a }"
MISTYPED = "pub fn f() -> String { 7 }"
SOUND = "pub fn f() -> String { String::new() }"


@pytest.mark.parametrize(
    ("code", "codes", "outcome", "reason"),
    [
        (MOVED, ("E0382", "E0505"), "passed", None),
        (MOVED, (), "passed", None),
        (MISTYPED, ("E0382",), "compile_failed", "expected E0382, and rustc says E0308"),
        (SOUND, ("E0382",), "wrongly_compiled", "rustc takes the code, and should reject it"),
        ("fn f( {", ("E0382",), "compile_failed", "expected E0382, and rustc says none"),
    ],
    ids=["right", "right-without-codes", "other-error", "compiles", "no-code"],
)
def test_a_case_may_want_code_that_rustc_rejects(
    pytestconfig: pytest.Config,
    code: str,
    codes: tuple[str, ...],
    outcome: str,
    reason: str | None,
) -> None:
    case = make_case("reject", None, MOVED, should_compile=False, expected_error_codes=codes)
    verdict = grade(make_grader(pytestconfig), case, code)
    assert (str(verdict.outcome), verdict.passed) == (outcome, outcome == "passed")
    assert verdict.reasons == ((reason,) if reason else ())
    assert verdict.compiled == (outcome == "wrongly_compiled")


def test_the_error_that_is_asked_for_in_code_that_is_not_does_not_pass(
    pytestconfig: pytest.Config,
) -> None:
    wanted = {"expected_error_codes": ("E0382",), "expected_types": ("Currency",)}
    case = make_case("reject", None, MOVED, should_compile=False, **wanted)
    verdict = grade(make_grader(pytestconfig), case, MOVED)
    assert (str(verdict.outcome), verdict.passed) == ("requirement_failed", False)
    assert verdict.reasons == ("the code defines no type Currency",)
    assert verdict_score(verdict) == 0


@pytest.mark.parametrize(
    ("tests", "wanted", "reason", "flags"),
    [
        (None, True, "the case has no tests", ("no_tests",)),
        ("fn helper() {}", True, "the case has no tests", ("no_tests",)),
        (ADD_TESTS, False, "the case wants no tests run", ("no_tests",)),
        ("#[test] #[ignore] fn a() {}", True, "every test of the case is ignored", ()),
    ],
    ids=["no-file", "no-functions", "not-wanted", "all-ignored"],
)
def test_without_a_test_run_nothing_passes(
    pytestconfig: pytest.Config, tests: str | None, wanted: bool, reason: str, flags: tuple[str]
) -> None:
    case = make_case("untested", tests, ADD, should_pass_tests=wanted)
    verdict = grade(make_grader(pytestconfig), case, ADD)
    assert (str(verdict.outcome), verdict.passed) == ("no_tests_ran", False)
    assert (verdict.reasons, verdict.flags, verdict.compiled) == ((reason,), flags, True)


def test_requirements_beside_the_tests_are_all_named(
    pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    check = tmp_path / "check.sh"
    check.write_text("#!/bin/sh\ngrep -q 'fn add' && { echo 'too short' >&2; exit 3; }\n")
    check.chmod(0o755)
    case = make_case(
        "demanding",
        ADD_TESTS,
        ADD,
        expected_functions=("add", "Adder::add", "subtract"),
        expected_types=("Adder", "Missing"),
        forbidden_functions=("main", "Adder::add", "subtract"),
        max_clippy_warnings=1,
        custom_check="./check.sh --strict",
        file=str(tmp_path / "set.toml"),
    )
    code = """
        pub struct Adder;
        mod deeper { pub fn main() {} }
        fn main() { deeper::main() }
        impl Adder { pub fn add(&self, a: i32, b: i32) -> i32 { return add(a, b); } }
        pub fn add(a: i32, b: i32) -> i32 { return a + b; }
    """
    verdict = grade(make_grader(pytestconfig, allow_custom_checks=True), case, code)
    assert (str(verdict.outcome), verdict.passed) == ("requirement_failed", False)
    assert verdict.tests_failed == 0
    assert verdict.reasons == (
        "the code defines no function subtract",
        "the code defines no type Missing",
        "the code defines a function main, which the case forbids",
        "the code defines a function Adder::add, which the case forbids",
        "clippy finds 2 lints, and the case allows 1",
        "the custom check failed with exit code 3: too short",
    )
    assert verdict.flags == ("custom_check",)


def test_met_requirements_change_nothing(pytestconfig: pytest.Config) -> None:
    case = make_case(
        "modest",
        ADD_TESTS,
        ADD,
        expected_functions=("add",),
        forbidden_functions=("main", "Adder::add"),
        max_clippy_warnings=0,
        custom_check="grep -q 'a + b'",
    )
    verdict = grade(make_grader(pytestconfig, allow_custom_checks=True), case, ADD)
    assert (verdict.passed, verdict.reasons) == (True, ())


def test_only_what_the_case_allows_is_no_lint_whatever_the_code_says_of_itself(
    pytestconfig: pytest.Config,
) -> None:
    wanted = {"allowed_lints": ("clippy::needless_return",), "max_clippy_warnings": 0}
    case = make_case("lenient", ADD_TESTS, ADD, **wanted)
    returning = "pub fn add(a: i32, b: i32) -> i32 { return a + b; }\n"
    silencing = "#![allow(clippy::all)]\n" + returning + "pub fn same(a: u8) -> u8 { a + 0 }\n"
    grader = make_grader(pytestconfig)

    accepted, hiding = grade(grader, case, returning), grade(grader, case, silencing)

    assert (accepted.passed, accepted.lints, verdict_score(accepted)) == (True, (), 1)
    assert [lint.code for lint in hiding.lints] == ["clippy::identity_op"]
    assert (hiding.passed, hiding.lints_silenced) == (False, 1)
    assert verdict_score(hiding) == Fraction(99, 100)


def test_a_custom_check_that_is_not_allowed_stops_the_run_before_it_starts(
    pytestconfig: pytest.Config,
) -> None:
    case = make_case("checked", ADD_TESTS, ADD, custom_check="true")
    grader = make_grader(pytestconfig)
    with pytest.raises(EvalSetError, match="--allow-custom-checks"):
        asyncio.run(grader.prepare([case]))
    with pytest.raises(EvalSetError, match="--allow-custom-checks"):
        grade(grader, case, ADD)


@pytest.mark.parametrize("check", ["no-such-program", "./no-such-file", "'unclosed", ""])
def test_a_custom_check_that_is_no_program_is_the_eval_sets_fault(
    pytestconfig: pytest.Config, check: str
) -> None:
    case = make_case("checked", ADD_TESTS, ADD, custom_check=check)
    with pytest.raises(EvalSetError, match="custom_check cannot run"):
        grade(make_grader(pytestconfig, allow_custom_checks=True), case, ADD)


@pytest.mark.parametrize("path", ["/etc/x.rs", "../x.rs", "src/../../x.rs", ""])
def test_a_context_file_stays_inside_the_crate(pytestconfig: pytest.Config, path: str) -> None:
    case = make_case("outside", None, ADD, context=(ContextFile(path=path, content=""),))
    with pytest.raises(EvalSetError, match="must stay inside the crate"):
        grade(make_grader(pytestconfig), case, ADD)


def test_a_compiler_that_does_not_end_is_stopped_and_the_sample_blamed(
    pytestconfig: pytest.Config,
) -> None:
    code = f"#![allow(long_running_const_eval)]\n{ADD}pub const LONG: () = loop {{}};\n"
    grader = make_grader(pytestconfig, compile_wall_secs=2)
    verdict = grade(grader, CASES["add"], code)
    assert str(verdict.outcome) == "compile_timeout"
    assert verdict.reasons == ("the compiler was still at work after 2 s",)


def test_code_that_is_no_text_or_too_long_is_the_samples_failure(
    pytestconfig: pytest.Config,
) -> None:
    grader = make_grader(pytestconfig, source_bytes=100)
    torn = grade(grader, CASES["add"], ADD + "// \ud800")
    assert (str(torn.outcome), torn.errors != ()) == ("compile_failed", True)
    long = grade(grader, CASES["add"], ADD + "//" * 100)
    assert str(long.outcome) == "compile_failed"
    assert long.reasons == (f"the code has {len(ADD) + 200} bytes, and 100 are the limit",)


@pytest.fixture
def toolchain() -> Toolchain:
    return Toolchain.resolve(os.environ)


def script(folder: Path, text: str) -> Path:
    program = folder / "program"
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(0o755)
    return program


@cache
def prepare_no_crates(folder: Path) -> None:
    """Have the empty set of dependencies there before a tool is broken."""
    tools = Toolchain.resolve(os.environ)
    asyncio.run(Dependencies(tools, folder, Limits()).prepare((), for_cargo=True))


@pytest.mark.parametrize(
    ("field", "text", "kind"),
    [
        ("clippy_driver", "exit 101", FaultKind.TOOLCHAIN),
        ("clippy_driver", "echo 'error: could not compile' >&2; exit 101", FaultKind.TOOLCHAIN),
        ("clippy_driver", "kill -9 $$", FaultKind.SANDBOX),
        ("rustc", "exit 101", FaultKind.TOOLCHAIN),
        ("cargo", "exit 101", FaultKind.TOOLCHAIN),
        ("cargo", "echo 'error: could not compile `sample`' >&2; exit 101", FaultKind.TOOLCHAIN),
        ("cargo", "kill -9 $$", FaultKind.SANDBOX),
        ("cargo_clippy", "exit 1", FaultKind.TOOLCHAIN),
    ],
)
def test_a_broken_tool_is_a_fault_and_no_score(
    pytestconfig: pytest.Config,
    tmp_path: Path,
    toolchain: Toolchain,
    field: str,
    text: str,
    kind: FaultKind,
) -> None:
    direct = not field.startswith("cargo")
    here = {"sandbox": sandbox_of(Backend.NONE, cache_of(pytestconfig)), "direct": direct}
    prepare_no_crates(cache_of(pytestconfig))
    broken = replace(toolchain, **{field: script(tmp_path, text)})
    with pytest.raises(Fault) as raised:
        grade(make_grader(pytestconfig, toolchain=broken, **here), CASES["add"], ADD)
    assert raised.value.kind == kind


@pytest.mark.parametrize("direct", [True, False], ids=["direct", "cargo"])
def test_a_missing_linker_is_a_fault_where_the_samples_own_error_is_not(
    pytestconfig: pytest.Config, tmp_path: Path, toolchain: Toolchain, direct: bool
) -> None:
    unlinked = replace(toolchain, search_path=str(toolchain.sysroot / "bin"))
    sandbox = sandbox_of(AUTO, cache_of(pytestconfig))
    anew = {"cache": tmp_path, "sandbox": sandbox}  # nothing is known of a linker yet
    grader = make_grader(pytestconfig, toolchain=unlinked, direct=direct, **anew)
    with pytest.raises(Fault, match="fails on a sound crate too"):
        grade(grader, CASES["add"], ADD)
    assert str(grade(grader, CASES["add"], "fn add() {").outcome) == "compile_failed"


def test_limits_under_which_nothing_compiles_are_a_fault(pytestconfig: pytest.Config) -> None:
    with pytest.raises(Fault, match="fails on a sound crate too"):
        grade(make_grader(pytestconfig, compile_file_size=512), CASES["add"], ADD)


def test_a_lock_that_another_cargo_holds_is_a_fault_and_no_time_out(
    pytestconfig: pytest.Config, tmp_path: Path, toolchain: Toolchain
) -> None:
    elsewhere = replace(toolchain, cargo_home=tmp_path)
    here = {"sandbox": sandbox_of(Backend.NONE, cache_of(pytestconfig)), "direct": False}
    grader = make_grader(pytestconfig, toolchain=elsewhere, compile_wall_secs=3, **here)
    with (tmp_path / ".package-cache").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(Fault, match="another cargo held the package cache"):
            grade(grader, CASES["add"], ADD)


def test_a_temp_folder_that_is_not_there_is_a_fault(
    pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    with pytest.raises(Fault, match="the workspace cannot be written"):
        grade(make_grader(pytestconfig, temp=tmp_path / "absent"), CASES["add"], ADD)


def test_a_sample_leaves_no_file_behind(pytestconfig: pytest.Config, tmp_path: Path) -> None:
    grade(make_grader(pytestconfig, temp=tmp_path), CASES["add"], ADD)
    assert list(tmp_path.iterdir()) == []


def lay_out(grader: SampleGrader, name: str, code: str, root: Path) -> Path:
    return asyncio.run(grader.workshop.lay_out(CASES[name], code, root)).folder


def cargo(folder: Path, *args: str) -> tuple[int, str]:
    """Run cargo as a person would: in their own environment."""
    done = subprocess.run(
        ["cargo", *args], cwd=folder, capture_output=True, text=True, check=False, timeout=300
    )
    return done.returncode, done.stdout + done.stderr


def test_a_person_who_runs_cargo_in_the_crate_sees_the_same(
    pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    grader = make_grader(pytestconfig)
    right = lay_out(grader, "add", f"{ADD}#[test] fn own() {{ missing() }}\n", tmp_path / "right")
    wrong = lay_out(grader, "add", ADD.replace("+", "-"), tmp_path / "wrong")

    code, said = cargo(right, "test")
    assert (code, "test result: ok. 4 passed; 0 failed; 1 ignored" in said) == (0, True), said
    code, said = cargo(right, "test", "--", "result", "negatives")
    assert "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out" in said
    code, said = cargo(wrong, "test")
    assert (code == 0, "test result: FAILED. 1 passed; 3 failed; 1 ignored" in said) == (
        False,
        True,
    )
    assert re.search(r"---- tests::adds ----\n\n?thread 'main'.* panicked at case/src/tests_", said)
    assert cargo(wrong, "build")[0] == 0


def test_async_tests_run_on_the_runtime_that_they_name(pytestconfig: pytest.Config) -> None:
    verdict = grade(make_grader(pytestconfig), CASES["tokio"], LATER)
    assert outcomes(verdict) == dict.fromkeys(
        ("answers", "waits_in_no_time", "spawns", "panics"), "passed"
    )


def test_dependencies_are_not_built_again_for_a_sample(
    pytestconfig: pytest.Config, tmp_path: Path, toolchain: Toolchain
) -> None:
    limits, case = Limits(), CASES["tokio"]
    cache = cache_of(pytestconfig)
    sandbox = sandbox_of(AUTO, cache)
    dependencies = Dependencies(toolchain, cache, limits)
    workshop = Workshop(toolchain, dependencies, limits, sandbox=sandbox, direct=False)

    async def built() -> set[tuple[str, bool]]:
        workspace = await workshop.lay_out(case, LATER, tmp_path)
        cargo, asked = workshop.compilers, limits.compile(case)
        library = await cargo.build(workspace, asked)
        linted = await cargo.clippy(workspace, (), asked)
        runs = [library.library, linted, await cargo.build_tests(workspace, library, asked)]
        said = [message for run in runs for message in read_messages(run.exit.stdout)]
        return {(m.target.name, m.fresh) for m in said if m.reason == "compiler-artifact"}

    found = asyncio.run(built())
    assert {name for name, fresh in found if not fresh} == {
        "sample",
        "case",
        "forgetest_harness",  # where a path lies decides whether it is fresh
    }
    assert ("tokio", True) in found


def test_what_only_cargo_lints_with_is_built_for_cargo_only(
    tmp_path: Path, toolchain: Toolchain
) -> None:
    sets = Dependencies(toolchain, tmp_path, Limits())

    plain, for_cargo = (asyncio.run(sets.prepare((), for_cargo=cargo)) for cargo in (False, True))

    built = [len(list(one.target.glob("debug/deps/*.rmeta"))) for one in (plain, for_cargo)]
    assert built == [1, 2]  # of the harness, by `cargo build` and by `cargo check`
    assert for_cargo.recipe == plain.recipe
    asyncio.run(Dependencies(toolchain, tmp_path, Limits()).prepare((), for_cargo=True))
    assert len(list(tmp_path.glob("dependencies/*/"))) == len((plain, for_cargo)), "made again"


def test_where_direct_calls_fail_cargo_grades_with_crates_that_it_can_lint(
    pytestconfig: pytest.Config, tmp_path: Path, toolchain: Toolchain
) -> None:
    broken = replace(toolchain, clippy_driver=script(tmp_path, "exit 1"))  # cargo has its own
    grader = make_grader(pytestconfig, toolchain=broken)
    asyncio.run(grader.prepare([CASES["tokio"]]))

    workspace = asyncio.run(grader.workshop.lay_out(CASES["tokio"], LATER, tmp_path / "sample"))

    assert "CargoCompilers" in grader.identity
    assert workspace.prepared is not None
    assert len(list(workspace.prepared.target.glob("debug/deps/libtokio-*.rmeta"))) == 2


def test_crates_that_can_not_be_had_are_named_before_any_sample(
    tmp_path: Path, toolchain: Toolchain
) -> None:
    impossible = Dependency(name="tokio", version="999")
    case = CASES["add"].model_copy(update={"dependencies": (impossible,)})
    sandbox = sandbox_of(AUTO, tmp_path)
    grader = SampleGrader(toolchain, cache=tmp_path, sandbox=sandbox)
    with pytest.raises(CratesError, match=r"^crate `tokio` has no version \^999; the newest are 1"):
        asyncio.run(grader.prepare([CASES["add"], case]))
    assert not list(tmp_path.glob("dependencies/.*")), "a half-made set is left"


def test_one_set_is_prepared_once_by_whoever_comes_first(
    tmp_path: Path, toolchain: Toolchain
) -> None:
    async def both() -> list[Prepared]:
        rooms = [Dependencies(toolchain, tmp_path, Limits()) for _ in range(2)]
        return await asyncio.gather(*(room.prepare(()) for room in rooms))

    first, second = asyncio.run(both())
    assert first == second
    assert {"Cargo.lock", "Cargo.toml", "recipe.json", "libforgetest_harness.rlib"} <= {
        path.name for path in first.folder.iterdir()
    }
