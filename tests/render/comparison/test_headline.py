"""The first line of a comparison is its gate, names why, and the step after it fits."""

from typing import Any

import pytest
from compared import compared, side, side_of
from compared_runs import BROKEN, TEN

from forgetest.compare.types import Comparison, GateResult
from forgetest.render.comparison.headline import headline, next_step
from forgetest.render.comparison.words import gate_words

WITHOUT = {key: letters for key, letters in TEN.items() if key != "set/c3"}
NOISE = {**TEN, "set/c3": "PPPPB"}
AGAIN = "run both again with 23 samples per case"
ANEW = "Make a new baseline with the current settings"
STILL = "no case's score moved by more than 0.05"
FEW_OF_MANY = (side_of([(50, 45)] * 40), side_of([(50, 43)] * 40))


def told(comparison: Comparison) -> tuple[str, str]:
    first = headline(comparison)
    return f"{first.sign} {first.text}", next_step(comparison)


LINES: dict[str, tuple[tuple[Any, Any], dict[str, Any], str, str]] = {
    "noise": (
        (TEN, NOISE),
        {"rule": "evidence"},
        "✅ No regression beyond noise (-2.0 points)",
        "Nothing",
    ),
    "the same": (
        (TEN, TEN),
        {"rule": "evidence"},
        f"✅ No regression: {STILL} (0.0 points)",
        "Nothing",
    ),
    "a drop too small for the threshold": (
        (side_of([(25, 25)] * 10), side_of([(25, 25)] * 9 + [(25, 24)])),
        {"rule": "evidence"},
        "✅ No regression beyond noise (-0.4 points)",
        "Nothing",
    ),
    "within a margin": (
        FEW_OF_MANY,
        {"rule": "evidence", "margin": 0.2},
        "✅ No regression: the change is proven to be within 20.0 points (-4.0 points)",
        "Nothing",
    ),
    "one broken case": (
        (TEN, BROKEN),
        {"rule": "evidence"},
        "❌ Regression: pass rate fell 10.0 points, all in set/c3",
        "Look at the cases that dropped: this is more than noise",
    ),
    "a broken case among risen ones": (
        (
            {**TEN, "set/c4": "PPFFF", "set/c5": "PPFFF", "set/c6": "PPFFF"},
            {**TEN, "set/c3": "FFFFF"},
        ),
        {"rule": "evidence", "alpha": 0.1},
        "❌ Regression: set/c3 passes 0/5, was 5/5",
        "Look at the cases that dropped: this is more than noise",
    ),
    "many small drops": (
        (side_of([(5, 4)] * 30), side_of([(5, 3)] * 30)),
        {"rule": "evidence"},
        "❌ Regression: pass rate fell 20.0 points",
        "Look at the cases that dropped: this is more than noise",
    ),
    "threshold, within noise": (
        (TEN, NOISE),
        {"rule": "threshold"},
        "❌ Regression: set/c3 dropped by 0.200, within noise",
        f"This may be noise, and --gate evidence would pass: {AGAIN}",
    ),
    "threshold passes what evidence would fail": (
        FEW_OF_MANY,
        {"rule": "threshold"},
        "✅ No regression: no case's score dropped by more than 0.05 (-4.0 points)",
        "Look at the cases all the same: --gate evidence would fail this",
    ),
    "either, by one": (
        (TEN, NOISE),
        {"rule": "either"},
        "❌ Regression by the threshold rule: set/c3 dropped by 0.200, within noise",
        f"This may be noise: {AGAIN}",
    ),
    "either, by the other": (
        FEW_OF_MANY,
        {"rule": "either"},
        "❌ Regression by the evidence rule: pass rate fell 4.0 points",
        "Look at the cases that dropped: this is more than noise",
    ),
    "either, by both": (
        (TEN, BROKEN),
        {"rule": "either"},
        "❌ Regression by both rules: pass rate fell 10.0 points, all in set/c3",
        "Look at the cases that dropped: this is more than noise",
    ),
    "improved": (
        (BROKEN, TEN),
        {"rule": "evidence"},
        "✅ Improved: pass rate rose 10.0 points",
        "Nothing to fix; this run can be the next baseline",
    ),
    "a case is gone": (
        (TEN, WITHOUT),
        {"rule": "evidence"},
        "❌ Incomplete: set/c3 is missing",
        "Restore it, or accept its removal with --allow-removed set/c3",
    ),
    "a case may be gone": (
        (TEN, WITHOUT),
        {"rule": "evidence", "allow_removed": ("c3",)},
        f"✅ No regression: {STILL} (0.0 points); 1 case not compared",
        "Nothing",
    ),
    "unscored": (
        (TEN, {**TEN, "set/c3": "xxxxx", "set/c4": "PPPPx"}),
        {"rule": "evidence"},
        "❌ Incomplete: 6 of 50 samples are unscored",
        "Finish the current run: forgetest run --resume FOLDER",
    ),
    "all unscored": (
        (side(TEN), side(dict.fromkeys(TEN, "xxxxx"), file="runs/now/report.json")),
        {},
        "❌ Not comparable: no sample of the current run is scored",
        "Finish the current run: forgetest run --resume runs/now",
    ),
    "a baseline all unscored": (
        (side(dict.fromkeys(TEN, "xxxxx"), file="runs/then"), side(TEN)),
        {},
        "❌ Not comparable: no sample of the baseline is scored",
        "Finish the baseline: forgetest run --resume runs/then",
    ),
    "another model": (
        ({"p/a": TEN}, {"p/b": TEN}),
        {},
        "❌ Not comparable: the runs have no model in common",
        "To compare the old name with the new one, add --map p/a=p/b",
    ),
    "another eval set": (
        (TEN, {f"new/c{i}": "PPPPP" for i in range(10)}),
        {},
        "❌ Not comparable: the runs have no scored case in common",
        "To compare the old name with the new one, add --map set=new",
    ),
    "one of two models renamed": (
        ({"p/a": TEN, "p/c": TEN}, {"p/b": TEN, "p/c": TEN}),
        {"rule": "evidence"},
        "❌ Incomplete: model p/a is missing",
        "To compare the old name with the new one, add --map p/a=p/b",
    ),
    "strict": (
        (TEN, NOISE),
        {"rule": "evidence", "strict": True},
        "❌ Inconclusive: -2.0 points, within noise, and --strict demands certainty",
        "Run both again with 23 samples per case",
    ),
    "other scores": (
        (side(TEN), side(TEN, scoring_profile="mine")),
        {"rule": "evidence"},
        "❌ Not comparable: scoring profile standard -> mine",
        f"{ANEW}, or compare anyway with --allow-incomparable",
    ),
    "one of two models fell": (
        ({"p/a": TEN, "p/b": TEN}, {"p/a": BROKEN, "p/b": TEN}),
        {"rule": "evidence"},
        "❌ Regression in p/a: pass rate fell 10.0 points, all in set/c3",
        "Look at the cases that dropped: this is more than noise",
    ),
    "both models fell": (
        ({"p/a": TEN, "p/b": TEN}, {"p/a": BROKEN, "p/b": BROKEN}),
        {"rule": "evidence"},
        "❌ Regression in 2 of 2 models: p/a, p/b",
        "Look at the cases that dropped: this is more than noise",
    ),
    "no gate, a drop": (
        (TEN, BROKEN),
        {},
        "❌ Regression: pass rate fell 10.0 points, all in set/c3",
        "Look at the cases that dropped: this is more than noise",
    ),
    "no gate, noise": (
        (TEN, NOISE),
        {},
        "⚠️ Inconclusive: -2.0 points, within noise",
        "Not enough data to decide: run both again with 23 samples per case",
    ),
    "no gate, the same": (
        (TEN, TEN),
        {},
        "✅ No change: no case's score moved by more than 0.05",
        "Nothing",
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_the_first_line_says_what_the_gate_says_and_the_step_fits_it(name: str) -> None:
    sides, options, line, step = LINES[name]
    found = compared(*sides, **options)

    assert told(found) == (line, step)
    assert line.startswith("❌") or found.gate.result is GateResult.PASSED


def test_the_threshold_rule_says_beside_its_verdict_what_evidence_would_say() -> None:
    noise = compared(TEN, NOISE, rule="threshold")
    real = compared(TEN, BROKEN, rule="threshold")
    small = compared(*FEW_OF_MANY, rule="threshold")
    same = compared(TEN, TEN, rule="threshold")

    assert gate_words(noise) == (
        "threshold 0.05: regression (within noise; --gate evidence would pass)"
    )
    assert gate_words(real) == (
        "threshold 0.05: regression (more than noise; --gate evidence would fail too)"
    )
    assert gate_words(small) == (
        "threshold 0.05: passed (all cases together fell beyond noise; --gate evidence would fail)"
    )
    assert gate_words(same) == "threshold 0.05: passed"
    assert gate_words(compared(TEN, TEN, rule="evidence")) == "evidence at alpha 0.05: passed"


def test_missing_samples_are_said_of_the_evidence_gate_too() -> None:
    found = compared(TEN, {**NOISE, "set/c5": "PPPPx"}, rule="threshold")

    assert found.evidence_gate is GateResult.INCOMPLETE
    assert gate_words(found) == (
        "threshold 0.05: regression (within noise; --gate evidence would be incomplete)"
    )
