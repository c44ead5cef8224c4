"""The benchmark of grading: its corpus, its gate, and the arithmetic of its targets."""

import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from program import ROOT, Done

sys.path.insert(0, str(ROOT / "benchmarks"))

from speed.corpus import BLOCK, HOME, VARIANTS, Sample, load
from speed.judged import Expected, Judged, differences
from speed.messages import ended_tests, lints_in
from speed.results import Machine, Results, Spent
from speed.show import markdown
from speed.targets import FLOOR, GUARDED, GUARDED_ALONE, PLAIN, missed, rows

from forgetest.rust.tests import expected_tests

CORPUS = load()
MACHINE = Machine(
    system="s",
    processor="p",
    cores=2,
    memory_gib=1,
    python="3",
    rustc="r",
    clippy="c",
    sandbox="b",
    load_before=0,
    load_after=0,
)


def of_variant(variant: str) -> list[Sample]:
    return [sample for sample in CORPUS.samples if sample.key.endswith(f"/{variant}")]


def expected(sample: Sample) -> Expected:
    return CORPUS.expected[sample.key]


def results(*, quick: bool = False, **rates: float) -> Results:
    """Return results in which each contestant graded so many samples in one second."""
    names = {name.replace("_alone", ", 1 worker"): rate for name, rate in rates.items()}
    speed = {
        name: (Spent(samples=int(rate), wall=1.0, cpu_below=2.0),) for name, rate in names.items()
    }
    return Results(
        command="c",
        quick=quick,
        samples=60,
        passes=1,
        workers=2,
        copies=8,
        machine=MACHINE,
        speed=speed,
    )


def grade_speed(corpus: Path, *arguments: str) -> Done:
    """Measure one block of a corpus, compilers only."""
    script = ROOT / "benchmarks" / "grade_speed.py"
    small = ["--contestants", FLOOR, "--parts", "speed", "--blocks", "1", "--passes", "1"]
    argv = [sys.executable, str(script), "--corpus", str(corpus), *small, *arguments]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=300)
    return Done(done.returncode, done.stdout, done.stderr)


def test_the_corpus_has_sixty_different_samples_of_twelve_cases() -> None:
    assert Counter(sample.key.partition("/")[2] for sample in CORPUS.samples) == dict.fromkeys(
        VARIANTS, 12
    )
    assert len({sample.code for sample in CORPUS.samples}) == 60
    lines = sum(sample.code.count("\n") for sample in CORPUS.samples) / 60
    assert 25 < lines < 40


def test_every_case_has_three_to_eight_tests_and_their_names_are_expected() -> None:
    for sample in (*CORPUS.samples, *CORPUS.tokio):
        tests = expected_tests(sample.case.expectations.test_file or "")
        assert 3 <= len(tests) <= 8, sample.key
        found = expected(sample).tests
        assert found is None or set(found) == {test.name for test in tests}, sample.key


def test_every_variant_is_what_its_name_says() -> None:
    for sample in of_variant("clean"):
        assert set((expected(sample).tests or {}).values()) == {"passed"}, sample.key
        assert not expected(sample).lints, sample.key
    for sample in of_variant("lints"):
        assert len(expected(sample).lints) > 4, sample.key
    for sample in of_variant("wrong"):
        assert set((expected(sample).tests or {}).values()) == {"passed", "failed"}, sample.key
    assert not any(expected(sample).compiles for sample in of_variant("broken"))
    assert sum(expected(sample).tests is None for sample in of_variant("odd")) == 4
    assert sum(expected(sample).silenced > 0 for sample in of_variant("lints")) == 2


def test_blocks_are_alike_and_cover_the_corpus() -> None:
    blocks = CORPUS.blocks()

    assert [len(block) for block in blocks] == [BLOCK] * 5
    assert {sample.key for block in blocks for sample in block} == {
        sample.key for sample in CORPUS.samples
    }
    for block in blocks:
        assert {sample.key.partition("/")[2] for sample in block} == set(VARIANTS)


def test_what_a_contestant_does_not_tell_is_not_compared() -> None:
    wanted = Expected(
        compiles=True, tests={"a": "passed"}, lints=(("clippy::x", 1, 2),), written=()
    )

    assert not list(differences(wanted, Judged(compiles=True, tests={"a": "passed"})))
    assert not list(differences(wanted, Judged(compiles=True, tests={"a": "passed"}, silenced=1)))
    for wrong in (
        Judged(compiles=False),
        Judged(compiles=True, tests={"a": "failed"}),
        Judged(compiles=True, tests={}),
        Judged(compiles=True),
        Judged(compiles=True, tests={"a": "passed"}, lints=()),
        Judged(compiles=True, tests={"a": "passed"}, silenced=0),
    ):
        assert len(list(differences(wanted, wrong))) == 1


