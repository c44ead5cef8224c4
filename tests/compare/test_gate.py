"""What a comparison finds, and what its gate makes of it."""

import json
from fractions import Fraction

import pytest
from compared import compared, report, side, side_of

from forgetest.compare.gate import exit_code
from forgetest.compare.read import read_side
from forgetest.compare.types import Comparison, ComparisonVerdict, GateResult, UncomparedReason

TEN = {f"set/c{i}": "PPPPP" for i in range(10)}


def only(comparison: Comparison) -> tuple[ComparisonVerdict, ComparisonVerdict, GateResult, int]:
    (model,) = comparison.models
    return (
        model.by_threshold,
        model.by_evidence,
        comparison.gate.result,
        int(exit_code(comparison.gate)),
    )


def test_a_drop_larger_than_the_threshold_is_a_regression_and_an_equal_one_is_not() -> None:
    # Of ten samples, one that fails one of two tests costs 0.025; one that does not compile, 0.1.
    two = {"set/a": "PPPPPPPPFF"}

    at_limit = compared({"set/a": "P" * 10}, two, rule="threshold")
    beyond = compared({"set/a": "P" * 10}, two, rule="threshold", threshold=0.0499)

    assert at_limit.models[0].cases[0].score_delta == -0.05
    assert only(at_limit) == (ComparisonVerdict.SAME, ComparisonVerdict.SAME, GateResult.PASSED, 0)
    assert only(beyond)[0] is ComparisonVerdict.REGRESSED
    assert only(beyond)[2:] == (GateResult.REGRESSION, 1)


def test_a_rise_does_not_make_up_for_a_drop() -> None:
    found = compared(
        {"set/a": "PPP", "set/b": "BBB"}, {"set/a": "BBB", "set/b": "PPP"}, rule="threshold"
    )

    assert found.models[0].regressions == found.models[0].improvements == 1
    assert found.finding is ComparisonVerdict.REGRESSED


def test_without_a_gate_nothing_fails_and_the_finding_is_what_is_proven() -> None:
    found = compared({"set/a": "P", "set/b": "P"}, {"set/a": "P", "set/b": "B"})

    assert found.finding is ComparisonVerdict.INCONCLUSIVE
    assert only(found) == (
        ComparisonVerdict.REGRESSED,
        ComparisonVerdict.INCONCLUSIVE,
        GateResult.PASSED,
        0,
    )


def test_one_broken_case_of_twenty_is_proven_with_five_samples_and_not_with_four() -> None:
    # Every other case fails now and then in both, so that it could be tested too.
    def run(n: int, broken: int) -> list[tuple[int, int]]:
        return [(n, broken), *([(n, n)] * 19)]

    five = compared(side_of(run(5, 5)), side_of(run(5, 0)), rule="evidence")
    three = compared(side_of(run(3, 3)), side_of(run(3, 0)), rule="evidence")

    assert five.models[0].cases[0].p_worse == pytest.approx(1 / 252)
    assert only(five) == (
        ComparisonVerdict.REGRESSED,
        ComparisonVerdict.REGRESSED,
        GateResult.REGRESSION,
        1,
    )
    assert only(three) == (
        ComparisonVerdict.REGRESSED,
        ComparisonVerdict.INCONCLUSIVE,
        GateResult.PASSED,
        0,
    )
    assert three.models[0].cases[0].samples_to_settle == 4


def test_many_small_drops_are_proven_together_where_none_is_alone() -> None:
    before = side_of([(5, 4)] * 30)
    after = side_of([(5, 3)] * 30)

    found = compared(before, after, rule="evidence")

    assert not any(case.worse for case in found.models[0].cases)
    assert found.models[0].evidence.p_worse < 0.025
    assert found.finding is ComparisonVerdict.REGRESSED


def test_a_margin_lets_a_small_proven_drop_pass_and_wants_proof_that_it_is_small() -> None:
    before, after = side_of([(50, 45)] * 40), side_of([(50, 43)] * 40)

    assert compared(before, after, rule="evidence").finding is ComparisonVerdict.REGRESSED
    assert compared(before, after, rule="evidence", margin=0.2).finding is ComparisonVerdict.SAME
    few = compared(side_of([(2, 1)] * 5), side_of([(2, 1)] * 5), rule="evidence", margin=0.1)
    assert few.finding is ComparisonVerdict.INCONCLUSIVE


def test_strict_fails_what_is_inconclusive() -> None:
    pair = {"set/a": "P", "set/b": "P"}, {"set/a": "P", "set/b": "B"}

    loose = compared(*pair, rule="evidence")
    strict = compared(*pair, rule="evidence", strict=True)

    assert only(loose)[2:] == (GateResult.PASSED, 0)
    assert only(strict)[2:] == (GateResult.INCONCLUSIVE, 3)


