"""The simulation of gates: it runs, repeats itself, and says where a gate errs too often."""

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from program import ROOT, Done

sys.path.insert(0, str(ROOT / "benchmarks"))

from power.models import SETTINGS, sampled
from power.published import TABLE, published
from power.results import Effect, Results, Tally, Trial
from power.show import disagreements, markdown, too_many_alarms
from power.simulate import simulated, tally, trials


def trial(effect: Effect = "none", *, samples: int = 5, pairs: int = 40, cases: int = 20) -> Trial:
    return Trial(setting="strong .9", cases=cases, samples=samples, effect=effect, pairs=pairs)


def results(*, evidence: int = 0, any_case: int = 192, pairs: int = 200) -> Results:
    """Return results of one trial without a change, in which the specification has 96 %."""
    one = Tally(
        trial=trial(pairs=pairs),
        any_case=any_case,
        mean=1,
        evidence=evidence,
        together=0,
        single=evidence,
    )
    other = one.model_copy(update={"trial": trial("one broken", pairs=pairs)})
    return Results(command="c", quick=False, seed=1, seconds=1.0, tallies=(one, other))


def gate_power(*arguments: str) -> Done:
    script = ROOT / "benchmarks" / "gate_power.py"
    argv = [sys.executable, str(script), *arguments]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=300)
    return Done(done.returncode, done.stdout, done.stderr)


def test_a_quick_run_finds_a_threshold_that_errs_and_evidence_that_does_not(tmp_path: Path) -> None:
    kept = tmp_path / "results.json"

    done = gate_power("--quick", "--json", str(kept))
    again = gate_power("--markdown", str(kept))

    assert done.code == 0, done.out + done.err
    found = Results.model_validate_json(kept.read_text())
    assert disagreements(found) == []
    for one in found.tallies:
        if one.trial.effect == "none":
            assert one.any_case > one.trial.pairs / 2 > 3 * one.evidence
    assert again.out == markdown(found)
    assert "| 20 | 5 | " in again.out


def test_a_seed_gives_the_same_tallies_with_any_workers() -> None:
    planned = [trial(pairs=5), trial("two broken", pairs=5)]

    alone, together = (simulated(planned, seed=3, workers=workers) for workers in (1, 2))

    assert alone == together
    assert simulated(planned, seed=4, workers=1) != alone


def test_a_broken_case_is_found_from_five_samples_and_not_from_three() -> None:
    assert tally(trial("one broken"), 1).single == 40
    assert tally(trial("one broken", samples=3), 1).single == 0
    assert tally(trial("two broken", samples=10), 1).evidence == 40
    assert tally(trial("all 15 % worse", samples=10), 1).together > 30


def test_every_row_of_the_specification_is_simulated() -> None:
    full = trials(quick=False)

    nothing = [one for one in full if one.effect == "none"]
    assert len(nothing) == len(TABLE) * len(SETTINGS)
    assert all(published(one.setting, one.cases, one.samples) for one in nothing)
    assert min(one.pairs for one in nothing) >= 600
    assert min(one.pairs for one in full if one.effect != "none") >= 300
    assert published("strong .9", 20, 10) == 94
    assert published("strong .9", 20, 3) is None


def test_settings_have_the_pass_rate_of_their_name() -> None:
    for setting in SETTINGS.values():
        assert setting.a / (setting.a + setting.b) == pytest.approx(float(setting.name[-2:]))


def test_samples_that_fail_score_zero_or_half_or_more() -> None:
    rng = Random(1)  # noqa: S311 - a test must be repeatable, not secret
    singles = [sampled(0.5, 1, rng) for _ in range(400)]

    assert all(one.score == 1 for one in singles if one.c)
    failed = [one.score for one in singles if not one.c]
    assert 0.2 < sum(score == 0 for score in failed) / len(failed) < 0.4
    assert all(score == 0 or 0.5 <= score < 1 for score in failed)
    assert sampled(1, 7, rng) == (7, 7, 1)


@pytest.mark.parametrize(("evidence", "missed"), [(0, 0), (10, 0), (15, 0), (25, 1)])
def test_more_alarms_than_alpha_allows_are_told(evidence: int, missed: int) -> None:
    assert len(too_many_alarms(results(evidence=evidence))) == missed


def test_a_row_that_differs_from_the_specification_is_named() -> None:
    assert disagreements(results()) == []
    assert disagreements(results(any_case=184)) == []
    (line,) = disagreements(results(any_case=160))
    assert line.startswith("strong .9, 20 cases, 5 samples: 96 % in the specification, 80.0 %")
    assert line in markdown(results(any_case=160))
    assert "within 16.0 points" in markdown(results(any_case=160))
