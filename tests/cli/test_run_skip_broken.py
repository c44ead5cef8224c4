"""`--skip-broken` leaves broken cases out of a run before anything is asked, and says so."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from deepsets import DOUBLE, a_case, write
from program import Program, program_in

pytestmark = pytest.mark.cargo

BROKEN = a_case("broken", reference="pub fn double(n: u32) -> u32 { n + 2 }")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Program:
    """Return the program with the cache of all tests here, which have cases in common."""
    return program_in(
        tmp_path_factory.mktemp("run"), tmp_path_factory.mktemp("cache"), pytestconfig
    )


@pytest.fixture
def forgetest(home: Program, tmp_path: Path) -> Program:
    """Return the program in an empty folder, with what it has found out of a case before."""
    return replace(home, folder=tmp_path)


RUN = ("run", "-e", "s.toml", "-m", "reference/solution", "--skip-broken")


def test_a_broken_case_is_not_asked_and_the_report_says_why(forgetest: Program) -> None:
    write(forgetest, a_case("sound"), BROKEN)

    done = forgetest(*RUN, "-f", "json")

    report = json.loads(done.out)
    manifest = json.loads((forgetest.run_folder() / "manifest.json").read_text())
    assert done.code == 0, done.err
    assert [case["id"] for case in report["eval_sets"][0]["cases"]] == ["sound"]
    assert "skipped: s/broken: reference_solution does not pass (score" in done.err
    assert report["warnings"][0].startswith("case s/broken is broken and left out: reference")
    assert [one["case"] for one in manifest["left_out"]] == ["s/broken"]


def test_a_dry_run_plans_sound_cases_only(forgetest: Program) -> None:
    write(forgetest, a_case("sound"), BROKEN)

    done = forgetest(*RUN, "--dry-run")

    assert done.code == 0
    assert "1 model x 1 case x 1 sample = 1 sample" in done.out
    assert "skipped: s/broken" in done.err


def test_a_recording_of_a_broken_case_is_not_graded(forgetest: Program) -> None:
    write(forgetest, a_case("sound"), BROKEN)
    lines = [
        json.dumps({"case_id": name, "completion": f"```rust\n{DOUBLE}\n```"})
        for name in ("sound", "broken")
    ]
    (forgetest.folder / "c.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")

    done = forgetest("grade", "c.jsonl", "-e", "s.toml", "--skip-broken", "-f", "json")

    (model,) = json.loads(done.out)["models"]
    assert done.code == 0, done.err
    assert [case["case"] for case in model["cases"]] == ["sound"]


def test_a_set_of_broken_cases_alone_is_one_line(forgetest: Program) -> None:
    write(forgetest, BROKEN)

    done = forgetest(*RUN, "-q")

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: every case is broken")
    assert len(done.err.splitlines()) == 1


def test_weak_tests_are_no_reason_to_leave_a_case_out(forgetest: Program) -> None:
    write(forgetest, a_case("weak", tests="#[test]\nfn two() { assert_eq!(double(2), 4); }"))

    done = forgetest(*RUN, "--dry-run")

    assert done.code == 0, done.err
    assert "1 case" in done.out
