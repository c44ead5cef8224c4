"""What people read: numbers that hide nothing, tables that fit, markdown that holds."""

import io
import re
from decimal import Decimal

import pytest
from github_page import Page, rendered
from records import BROKEN, FAIL, FAULT, PASS, case, completion, manifest, records, verdict
from rich.console import Console

from forgetest.errors import FaultKind
from forgetest.extract.types import Extraction, ExtractionRule
from forgetest.grading.verdict import Outcome, Verdict
from forgetest.render.columns import balanced
from forgetest.render.live import live_table, live_view, plain_line, wait_line
from forgetest.render.markdown import report_markdown
from forgetest.render.numbers import dollars, interval, money, seconds
from forgetest.render.run import plan_line
from forgetest.render.safe import escape, one_line
from forgetest.render.tables import report_tables
from forgetest.report.build import build_report
from forgetest.report.types import CostSum, Report
from forgetest.run.events import Completed, Event, Faulted, Graded
from forgetest.run.tally import Tallies, Tally

AT = "2026-11-21T00:00:00.000+00:00"


def two_models() -> Report:
    cases = [case("alpha"), case("beta"), case("gamma")]
    made = manifest(cases, models=("p/good", "p/bad"), n=2, pass_k=(1, 2))
    good = records(
        {"set/alpha": PASS * 2, "set/beta": PASS * 2, "set/gamma": PASS + FAIL}, model="p/good"
    )
    bad = records(
        {"set/alpha": BROKEN * 2, "set/beta": PASS + BROKEN, "set/gamma": FAULT + FAIL},
        model="p/bad",
    )
    return build_report(made, {**good, **bad})


def drawn(renderable: object, width: int = 80) -> list[str]:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(renderable)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    return [line.rstrip() for line in text.splitlines()]


def test_the_terminal_report_fits_80_columns_and_says_everything() -> None:
    lines = drawn(report_tables(two_models(), width=80))

    assert all(len(line) <= 80 for line in lines)
    text = " ".join(" ".join(lines).split())
    assert "1 p/good 83.3 % 43.6 – 97.0 %" in text
    assert "case #1 #1 pass@2 #1 score" in text
    assert "gamma 1/2 100.0 % 0.875" in text
    assert "gamma 0/1 (1 unscored)" in text
    assert "compile_failed 3 (E0308 3)" in text
    assert "! p/bad: 1 of 6 samples are unscored (first fault: no answer)" in text


def heads(lines: list[str]) -> list[str]:
    """Return the titles of the leaderboard, over all parts that it is folded into."""
    parts = [line for line in lines if line.startswith(("#  model", "model "))]
    titles = [title.strip() for line in parts for title in re.split(r"\s{2,}", line)]
    return list(dict.fromkeys(titles))


@pytest.mark.parametrize("width", [80, 120, 200])
def test_a_table_folds_where_it_is_too_wide_and_hides_nothing(width: int) -> None:
    lines = drawn(report_tables(two_models(), width=width), width=width)
    markdown = report_markdown(two_models())

    assert max(map(len, lines)) <= width
    titles = ["pass@1", "95 % interval", "pass@2", "pass^2", "overall", "score", "compile"]
    titles += ["tests", "lint-free", "flaky", "latency", "p50", "cost"]
    assert [title for title in heads(lines) if title in titles] == titles
    assert " | ".join(["| model", *titles[:-1]]) in markdown


def test_a_folded_leaderboard_keeps_latencies_together_and_says_what_its_columns_mean() -> None:
    wide = 400
    for width in range(60, 140):
        lines = drawn(report_tables(two_models(), width=width), width=wide)
        (latency,) = (line for line in lines if " latency " in line)
        assert "p50" in latency, width

    meanings = {
        "overall": "mean over the eval sets of their pass rates",
        "flaky": "cases of which some samples pass and some fail",
    }
    markdown = report_markdown(two_models())
    for title, meaning in meanings.items():
        assert f"{title:7}  {meaning}" in lines
        assert f"`{title}`: {meaning}" in markdown