@pytest.mark.parametrize("rule", ["threshold", "evidence"])
def test_unscored_samples_make_a_gate_incomplete_unless_so_many_are_allowed(rule: str) -> None:
    after = {**TEN, "set/c0": "PPPPx"}

    assert only(compared(TEN, after))[2:] == (GateResult.PASSED, 0)
    assert only(compared(TEN, after, rule=rule))[2:] == (GateResult.INCOMPLETE, 3)
    assert only(compared(after, TEN, rule=rule))[2:] == (GateResult.INCOMPLETE, 3)
    assert only(compared(TEN, after, rule=rule, allow_unscored=0.019))[3] == 3
    assert only(compared(TEN, after, rule=rule, allow_unscored=0.02))[3] == 0


def test_a_removed_case_and_a_newly_unscored_one_never_help_a_gate() -> None:
    without = {key: word for key, word in TEN.items() if key != "set/c3"}
    unscored = {**TEN, "set/c3": "xxxxx"}

    for after, gap in (
        (without, UncomparedReason.REMOVED),
        (unscored, UncomparedReason.NEWLY_UNSCORED),
    ):
        found = compared(TEN, after, rule="threshold")

        assert [one.gap for one in found.coverage.left_out] == [gap]
        assert found.coverage.unscored_share == 0.1
        assert only(found)[2:] == (GateResult.INCOMPLETE, 3)
        assert only(compared(TEN, after, rule="threshold", allow_unscored=0.1))[3] == 0


def test_a_regression_is_one_whatever_is_missing() -> None:
    found = compared(TEN, {**TEN, "set/c0": "BBBBx"}, rule="threshold")

    assert only(found)[2:] == (GateResult.REGRESSION, 1)


def test_a_new_case_is_named_and_counts_nowhere() -> None:
    found = compared(TEN, {**TEN, "set/new": "BBBBB"}, rule="threshold")

    assert [(one.case, one.gap) for one in found.coverage.left_out] == [
        ("new", UncomparedReason.NEW)
    ]
    assert only(found)[2:] == (GateResult.PASSED, 0)
    assert found.coverage.compared == 10


def test_runs_without_a_case_in_common_are_not_comparable() -> None:
    found = compared({"set/a": "P"}, {"set/b": "P"})

    assert found.finding is ComparisonVerdict.NOT_COMPARABLE
    assert int(exit_code(found.gate)) == 3
    assert found.models == ()


@pytest.mark.parametrize("field", ["scoring_profile", "lint_rule"])
def test_scores_that_mean_something_else_are_not_compared_unless_told_to(field: str) -> None:
    other = side(TEN, **{field: "another"})

    refused = compared(TEN, other)
    forced = compared(TEN, other, allow_incomparable=True)
    gated = compared(TEN, other, allow_incomparable=True, rule="threshold")

    assert refused.models == ()
    assert (refused.finding, int(exit_code(refused.gate))) == (ComparisonVerdict.NOT_COMPARABLE, 3)
    assert "another" in refused.gate.reasons[0]
    assert forced.finding is ComparisonVerdict.NOT_COMPARABLE
    assert (forced.models[0].finding, int(exit_code(forced.gate))) == (ComparisonVerdict.SAME, 0)
    assert int(exit_code(gated.gate)) == 3


def test_several_models_share_the_chance_of_a_false_alarm() -> None:
    drop = {f"set/c{i}": "PPPPP" for i in range(6)}, {f"set/c{i}": "PPPPB" for i in range(6)}
    alone = compared(*drop)
    two = compared({"p/a": drop[0], "p/b": drop[0]}, {"p/a": drop[1], "p/b": drop[0]})

    (one,), (first, second) = alone.models, two.models

    assert one.evidence.p_worse == one.evidence.p_worse_holm == first.evidence.p_worse
    assert first.evidence.p_worse_holm == 2 * first.evidence.p_worse
    assert second.evidence.p_worse_holm == 1
    assert (one.by_evidence, first.by_evidence) == (
        ComparisonVerdict.REGRESSED,
        ComparisonVerdict.INCONCLUSIVE,
    )
    assert two.by_evidence is ComparisonVerdict.INCONCLUSIVE


def test_what_could_be_seen_and_what_would_settle_it_are_those_of_the_specification() -> None:
    before = side_of([(5, c) for c in (5, 4, 5, 0, 3)])
    after = side_of([(5, c) for c in (3, 2, 5, 0, 4)])

    (model,) = compared(before, after).models
    seen = model.detectability

    assert model.pass_rate.delta == pytest.approx(-3 / 25)
    assert model.pass_rate.interval == pytest.approx((-0.51113801391966732, 0.33970944249109589))
    assert model.evidence.p_worse == pytest.approx(float(Fraction(991, 4536)))
    assert model.evidence.two_sided == pytest.approx(float(Fraction(991, 2268)))
    assert seen.standard_error == pytest.approx(0.12)
    assert seen.minimum_difference == pytest.approx(0.3362, abs=5e-5)


