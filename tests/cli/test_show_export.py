"""An exported crate is the one that was graded: plain cargo finds in it what the grader found."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from graders import ADD, ADD_TESTS, make_case
from program import Done, Program, program_in
from shown import SAMPLES, graded, samples_of

from forgetest.grading.crate import graded_crate
from forgetest.grading.verdict import Layout, Outcome, Reach, TestOutcome, Verdict
from forgetest.report.files import load_report
from forgetest.report.samples import SampleReport

pytestmark = pytest.mark.cargo
_TEST = re.compile(r"^test (\S+)(?: - should panic)? \.\.\. (ok|FAILED|ignored)", re.MULTILINE)
LAYOUTS = {
    ("public", 1): "case/tests/api_forgetest.rs",
    ("public", 2): "case/tests/api_forgetest.rs",
    ("private", 1): "case/src/api_forgetest.rs",
    ("generated", 1): "case/src/tests_forgetest.rs",
    ("asynchronous", 1): "case/src/api_forgetest.rs",
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Program:
    """Return the program in a folder with one graded run."""
    mktemp = tmp_path_factory.mktemp
    program = program_in(mktemp("run"), mktemp("cache"), pytestconfig)
    graded(program)
    return program


def sample(run: Program, case: str, number: int) -> SampleReport:
    return samples_of(load_report(run.run_folder()))[case, number]


def export(run: Program, case: str, number: int, folder: Path) -> Done:
    name = str(run.run_folder())
    return run("show", name, case, "--sample", str(number), "--export", folder)


def cargo(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run what a person would, with nothing of ours around it."""
    env = {name: value for name, value in os.environ.items() if name != "CARGO_TARGET_DIR"}
    argv = ["cargo", "test", "--no-fail-fast"]
    return subprocess.run(
        argv, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=300
    )


@pytest.mark.parametrize(("case", "number"), LAYOUTS)
def test_plain_cargo_fails_the_same_tests_by_name(
    run: Program, tmp_path: Path, case: str, number: int
) -> None:
    done = export(run, case, number, tmp_path / "crate")
    found = sample(run, case, number)
    assert found.verdict is not None
    ours = {test.name: test.outcome for test in found.verdict.tests}

    ran = cargo(tmp_path / "crate")

    assert done.code == 0, done.err
    assert (tmp_path / "crate" / LAYOUTS[case, number]).is_file()
    said = {
        name.removeprefix("tests_forgetest::"): word for name, word in _TEST.findall(ran.stdout)
    }
    assert said.keys() == ours.keys(), ran.stderr
    passed = {name for name, word in said.items() if word == "ok"}
    assert passed == {name for name, outcome in ours.items() if outcome is TestOutcome.PASSED}
    ignored = {name for name, word in said.items() if word == "ignored"}
    assert ignored == {name for name, outcome in ours.items() if outcome is TestOutcome.IGNORED}
    if "finished in" not in ran.stdout:  # libtest has words of its own
        ends = re.findall(r"^(?:exit status|signal): \d+", ran.stdout, re.MULTILINE)
        assert len(ends) == ran.stdout.count("\n---- ")  # each in a line of its own
    assert (ran.returncode == 0) is found.passed
    assert len(passed) < len(ours)


@pytest.mark.parametrize(("case", "number"), [("public", 3), ("private", 2)])
def test_code_that_does_not_compile_has_the_same_first_error(
    run: Program, tmp_path: Path, case: str, number: int
) -> None:
    export(run, case, number, tmp_path / "crate")
    found = sample(run, case, number)
    assert found.verdict is not None

    ran = cargo(tmp_path / "crate")

    assert ran.returncode == 101
    codes = re.findall(r"^error\[(E\d+)\]", ran.stderr, re.MULTILINE)
    assert codes[0] == found.verdict.errors[0].code


def test_the_code_is_the_samples_byte_for_byte(run: Program, tmp_path: Path) -> None:
    export(run, "public", 2, tmp_path / "crate")

    code = (tmp_path / "crate" / "src" / "lib.rs").read_bytes()
    assert code == (sample(run, "public", 2).code or "").encode()
    assert code.strip() == SAMPLES[1][1].strip().encode()
    assert b"\t" in code


def test_the_readme_and_the_line_printed_say_how_to_run_cargo_and_what_differs(
    run: Program, tmp_path: Path
) -> None:
    done = export(run, "generated", 1, tmp_path / "a crate")

    readme = (tmp_path / "a crate" / "README-forgetest.md").read_text("utf-8")
    assert (tmp_path / "a crate" / "README.md").read_text("utf-8") == "of the case"
    assert readme.startswith("Run `cargo test` here")
    assert f"run: cd '{tmp_path}/a crate' && cargo test" in done.out
    for text in (readme, done.out):
        assert "no sandbox" in text
        assert "names of tests begin with" in text


def test_dependencies_are_locked_as_the_grader_has_them(run: Program, tmp_path: Path) -> None:
    export(run, "asynchronous", 1, tmp_path / "crate")

    sets = Path(run.environ["XDG_CACHE_HOME"]) / "forgetest" / "dependencies"
    lock = (tmp_path / "crate" / "Cargo.lock").read_bytes()
    assert b'name = "tokio"' in lock
    assert lock in [file.read_bytes() for file in sets.glob("*/Cargo.lock")]


def test_without_a_toolchain_the_crate_is_written_all_the_same(
    run: Program, tmp_path: Path
) -> None:
    name = str(run.run_folder())
    done = run("show", name, "asyn*", "--export", tmp_path / "crate", PATH="/nowhere")

    assert done.code == 0, done.err
    assert (tmp_path / "crate" / "src" / "lib.rs").is_file()
    assert not (tmp_path / "crate" / "Cargo.lock").exists()


def test_a_folder_that_is_not_empty_is_left_alone(run: Program, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine", encoding="utf-8")

    for folder in (tmp_path, tmp_path / "mine"):
        done = export(run, "public", 1, folder)

        assert (done.code, done.out) == (2, "")
        assert done.err.startswith(f"error: {folder}: ")
        assert len(done.err.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_an_empty_folder_may_be_there(run: Program, tmp_path: Path) -> None:
    assert export(run, "public", 1, tmp_path).code == 0
    assert (tmp_path / "Cargo.toml").is_file()


def test_a_report_alone_has_no_tests_to_export(run: Program, tmp_path: Path) -> None:
    report = json.loads((run.run_folder() / "report.json").read_text("utf-8"))
    (tmp_path / "alone.json").write_text(json.dumps(report), encoding="utf-8")

    done = run("show", tmp_path / "alone.json", "public", "--export", tmp_path / "crate")

    assert done.code == 2
    assert "--export needs the run folder" in done.err
    assert not (tmp_path / "crate").exists()


def test_tests_that_were_built_a_second_time_inside_the_sample_are_exported_there() -> None:
    case = make_case("add", ADD_TESTS, f"pub {ADD}")
    reach = Reach(layout=Layout.SPLICE, open=True, absent=("Sum",))
    inside = Verdict(outcome=Outcome.TEST_BUILD_FAILED, passed=False, reach=reach)

    layouts = [graded_crate(case, f"pub {ADD}", one, lock=None).layout for one in (None, inside)]

    assert layouts == [Layout.PUBLIC, Layout.SPLICE]
