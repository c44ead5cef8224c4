"""What stands on a page, told without a browser."""

import re

import pytest
from htmlruns import full_case, run, three_models

from forgetest.render.html import ShownRun, report_files
from forgetest.render.html.charts.costs import cost_per_sample
from forgetest.render.html.charts.curves import ks_of
from forgetest.render.html.charts.heat import passed_share, shade
from forgetest.render.html.markup import labels, shortened
from forgetest.render.html.models import page_models
from forgetest.render.html.page import summary, title_of, warnings_of
from forgetest.render.leaderboard import cost_per_solved


def page(*runs: ShownRun) -> str:
    return report_files(runs)["report.html"]


def test_a_page_is_the_same_for_the_same_run() -> None:
    assert page(three_models()) == page(three_models())


@pytest.mark.parametrize(
    ("letters", "class_", "told"),
    [
        ("PPPP", "h10", "4/4"),
        ("BBBB", "h0", "0/4"),
        ("PBBB", "h2", "1/4"),
        ("xPxx", "h10", "1/1 (3 unscored)"),
        ("xxxx", "none", "– (4 unscored)"),
        ("P" * 99 + "B", "h9", "99/100"),
        ("B" * 99 + "P", "h1", "1/100"),
    ],
)
def test_only_none_and_all_have_the_shades_of_none_and_all(
    letters: str, class_: str, told: str
) -> None:
    (model,) = run({"p/m": {"set/add": letters}}).report.models
    assert (shade(model.cases[0]), passed_share(model.cases[0])) == (class_, told)


def test_a_curve_has_every_small_k_and_few_large_ones() -> None:
    assert ks_of(5) == (1, 2, 3, 4, 5)
    assert ks_of(200)[0] == 1
    assert ks_of(200)[-1] == 200
    assert len(ks_of(200)) <= 12
    assert ks_of(0) == ()


def test_a_name_is_shortened_in_its_middle() -> None:
    assert shortened("replay/recorded.jsonl#hasty", 22) == "replay/…ed.jsonl#hasty"
    assert shortened("replay/recorded.jsonl#careful", 22) == "replay/…jsonl#careful"
    assert shortened("short", 22) == "short"


def test_labels_of_a_chart_differ_where_names_do() -> None:
    assert labels(["a/b", "replay/recorded.jsonl#hasty"], 22) == ["a/b", "recorded.jsonl#hasty"]
    alike = [f"p/{'x' * 12}-{size}-{'instruct' * 2}" for size in ("7b", "9b")]
    assert labels(alike, 22) == ["1 p/xxxx…ructinstruct", "2 p/xxxx…ructinstruct"]


def test_models_are_ranked_by_pass_rate_then_score_then_name() -> None:
    found = run({"p/b": {"set/add": "PF"}, "p/a": {"set/add": "PF"}, "p/c": {"set/add": "PB"}})
    assert [entry.name for entry in page_models([found])] == ["p/a", "p/b", "p/c"]


def test_cost_per_solved_is_for_each_sample_that_passed() -> None:
    (entry,) = page_models([run({"p/m": {"set/add": "PPBB"}})])
    assert str(cost_per_solved(entry.model)) == "0.004"
    assert str(cost_per_sample(entry)) == "0.002"
    (nothing,) = page_models([run({"p/m": {"set/add": "BBBB"}})])
    assert cost_per_solved(nothing.model) is None


def test_a_case_that_is_not_the_same_in_all_runs_is_the_first_warning() -> None:
    one = run({"p/m": {"set/add": "PP"}}, label="monday")
    changed = full_case("add").model_copy(update={"prompt": "Write another."})
    other = run({"p/n": {"set/add": "Px"}}, cases=[changed], label="tuesday")
    assert warnings_of([one, other])[0] == "1 case not the same in all runs: set/add"
    assert "not every planned sample is scored" in warnings_of([one, other])
    assert title_of([one, other]) == "Set"
    assert summary([one, other], cases=1) == "2 models · 1 case · 4 samples · 2026-11-21"


def test_a_model_that_lacks_a_case_of_another_run_has_a_dash() -> None:
    one = run({"p/m": {"set/add": "PP"}}, label="monday")
    other = run({"p/n": {"set/merge": "PP"}}, label="tuesday")
    assert len(re.findall(r'class="heat none">–', page(one, other))) == 2


def test_a_run_in_which_nothing_was_scored_still_has_a_page() -> None:
    empty = run({"p/m": {"set/add": "xx"}})
    assert "not every planned sample is scored" in page(empty)
    assert page(ShownRun(empty.report, (), "alone"))


def test_no_line_of_style_or_script_is_a_workflow_command() -> None:
    assert not re.search(r"^\s*::", page(three_models()), re.MULTILINE)


def test_the_interval_of_the_leaderboard_is_drawn_in_its_own_size() -> None:
    (box,) = set(re.findall(r'viewBox="([^"]*)" width="104"', page(three_models())))

    assert box == "0 0 104 18"