def test_output_of_libtest_and_clippy_is_read() -> None:
    output = "running 3 tests\ntest h::t::a ... ok\ntest h::t::b - should panic ... FAILED\n"
    span = {"is_primary": True, "file_name": "src/lib.rs", "line_start": 3, "column_start": 5}
    lint = {"code": {"code": "clippy::x"}, "spans": [span]}
    lines = [{"message": lint}, lint, {"reason": "build-finished"}]

    assert ended_tests(output + "test t::own ... ok\n", "h::") == {
        "t::a": "passed",
        "t::b": "failed",
    }
    assert lints_in("\n".join(map(json.dumps, lines)), "src/lib.rs") == (("clippy::x", 3, 5),)
    assert lints_in(json.dumps(lint), "other.rs") == ()


def test_a_missed_target_is_told_and_a_quick_run_has_slack() -> None:
    slow = {PLAIN: 10, GUARDED: 40, "guarded_alone": 22}

    assert {row.target.name: row.reached.median for row in rows(results(**slow))} == pytest.approx(
        {"samples/s, guarded : plain": 4.0, "efficiency of all workers": 40 / 44}
    )
    assert missed(results(**slow)) == ["samples/s, guarded : plain: 4.00, wanted >= 5"]
    assert missed(results(quick=True, **slow)) == []
    assert len(missed(results(quick=True, **slow | {GUARDED: 29}))) == 2
    assert missed(results(**{GUARDED: 20, FLOOR: 50}))[0].endswith("wanted <= 2")
    assert GUARDED_ALONE in results(guarded_alone=1).speed


def test_the_tables_survive_json() -> None:
    measured = results(**{PLAIN: 10, GUARDED: 60, "guarded_alone": 31})

    text = markdown(Results.model_validate_json(measured.model_dump_json()))

    assert "| samples/s, guarded : plain | 6.00 (6.00–6.00) | ≥ 5 | met |" in text


@pytest.mark.cargo
def test_times_are_shown_when_every_verdict_is_the_expected_one(tmp_path: Path) -> None:
    kept = tmp_path / "results.json"

    done = grade_speed(HOME, "--json", str(kept))

    assert done.code == 0, done.err
    assert "samples/s" in done.out
    assert len(Results.model_validate_json(kept.read_text()).speed[FLOOR]) == 1


@pytest.mark.cargo
def test_no_time_is_shown_when_one_verdict_differs(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    shutil.copytree(HOME, corpus)
    changed = json.loads((corpus / "expected.json").read_text())
    key = next(one.key for one in CORPUS.blocks(1)[0] if expected(one).tests)
    name = next(iter(changed[key]["tests"]))
    changed[key]["tests"][name] = "ignored"
    (corpus / "expected.json").write_text(json.dumps(changed))

    done = grade_speed(corpus, "--json", str(tmp_path / "results.json"))

    assert done.code == 2
    assert "no time is shown" in done.err
    assert key in done.err
    assert "samples/s" not in done.out + done.err
    assert not (tmp_path / "results.json").exists()


def test_asking_is_measured_beside_a_bare_loop() -> None:
    script = ROOT / "benchmarks" / "ask_speed.py"
    small = ["--requests", "60", "--together", "20", "--delay", "0.02", "--passes", "1"]
    argv = [sys.executable, str(script), *small]

    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=120)

    assert done.returncode in {0, 1}, done.stderr  # which is faster so few requests do not tell
    assert "times the answers of the bare loop" in done.stdout
    assert done.stdout.count("20 ms") == 3


def test_room_for_many_requests_is_measured() -> None:
    script = ROOT / "benchmarks" / "ask_room.py"
    small = ["--passes", "1", "--delay", "0.05", "--rounds", "1", "--samples", "80"]
    small += ["--many", "70"]

    done = subprocess.run(
        [sys.executable, str(script), *small],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    assert done.returncode == 0, done.stderr
    assert "70 at once bring" in done.stdout
    for row in ("from 240", "from 70", "from 8 up to 70", "beside a model 20 times slower"):
        assert row in done.stdout
