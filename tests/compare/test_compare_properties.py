"""What holds of every comparison."""

import json
import random
from typing import Any

from compared import compared, report, side
from hypothesis import given, settings
from hypothesis import strategies as st

from forgetest.compare.gate import exit_code
from forgetest.compare.read import read_side
from forgetest.compare.types import Comparison, ComparisonVerdict, GateResult, Rule

WORDS = st.text(alphabet="PFBx", min_size=1, max_size=6)
RUNS = st.dictionaries(st.sampled_from([f"set/c{i}" for i in range(8)]), WORDS, min_size=1)
RULES = st.sampled_from([None, *Rule])
MIRROR = {
    ComparisonVerdict.REGRESSED: ComparisonVerdict.IMPROVED,
    ComparisonVerdict.IMPROVED: ComparisonVerdict.REGRESSED,
}
# Each example makes reports and deals all samples anew; a few dozen show what is wrong of most.
costly = settings(max_examples=50)
GRAVITY = [
    GateResult.REGRESSION,
    GateResult.NOT_COMPARABLE,
    GateResult.INCOMPLETE,
    GateResult.INCONCLUSIVE,
    GateResult.PASSED,
]


@costly
@given(RUNS, RULES)
def test_a_run_compared_with_itself_is_the_same(run: dict[str, str], rule: Rule | None) -> None:
    same = side(run)
    found = compared(same, same, rule=rule)

    for model in found.models:
        assert model.finding is model.by_threshold is model.by_evidence is ComparisonVerdict.SAME
        assert {case.change for case in model.cases} == {"same"}
        assert model.pass_rate.delta == model.mean_score.delta == 0
    assert found.finding in {ComparisonVerdict.SAME, ComparisonVerdict.NOT_COMPARABLE}


@costly
@given(RUNS, RUNS)
def test_comparing_the_other_way_round_mirrors_every_number(
    first: dict[str, str], second: dict[str, str]
) -> None:
    one_side, other_side = side(first), side(second)
    there, back = compared(one_side, other_side), compared(other_side, one_side)

    assert there.coverage.compared == back.coverage.compared
    for one, other in zip(there.models, back.models, strict=True):
        assert one.evidence.p_worse == other.evidence.p_better
        assert one.evidence.two_sided == other.evidence.two_sided
        assert one.pass_rate.baseline == other.pass_rate.current
        assert one.pass_rate.delta == -(other.pass_rate.delta or 0)
        assert one.regressions == other.improvements
        _assert_mirrored(one.cases, other.cases)
        if ComparisonVerdict.REGRESSED in {one.by_evidence, other.by_evidence}:
            assert {one.by_evidence, other.by_evidence} & {
                ComparisonVerdict.REGRESSED,
                ComparisonVerdict.IMPROVED,
            }
        else:
            assert one.by_evidence is MIRROR.get(other.by_evidence, other.by_evidence)


def _assert_mirrored(cases: Any, others: Any) -> None:
    changes = {"regression": "improvement", "improvement": "regression", "same": "same"}
    by_name = {case.case: case for case in others}
    for case in cases:
        other = by_name[case.case]
        assert case.change == changes[other.change]
        assert (case.p_worse, case.worse) == (other.p_better, other.better)
        assert case.score_delta == -other.score_delta


@costly
@given(RUNS, RUNS, st.randoms(use_true_random=False))
def test_the_order_of_samples_and_cases_changes_nothing(
    first: dict[str, str], second: dict[str, str], rng: random.Random
) -> None:
    def shuffled(run: dict[str, str]) -> dict[str, str]:
        return {key: "".join(rng.sample(word, len(word))) for key, word in run.items()}

    plain = compared(first, second)
    mixed = compared(shuffled(first), shuffled(second))

    assert _without_places(plain) == _without_places(mixed)


def _without_places(found: Comparison) -> Any:
    return found.model_dump(exclude={"baseline": {"file"}, "current": {"file"}})


@given(RUNS, RUNS, RULES.filter(bool), st.booleans(), st.data())
def test_one_more_unscored_sample_never_improves_the_result(
    first: dict[str, str], second: dict[str, str], rule: Rule, strict: bool, data: st.DataObject
) -> None:
    in_baseline = data.draw(st.booleans())
    run = first if in_baseline else second
    key = data.draw(st.sampled_from(sorted(run)))
    more = side({**run, key: run[key] + "x"})
    baseline, current = side(first), side(second)
    pair = (more, current) if in_baseline else (baseline, more)

    before = compared(baseline, current, rule=rule, strict=strict)
    after = compared(*pair, rule=rule, strict=strict)

    assert GRAVITY.index(after.gate.result) <= GRAVITY.index(before.gate.result)
    assert exit_code(after.gate) == exit_code(before.gate) or exit_code(after.gate) == 3


@costly
@given(RUNS, RUNS)
def test_a_comparison_survives_json(first: dict[str, str], second: dict[str, str]) -> None:
    found = compared(first, second)

    # But for what both reports hold, such as the number of distinct completions.
    again = Comparison.model_validate_json(found.model_dump_json())
    assert again.model_dump() == found.model_dump()


@given(RUNS)
def test_what_is_read_of_a_report_is_what_the_report_says(run: dict[str, str]) -> None:
    data = report(run)
    (model,) = read_side(json.dumps(data).encode(), file="a").models.values()

    for row in data["models"][0]["cases"]:
        case = model.cases[f"{row['eval_set']}/{row['case']}"]
        assert (case.n, case.c, case.compiled) == (row["n"], row["c"], row["compiled"])
        assert (float(case.mean_score) if case.n else None) == row["mean_score"]
