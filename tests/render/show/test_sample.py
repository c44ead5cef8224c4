"""What `forgetest show` picks and says, on runs made of values."""

import re
from collections.abc import Sequence

import pytest
from viewed import failing, made, picked, text

from forgetest.errors import ConfigError
from forgetest.evalset.types import Case
from forgetest.grading.verdict import Diagnostic, Outcome, Span, TestOutcome, TestResult
from forgetest.render.show.run import Failures, RunView, run_tables
from forgetest.render.show.sample import completion_words, prompt_parts, sample_facts, sample_parts
from forgetest.report.files import (
    PickedSample,
    leading,
    pick_case,
    pick_models,
    pick_samples,
    samples_of,
)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("sub", "s/sub"), ("t/add", "t/add"), ("su*", "s/sub"), ("t/*", "t/add"), ("s/s?b", "s/sub")],
)
def test_a_case_is_meant_by_its_id_its_full_name_or_a_glob_of_one(typed: str, meant: str) -> None:
    assert pick_case(made(), typed) == meant


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("add", "add: matches 2 cases: s/add, t/add; name one of them"),
        ("*", "*: matches 3 cases: s/add, s/sub, t/add; name one of them"),
        ("mul", "mul: matches no case; the cases are s/add, s/sub, t/add"),
    ],
)
def test_no_case_and_several_are_told_in_one_line(typed: str, said: str) -> None:
    with pytest.raises(ConfigError) as raised:
        pick_case(made(), typed)

    assert str(raised.value) == said


def test_a_model_is_meant_by_its_name_or_by_a_part_of_one_name_alone() -> None:
    def names(typed: str | None) -> list[str]:
        return [str(model.model) for model in pick_models(made(), typed)]

    assert names("a/fast") == ["a/fast"]
    assert names("er") == ["a/faster"]
    assert names(None) == ["a/fast", "a/faster"]
    for typed in ("fast", "slow"):
        with pytest.raises(ConfigError, match=f"--model {typed}: "):
            names(typed)


def test_samples_are_counted_from_one_and_the_first_that_fails_leads() -> None:
    samples = samples_of(made().models, "s/add")

    assert leading(samples) == samples[1]
    assert leading(samples[2:]) == samples[2]
    assert leading(()) is None
    assert [one.model for one in pick_samples(samples, 2)] == ["a/fast", "a/faster"]
    for number in (0, 3):
        with pytest.raises(ConfigError, match="the case has samples 1 to 2"):
            pick_samples(samples, number)


def test_failures_are_counted_by_outcome_and_code_and_unscored_samples_beside_them() -> None:
    models = made({"p/m": {"s/a": "BBFxP"}}).models
    samples = samples_of(models, "s/a")
    failures, none = counted(samples), counted(samples[-1:])

    assert failures.line == "compile_failed 2 (E0308 2) · tests_failed 1 · unscored 1"
    assert failures.commonest == "2 of 3: mismatched types"
    assert none.line == none.commonest == ""


def counted(samples: Sequence[PickedSample]) -> Failures:
    """Return how samples fail."""
    failures = Failures()
    for sample in samples:
        failures.add(sample.sample)
    return failures


@pytest.mark.parametrize("width", [40, 80, 100, 160])
def test_the_table_of_a_run_fits_and_names_every_case(width: int) -> None:
    run = made()

    shown = text(run_tables(RunView("runs/x", run, run.models), width=width), width)

    assert max(map(len, shown.splitlines())) <= width
    for name in ("s/add", "s/sub", "t/add"):
        assert name in shown
    assert "compile_failed 3 (E0308 3)" in " ".join(shown.split()) or width < 80


def test_a_wide_screen_gives_the_commonest_failure_a_column_of_its_own() -> None:
    run = made()
    view = RunView("runs/x", run, run.models)

    assert "most common failure" in text(run_tables(view, width=160), 160)
    assert "most common failure" not in text(run_tables(view, width=80), 80)


def test_models_that_do_not_fit_stand_in_tables_below() -> None:
    run = made({f"p/m{i:02}": {"s/a": "P", "s/b": "F"} for i in range(20)})

    shown = text(run_tables(RunView("x", run, run.models), width=80), 80)

    assert re.findall(r"#\d+", shown) == [f"#{rank}" for rank in range(1, 21)]
    assert max(map(len, shown.splitlines())) <= 80
    assert "failures" not in shown


