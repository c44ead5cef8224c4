"""The benchmark of comparing: its reports are real, and a missed target is told."""

import subprocess
import sys
from pathlib import Path

import pytest
from program import ROOT, Done

sys.path.insert(0, str(ROOT / "benchmarks"))

from pace.measure import MeasuringError, spent
from pace.reports import write
from pace.results import COMPARE, LOAD, READ, Results, Size, Spent
from pace.show import markdown, missed

from forgetest.compare.compare import compare_sides
from forgetest.compare.read import read_side
from forgetest.compare.types import CompareOptions, ComparisonVerdict
from forgetest.report.files import dump_report, load_report
from forgetest.report.score import verdict_score


def compare_speed(*arguments: str) -> Done:
    script = ROOT / "benchmarks" / "compare_speed.py"
    argv = [sys.executable, str(script), *arguments]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=300)
    return Done(done.returncode, done.stdout, done.stderr)


def results(*, wall: float = 2.0, cpu: float = 2.0, peak: float = 1.2) -> Results:
    """Return results in which reading costs one of everything, and comparing so much."""
    one = Spent(wall=1, cpu=1, peak=1)
    passes = {READ: (one,), COMPARE: (Spent(wall=wall, cpu=cpu, peak=peak),), LOAD: (one,)}
    size = Size(cases=1000, samples=100, bytes=1 << 29, passes=passes)
    return Results(
        command="c",
        quick=False,
        machine="m",
        python="3",
        load_before=0,
        load_after=0,
        large=size,
        typical=size,
    )


def test_a_quick_run_measures_and_its_tables_can_be_shown_again(tmp_path: Path) -> None:
    kept = tmp_path / "results.json"

    done = compare_speed("--quick", "--json", str(kept))
    again = compare_speed("--markdown", str(kept))

    assert done.code == 0, done.out + done.err
    found = Results.model_validate_json(kept.read_text())
    for size in (found.large, found.typical):
        assert set(size.passes) == {READ, COMPARE, LOAD}
        assert all(one.cpu > 0 and one.peak > 10 for (one,) in size.passes.values())
        assert size.passes[COMPARE][0].cpu > size.passes[READ][0].cpu
    assert again.out == markdown(found)
    assert "missed" not in again.out + done.out


def test_a_generated_report_is_what_forgetest_writes(tmp_path: Path) -> None:
    path = write(tmp_path, "current", cases=30, samples=20)
    text = path.read_text()

    report = load_report(path)

    assert text == dump_report(report)
    assert write(tmp_path, "current", cases=30, samples=20).read_text() == text
    verdicts = [one.verdict for case in report.models[0].cases for one in case.samples]
    assert 6 <= len({verdict_score(verdict) for verdict in verdicts if verdict}) <= 10
    assert len({verdict.outcome for verdict in verdicts if verdict}) >= 4
    assert [len(item.cases) for item in report.eval_sets] == [8, 7, 8, 7]


def test_generated_reports_can_be_compared_and_some_cases_are_worse(tmp_path: Path) -> None:
    sides = [
        read_side(write(tmp_path, side, cases=50, samples=20).read_bytes(), file=side)
        for side in ("baseline", "current")
    ]

    found = compare_sides(sides[0], sides[1], CompareOptions())

    assert found.coverage.compared == 50
    assert not found.differences
    assert found.by_threshold is ComparisonVerdict.REGRESSED


def test_a_missed_target_is_told_and_met_ones_are_not() -> None:
    assert missed(results()) == []
    assert missed(results(wall=2.6, peak=1.6)) == ["time: 2.60 times", "memory: 1.60 times"]
    assert "| CPU time | 2.70 (2.70–2.70) | ≤ 2.5 | missed |" in markdown(results(cpu=2.7))
    assert "| memory | 1.20 (1.20–1.20) | ≤ 1.5 | met |" in markdown(results())


def test_a_child_that_fails_is_not_measured() -> None:
    with pytest.raises(MeasuringError, match="left with 3"):
        spent((sys.executable, "-c", "raise SystemExit(3)"))
    hungry = (sys.executable, "-c", "x = bytearray(300 << 20); sum(x[:: 1 << 12])")
    assert spent(hungry).peak > 300