def test_exact_mcnemar_is_what_one_sample_a_case_gives() -> None:
    before = side_of([(1, 1)] * 8 + [(1, 0)] * 4 + [(1, 1)] * 71)
    after = side_of([(1, 0)] * 8 + [(1, 1)] * 4 + [(1, 1)] * 71)

    (model,) = compared(before, after).models

    assert model.evidence.two_sided == 0.3876953125
    assert model.evidence.p_worse == pytest.approx(397 / 2048)
    assert model.pass_rate.interval == pytest.approx((-0.13275348173002265, 0.038635834671199118))


def test_what_is_missing_is_named() -> None:
    three = {key: word for key, word in TEN.items() if key not in {"set/c0", "set/c1", "set/c2"}}
    two = {key: word for key, word in three.items() if key not in {"set/c3", "set/c4"}}
    models = {"p/a": TEN, "p/b": TEN}

    def reasons(before: object, after: object) -> tuple[str, ...]:
        return compared(before, after, rule="evidence").gate.reasons

    assert reasons(TEN, three) == ("3 cases are missing: set/c0, set/c1, set/c2",)
    assert reasons(TEN, two) == ("5 cases are missing: set/c0, set/c1, set/c2 and 2 more",)
    assert reasons(models, {"p/a": TEN}) == ("model p/b is missing",)
    assert reasons(models, {"p/a": three, "p/b": three})[0].startswith("3 cases are missing")
    assert reasons(TEN, {**TEN, "set/c0": "PPPPx"}) == ("1 of 50 samples is unscored",)
    assert reasons({**TEN, "set/c0": "PPPPx"}, TEN) == (
        "1 of 50 samples of the baseline is unscored",
    )


def test_an_allowed_removal_makes_no_gate_incomplete_and_excuses_nothing_else() -> None:
    without = {key: word for key, word in TEN.items() if key != "set/c3"}
    options = {"rule": "evidence", "allow_removed": ("c3",)}

    allowed = compared(TEN, without, **options)
    unscored = compared(TEN, {**without, "set/c4": "xxxxx"}, **options)
    also_gone = compared(TEN, {k: v for k, v in without.items() if k != "set/c4"}, **options)

    assert only(allowed)[2:] == (GateResult.PASSED, 0)
    assert [case.allowed for case in allowed.coverage.left_out] == [True]
    assert allowed.coverage.unscored_share == 0
    assert only(unscored)[2:] == (GateResult.INCOMPLETE, 3)
    assert also_gone.gate.reasons == ("set/c4 is missing",)


def test_the_threshold_gate_knows_what_the_evidence_gate_would_say() -> None:
    noise = {**TEN, "set/c3": "PPPPB"}
    real = {**TEN, "set/c3": "BBBBB"}

    assert compared(TEN, noise, rule="threshold").evidence_gate is GateResult.PASSED
    assert compared(TEN, real, rule="threshold").evidence_gate is GateResult.REGRESSION
    assert compared(TEN, noise, rule="evidence").evidence_gate is None


def test_what_the_format_has_gained_is_written_only_where_it_says_something() -> None:
    added = {"evidence_gate", "suggested_maps"}

    assert not added & compared(TEN, TEN, rule="evidence").model_dump().keys()
    assert added <= compared({"p/a": TEN}, {"p/b": TEN}, rule="threshold").model_dump().keys()


def test_the_version_of_an_eval_set_is_declared_and_its_changed_cases_are_named() -> None:
    old, new = report(TEN), report(TEN)
    new["eval_sets"][0]["version"] = "2"
    new["eval_sets"][0]["cases"][3]["hashes"]["tests"] = "0" * 64
    sides = (read_side(json.dumps(data).encode(), file="r.json") for data in (old, new))

    found = compared(*sides, rule="evidence")

    assert [(item.what, item.current) for item in found.differences] == [("version of set", "2")]
    assert [(left.key, left.gap, left.parts) for left in found.coverage.left_out] == [
        ("set/c3", UncomparedReason.CHANGED, ("tests",))
    ]
    assert only(found)[3] == 0


def test_names_that_are_in_one_run_alone_are_suggested_as_a_map() -> None:
    other_set = {f"new/c{i}": "PPPPP" for i in range(10)}

    assert compared({"p/a": TEN}, {"p/b": TEN}).suggested_maps == (("p/a", "p/b"),)
    assert compared(TEN, other_set).suggested_maps == (("set", "new"),)
    assert compared(TEN, {"new/other": "P"}).suggested_maps == ()
    assert compared(TEN, TEN).suggested_maps == ()
    assert compared({"p/a": TEN, "p/b": TEN}, {"p/c": TEN}).suggested_maps == ()
