"""What is compared with what, and what is named as different."""

import json
from dataclasses import replace

from compared import compared, report, side

from forgetest.compare.read import read_side
from forgetest.compare.side import Side
from forgetest.compare.types import Comparison, ComparisonVerdict, UncomparedReason

RUN = {"set/a": "PPPPP", "set/b": "PPPPP"}


def with_prompt(side_: Side, key: str, **parts: str) -> Side:
    """Return the side with other hashes for a case."""
    hashes = {**side_.hashes, key: side_.hashes[key].model_copy(update=parts)}
    return replace(side_, hashes=hashes)


def gaps(comparison: Comparison) -> list[tuple[str, UncomparedReason, tuple[str, ...], bool]]:
    return [
        (one.case, one.gap, one.parts, one.compared_anyway) for one in comparison.coverage.left_out
    ]


def test_a_changed_case_is_named_with_its_parts_and_not_compared() -> None:
    after = with_prompt(side(RUN), "set/a", prompt="other", tests="other")

    found = compared(side(RUN), after, rule="threshold")

    assert gaps(found) == [("a", UncomparedReason.CHANGED, ("prompt", "tests"), False)]
    assert [case.case for case in found.models[0].cases] == ["b"]
    assert found.gate.result == "passed"
    assert compared(side(RUN), after, strict=True).gate.result == "not comparable"


def test_a_changed_case_can_be_compared_anyway_but_can_not_gate() -> None:
    after = with_prompt(side({**RUN, "set/a": "BBBBB"}), "set/a", reference="other")

    found = compared(side(RUN), after, rule="threshold", allow_incomparable=True)

    assert gaps(found) == [("a", UncomparedReason.CHANGED, ("reference",), True)]
    assert found.models[0].regressions == 1
    assert found.finding is ComparisonVerdict.NOT_COMPARABLE
    assert found.gate.result == "not comparable"


def test_a_mapped_eval_set_compares_prompts_and_nothing_else_that_changed() -> None:
    after = with_prompt(side(RUN), "set/a", prompt="other", context="other")
    after = with_prompt(after, "set/b", prompt="other", tests="other")

    found = compared(side(RUN), after, maps=[("set", "set")])

    assert gaps(found) == [("b", UncomparedReason.CHANGED, ("tests",), False)]
    assert [case.case for case in found.models[0].cases] == ["a"]
    assert any("prompts are what is compared" in note for note in found.notes)


def test_cases_of_another_set_are_paired_by_a_map() -> None:
    before, after = side(RUN), side({"new/a": "BBBBB", "new/b": "PPPPP"})

    found = compared(before, after, maps=[("set", "new")])

    assert found.coverage.left_out == ()
    assert [(case.eval_set, case.case, case.change) for case in found.models[0].cases] == [
        ("new", "a", "regression"),
        ("new", "b", "same"),
    ]


def test_two_models_are_compared_by_a_map_and_others_by_their_name() -> None:
    before = side({"p/old": RUN, "p/same": RUN, "p/gone": RUN})
    after = side({"p/new": {**RUN, "set/a": "BBBBB"}, "p/same": RUN, "p/fresh": RUN})

    found = compared(before, after, maps=[("p/old", "p/new")])

    assert [(one.baseline, one.current, one.regressions) for one in found.models] == [
        ("p/old", "p/new", 1),
        ("p/same", "p/same", 0),
    ]
    assert "only in the baseline: p/gone" in found.notes
    assert "only in the current run: p/fresh" in found.notes
    assert {one.gap for one in found.coverage.left_out if one.model == "p/gone"} == {
        UncomparedReason.REMOVED
    }


def test_everything_declared_that_differs_is_named() -> None:
    data = report(RUN)
    data["toolchain"]["rustc"] = "rustc 1.96.0 (abc 2026-05-28)\nhost: x"
    data["sampling"]["temperature"] = 0.8
    data["limits"]["test_secs"] = 7
    data["extractor"] = "last"
    found = compared(side(RUN), read_side(json.dumps(data).encode(), file="b"))

    assert [(one.what, one.baseline, one.current) for one in found.differences] == [
        ("extractor", "defining", "last"),
        ("rustc", "rustc 1.95.0", "rustc 1.96.0 (abc 2026-05-28)"),
        ("temperature", "not sent", "0.8"),
        ("limit test_secs", "5", "7"),
    ]
    assert found.models[0].finding is ComparisonVerdict.SAME


def test_unequal_and_few_samples_are_noted() -> None:
    found = compared({"set/a": "PP", "set/b": "PP"}, {"set/a": "PPP", "set/b": "PPx"})

    assert "1 of 2 cases have another number of scored samples than before" in found.notes
    assert any("at most 2 samples a case" in note for note in found.notes)
    assert any("unscored samples: 0 of 4" in note for note in found.notes)


def test_drift_counts_what_samples_have_before_and_after() -> None:
    found = compared({"set/a": "BPP", "set/b": "PPP"}, {"set/a": "BBB", "set/b": "PPF"})

    (model,) = found.models
    drift = model.drift
    assert [(one.name, one.baseline, one.current) for one in drift.outcomes] == [
        ("passed", 5, 2),
        ("compile_failed", 1, 3),
        ("tests_failed", 0, 1),
    ]
    assert [(one.name, one.baseline, one.current) for one in drift.error_codes] == [("E0308", 1, 3)]
    assert drift.compile_at_k["1"].delta == drift.compile_rate.delta
    (case, _) = model.cases
    assert [(one.outcome, one.code, one.samples) for one in case.current.failures] == [
        ("compile_failed", "E0308", 3)
    ]


def test_groups_have_their_case_counts_and_no_interval_below_five() -> None:
    five = {f"set/c{i}": "PP" for i in range(5)}
    found = compared({**five, "few/x": "PP"}, {**five, "few/x": "PF"})

    rows = {(one.kind, one.name): one for one in found.models[0].groups}
    assert rows["eval set", "few"].cases == 1
    assert rows["eval set", "few"].pass_rate.interval is None
    assert rows["eval set", "few"].pass_rate.reason == "too_few_cases"
    assert rows["eval set", "set"].pass_rate.interval is not None
    assert rows["tag", "tag"].cases == rows["difficulty", "easy"].cases == 6


def test_cost_tokens_and_latency_are_those_of_the_compared_cases() -> None:
    found = compared({**RUN, "set/only": "PPPPP"}, RUN)

    usage = found.models[0].usage
    assert usage.baseline == usage.current
    assert usage.baseline.completions == 10
    assert float(usage.baseline.cost.usd or 0) == 0.01
    assert usage.baseline.tokens.output == 200
    assert usage.baseline.latency is not None
    assert usage.baseline.latency.p95 == 0.5