def test_that_an_anchor_fails_is_no_failure_of_a_case() -> None:
    run = made({"p/m": {"s/a": "P", "s/b": "F"}, "reference/stub": {"s/a": "F", "s/b": "F"}})

    both, failed = (
        text(run_tables(RunView("x", run, run.models, failed=only), width=80))
        for only in (False, True)
    )
    anchors = made({"reference/stub": {"s/a": "F"}})

    assert "tests_failed 1" in both
    assert "stub" in both
    assert not re.search(r"^a ", failed, re.MULTILINE)
    assert "tests_failed 1" in text(run_tables(RunView("x", anchors, anchors.models), width=80))


def test_only_failing_cases_are_shown_when_asked_for() -> None:
    run = made({"p/m": {"s/good": "PP", "s/lost": "xx", "s/bad": "PF"}})

    shown = text(run_tables(RunView("x", run, run.models, failed=True), width=80))
    fine = text(run_tables(RunView("x", made({"s/a": "P"}), run.models[:0], failed=True), width=80))

    assert "bad" in shown
    assert "good" not in shown
    assert "lost" not in shown.split("failures")[1]
    assert "every scored sample passes" in fine


def test_a_sample_is_shown_with_marked_lines_errors_as_rendered_tests_and_lints() -> None:
    span = Span(file="src/lib.rs", line=2, column=5, end_line=2, end_column=6)
    rendered = (
        "error[E0425]: cannot find value `x`\n --> src/lib.rs:2:5\n  |\n2 |     x\n  |     ^\n\n"
    )
    error = Diagnostic(level="error", code="E0425", message="m", span=span, rendered=rendered)
    lint = Diagnostic(
        level="warning",
        code="clippy::l",
        message="a lint",
        span=span.model_copy(update={"line": 3}),
    )
    tests = (
        TestResult(name="tests::a", outcome=TestOutcome.PASSED, secs=0.002),
        TestResult(name="tests::b", outcome=TestOutcome.FAILED, message="left: 1\nright: 2"),
    )
    verdict = failing(errors=(error,), tests=tests, lints=(lint,), reasons=("one", "two"))

    shown = text(sample_parts(picked(verdict, "fn f() {\n    x\n}\n"), None, prompt=False))

    lines = [line.rstrip() for line in shown.splitlines()]
    assert [line for line in lines if line.startswith(">")] == ["> 2     x", "> 3 }"]
    assert rendered.rstrip() in "\n".join(lines)
    assert "warning: a lint\n --> src/lib.rs:3:5" not in shown  # its code stands in brackets
    assert "warning[clippy::l]: a lint" in shown
    assert "1 of 2 tests passed" in shown
    assert re.search(r"passed +tests::a +2 ms\n", shown)
    assert re.search(r"failed +tests::b *\n +left: 1 *\n +right: 2", shown)
    assert "no token counts" in shown


def test_what_is_known_of_a_verdict_is_said_in_words() -> None:
    shown = picked(failing(flags=("duplicate", "unsteady", "of_a_later_version")))
    named = {
        name: picked(failing()).sample.completion.model_copy(update={"served_model": name})
        for name in ("m", "m-2026-11-20")
    }

    assert [words for label, words in sample_facts(shown) if label in ("trust", "verdict")] == [
        "clean: nothing in the code tries to forge a result",
        "duplicate: of the same code in another sample of this run",
        "unsteady: two gradings of the same code disagreed; this is the worse",
        "of_a_later_version",
    ]
    assert "the server" not in completion_words(named["m"], asked="p/m")
    assert completion_words(named["m-2026-11-20"], asked="p/m").endswith(
        "the server calls the model m-2026-11-20"
    )


def test_the_prompt_is_folded_until_a_sample_is_asked_for() -> None:
    case = Case(id="a", eval_set="s", name="A", prompt="\n".join(f"line {i}" for i in range(9)))

    folded = [text(part) for part in prompt_parts(case, whole=False)]
    whole = [text(part) for part in prompt_parts(case, whole=True)]

    assert "3 more lines; see them with --sample N" in folded[-1]
    assert "line 8" not in "".join(folded)
    assert "line 8" in "".join(whole)
    assert "run folder" in "".join(text(part) for part in prompt_parts(None, whole=True))


def test_a_reply_without_code_is_shown_in_place_of_it() -> None:
    one = picked(failing(outcome=Outcome.REFUSED), reply="I will not.\n" * 30)
    bare = one._replace(sample=one.sample.model_copy(update={"code": None}))

    shown = text(sample_parts(bare, None, prompt=False))

    assert "reply, without code" in shown
    assert "11 more lines; see them with --raw" in shown or "10 more lines" in shown