def test_a_warning_that_is_wrapped_leaves_no_word_alone() -> None:
    sentence = "n = k = 2: pass@2 only says whether any of them passed; 4 would give an error bar"

    for width in (79, 80, 81, 60, 40):
        lines = balanced(sentence, width).split("\n")
        assert " ".join(lines) == sentence
        assert max(map(len, lines)) <= width
        assert all(len(line) > max(map(len, lines)) // 2 for line in lines), lines


def test_each_warning_is_a_line_of_its_own_in_markdown() -> None:
    quoted = rendered(report_markdown(two_models())).partition("<blockquote>")[2]

    assert len(two_models().warnings) > 1
    assert quoted.count("<li>⚠ ") == len(two_models().warnings)


def test_anchors_alone_need_no_more_samples() -> None:
    warned = {
        models: [
            text
            for text in build_report(
                manifest([case("a")], models=models, n=2, pass_k=(2,)), {}
            ).warnings
            if "error bar" in text
        ]
        for models in (("reference/solution",), ("reference/solution", "p/m"))
    }

    assert list(map(len, warned.values())) == [0, 1]


def test_eval_sets_have_scores_and_their_mean_is_the_overall_score() -> None:
    cases = [case("alpha"), case("beta", eval_set="other"), case("gamma", eval_set="other")]
    made = manifest(cases, models=("p/m", "reference/stub"), n=1)
    found = {
        **records({"set/alpha": PASS, "other/beta": PASS, "other/gamma": FAIL}, model="p/m"),
        **records(
            dict.fromkeys(("set/alpha", "other/beta", "other/gamma"), FAIL), model="reference/stub"
        ),
    }
    report = build_report(made, found)

    text = [" ".join(line.split()) for line in drawn(report_tables(report, width=80))]
    markdown = report_markdown(report)

    for line in ("eval set cases #1 stub", "set 1 100.0 % 0.0 %", "other 2 50.0 % 0.0 %"):
        assert line in text
    assert "overall (mean) 3 75.0 % 0.0 %" in text
    assert "| overall (mean) | 3 | 75.0 % | 0.0 % |" in markdown


def test_anchors_stand_behind_the_models_without_a_rank() -> None:
    cases = [case("alpha")]
    models = ("reference/solution", "p/bad", "reference/stub")
    letters = dict(zip(models, (PASS, FAIL, FAIL), strict=True))
    found = {}
    for model, letter in letters.items():
        found.update(records({"set/alpha": letter}, model=model))
    report = build_report(manifest(cases, models=models, n=1), found)

    lines = drawn(report_tables(report, width=80))
    rows = [line.split()[:2] for line in lines[1:4]]

    assert rows == [["1", "p/bad"], ["–", "reference/solution"], ["–", "reference/stub"]]
    assert "case #1 #1 score solution stub" in [" ".join(line.split()) for line in lines]
    assert lines[-1] == (
        "anchors: solution passes everything and stub passes nothing, as they should"
    )


@pytest.mark.parametrize(
    ("usd", "shown"),
    [("0", "$0"), ("0.00001", "<$0.0001"), ("0.0012", "$0.0012"), ("12.345", "$12.34")],
)
def test_small_costs_stay_visible(usd: str, shown: str) -> None:
    assert dollars(Decimal(usd)) == shown


def test_an_unknown_price_is_never_shown_as_nothing() -> None:
    assert money(CostSum(usd=None, known_usd=Decimal(0), unknown=2)) == "?"
    assert money(CostSum(usd=None, known_usd=Decimal("1.5"), unknown=2)) == "$1.50 + ?"


@pytest.mark.parametrize(
    ("secs", "shown"),
    [(0.0421, "42 ms"), (3.14, "3.1 s"), (61, "1 min 01 s"), (3725, "1 h 02 min")],
)
def test_durations_are_in_the_unit_a_person_would_choose(secs: float, shown: str) -> None:
    assert seconds(secs) == shown


def test_an_interval_is_rounded_outward_of_nothing() -> None:
    assert interval((0.0, 0.9999)) == "0.0 – >99.9 %"
    assert interval(None) == "–"


@pytest.mark.parametrize(
    "text", ["a|b", "`code`", "<script>", "@someone", "#1", "a\nb", "\x1b[31mred", "\u202eevil"]
)
def test_no_text_of_others_can_break_a_markdown_table(text: str) -> None:
    page = Page(f"| a | b |\n|---|---|\n| {escape(text)} | 1 |")

    assert page.tables == [[2, 2]]
    assert set(page.tags) == {"table", "thead", "tbody", "tr", "th", "td"}


def test_markdown_says_the_verdict_first_and_is_stable() -> None:
    text = report_markdown(two_models())

    assert text.startswith("### forgetest: set (3 cases)")
    assert text == report_markdown(two_models())
    assert "| p/good | **83.3 %** |" in text


def test_control_characters_never_reach_a_line() -> None:
    assert one_line("a\x1b[2Jb\u202e\n c") == "a [2Jb c"
    assert len(one_line("x" * 1000)) == 160


def test_a_plan_is_told_in_one_line() -> None:
    made = manifest([case("a"), case("b")], models=("p/m", "p/n"), n=3)

    assert plan_line(made.plan) == "2 models x 2 cases x 3 samples = 12 samples"


def events() -> list[Event]:
    key = "p/m|set/a|0"
    extraction = Extraction(code="fn f() {}", rule=ExtractionRule.WHOLE, blocks=0)
    wrong = Verdict(outcome=Outcome.COMPILE_FAILED, passed=False, reasons=("error E0308: \x1b[1m",))
    return [
        Completed(sample=key, at=AT, completion=completion("x")),
        Graded(sample=key, at=AT, extraction=extraction, verdict=verdict("P")),
        Completed(sample="p/m|set/a|1", at=AT, completion=completion("y", usd=None)),
        Graded(sample="p/m|set/a|1", at=AT, extraction=extraction, verdict=wrong),
        Faulted(
            sample="p/m|set/a|2", at=AT, stage="asking", kind=FaultKind.PROVIDER, message="gone"
        ),
    ]


def test_settled_samples_are_told_in_a_line_each() -> None:
    tallies = Tallies.of(manifest([case("a")], n=3).plan)
    lines = []
    for event in events():
        tallies.add(event)
        lines.append(plain_line(event, tallies))

    assert lines == [
        None,
        "[1/3] p/m set/a #1: passed",
        None,
        "[2/3] p/m set/a #2: compile_failed (error E0308: [1m)",
        "[3/3] p/m set/a #3: unscored (provider): gone",
    ]


def test_a_graded_sample_is_a_line_of_at_most_100_columns() -> None:
    tallies = Tallies.of(manifest([case("a")], n=4).plan)
    names = ", ".join(f"tests::a_long_name_of_a_test_{number}" for number in range(9))
    event = Graded(
        sample="p/m|set/a|0",
        at=AT,
        extraction=Extraction(code="", rule=ExtractionRule.WHOLE, blocks=0),
        verdict=verdict(FAIL).model_copy(update={"reasons": (f"9 of 9 tests failed: {names}",)}),
    )
    tallies.add(event)

    line = plain_line(event, tallies)

    assert line is not None
    assert line.startswith("[1/4] p/m set/a #1: tests_failed (9 of 9 tests failed: tests::a_long")
    assert (len(line), line[-1]) == (100, "…")


def test_the_live_table_counts_what_has_happened() -> None:
    tallies = Tallies.of(manifest([case("a")], n=4).plan)
    for event in events():
        tallies.add(event)

    head, row = drawn(live_table(tallies, elapsed=6.0, width=80))

    titles = ["model", "answered", "graded", "pass", "rate", "unscored", "cost", "time", "left"]
    assert head.split() == titles
    assert row.replace("━", "").replace("╸", "").replace("╺", "").split() == [
        *("m", "2/4", "2/4", "50.0", "%", "1", "$0.0010", "2.0", "s")
    ]


LONG_NAMES = ("openrouter/acme-corporation/good-model-70b-instruct", "p/cheap", "q/cheap")


@pytest.mark.parametrize("width", [50, 80, 120])
def test_a_narrow_terminal_keeps_a_models_own_name_and_drops_a_bar(width: int) -> None:
    tallies = Tallies.of(manifest([case("a")], models=LONG_NAMES[1:], n=4).plan)
    tallies.by_model[LONG_NAMES[0]] = Tally(planned=4, answered=3, graded=2)
    waits = [wait_line("openai", "429", 5.2)]

    lines = drawn(live_view(tallies, waits, elapsed=6.0, width=width), width)

    assert max(map(len, lines)) <= width
    assert any("good-mode" in line for line in lines)
    assert any("p/cheap" in line for line in lines)
    bars = {50: 0, 80: 1, 120: 2}[width]
    (row,) = (line for line in lines if "good-mode" in line)
    assert len(re.findall("━+", row)) == bars
    assert lines[-2].startswith("10 of 12 samples left · $0 so far")
    assert lines[-1] == "waiting for openai: 429, 6 s left"


def test_what_an_earlier_session_settled_is_no_measure_of_this_ones_speed() -> None:
    tallies = Tallies.of(manifest([case("a")], n=4).plan)
    for event in events():
        tallies.resume(event)
    tally = tallies.by_model["p/m"]

    assert (tally.settled, tally.faulted) == (2, 0)
    assert tally.secs_left(10.0) is None
