"""What a finding rests on: both rules, the tests behind them, and what they could have seen."""

from forgetest.compare.types import Detectability, Finding, ModelComparison, Options
from forgetest.render.comparison.numbers import chance, points
from forgetest.words import count


def rests_on(model: ModelComparison, options: Options) -> str:
    """Return what both rules say of a model, and what to make of it."""
    parts = [
        f"threshold {options.threshold:g}: {model.by_threshold}",
        f"evidence at alpha {options.alpha:g}: {model.by_evidence}",
        _together(model),
    ]
    return " · ".join(part for part in parts if part)


def _together(model: ModelComparison) -> str:
    decided = {Finding.REGRESSED, Finding.IMPROVED}
    if model.by_threshold in decided and model.by_evidence not in decided:
        return f"within noise: {settled_by(model.detectability)}"
    if model.by_evidence in decided and model.by_threshold not in decided:
        return "beyond noise, though not by the threshold"
    if model.by_threshold in decided and model.by_evidence in decided:
        agree = model.by_threshold is model.by_evidence
        return "beyond noise" if agree else "the rules disagree: look at the cases"
    return ""


def settled_by(seen: Detectability) -> str:
    """Return what it would take to tell such a difference from noise."""
    ways = []
    if seen.samples_to_settle:
        ways.append(count(seen.samples_to_settle, "sample a case", "samples a case"))
    if seen.cases_to_settle:
        ways.append(count(seen.cases_to_settle, "case like these", "cases like these"))
    if not ways:
        return "no number of samples of these cases would settle it"
    return f"{' or '.join(ways)} would settle it"


def detectability_line(seen: Detectability) -> str:
    """Return the smallest change of the pass rate that a comparison like this one sees."""
    if not seen.minimum_difference:
        return "what it could have seen can not be told: too few cases, or none varies"
    size = points(min(1.0, seen.minimum_difference)).removeprefix("+")
    return f"could have seen {size} points with 80 % power"


def test_lines(model: ModelComparison, options: Options) -> list[str]:
    """Return what the tests over all cases say, of passes and of scores, and those of each case."""
    found = model.evidence
    below = f"decided below {options.alpha / 2:g}"
    holm = ""
    if (found.p_worse_holm, found.p_better_holm) != (found.p_worse, found.p_better):
        adjusted = f"{chance(found.p_worse_holm)} and {chance(found.p_better_holm)}"
        holm = f"; over all models by Holm {adjusted}"
    by_chance = f"{chance(found.p_worse)} for such a drop, {chance(found.p_better)} for such a rise"
    scores = f"{chance(found.score_p_worse)}, {chance(found.score_p_better)}"
    return [
        f"passes: {by_chance} by chance ({_drawn(found.draws)}; {below}){holm}",
        f"scores: {scores} likewise ({_drawn(found.score_draws)})",
        _single_cases(model),
    ]


def _drawn(draws: int | None) -> str:
    return "exact" if draws is None else f"{draws:,} permutations"


def _single_cases(model: ModelComparison) -> str:
    fell = sum(case.worse for case in model.cases)
    rose = sum(case.better for case in model.cases)
    tested = count(model.evidence.case_tests, "case")
    return (
        f"single cases: {fell} fell and {rose} rose beyond noise"
        f" (p at most {model.evidence.case_threshold:.3g}, for {tested} that could)"
    )
