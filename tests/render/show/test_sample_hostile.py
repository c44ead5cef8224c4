"""Texts of models, cases and files do nothing in the terminal, whatever stands in them."""

from hypothesis import given
from hypothesis import strategies as st
from shown import HOSTILE
from viewed import failing, made, picked, text

from forgetest.evalset.types import Case
from forgetest.grading.verdict import Diagnostic, Span, TestOutcome, TestResult
from forgetest.render.safe import REPLACED, many_lines
from forgetest.render.show.run import RunView, run_tables
from forgetest.render.show.sample import code_table, sample_parts, samples_table


def test_hostile_text_changes_nothing_wherever_it_stands() -> None:
    span = Span(file="src/lib.rs", line=1, column=1, end_line=1, end_column=2, label=HOSTILE)
    error = Diagnostic(level="error", code=HOSTILE, message=HOSTILE, span=span, rendered=HOSTILE)
    plain = error.model_copy(update={"rendered": ""})
    test = TestResult(name=HOSTILE, outcome=TestOutcome.FAILED, message=HOSTILE)
    verdict = failing(
        errors=(error, plain), test_errors=(error,), tests=(test,), lints=(plain,), flags=(HOSTILE,)
    )
    verdict = verdict.model_copy(update={"reasons": (HOSTILE,)})
    one = picked(verdict, HOSTILE, HOSTILE)
    case = one.case.model_copy(update={"case": HOSTILE, "eval_set": HOSTILE})
    one = one._replace(model=HOSTILE, case=case)
    asked = Case(id="a", eval_set="s", name="A", prompt=HOSTILE)

    parts = [
        sample_parts(one, asked, prompt=True),
        samples_table([one, one._replace(model="b")], width=80),
    ]

    for shown in map(text, parts):
        assert all(sign == "\n" or sign.isprintable() for sign in shown)
        assert "markup" in shown
        assert "[bold]markup[/bold]" in shown.replace("\n", "") or "…" in shown


def test_hostile_names_of_models_cases_and_sets_change_nothing_in_the_table() -> None:
    run = made()
    sets = tuple(item.model_copy(update={"id": HOSTILE}) for item in run.eval_sets)
    models = tuple(
        model.model_copy(
            update={
                "model": model.model.model_copy(update={"model": f"{HOSTILE}{place}"}),
                "cases": tuple(
                    case.model_copy(update={"case": HOSTILE, "eval_set": HOSTILE})
                    for case in model.cases
                ),
                "lints": {HOSTILE: 1},
            }
        )
        for place, model in enumerate(run.models)
    )
    hostile = run.model_copy(
        update={"eval_sets": sets, "warnings": (HOSTILE,), "command": (HOSTILE,), "models": models}
    )

    shown = text(run_tables(RunView(HOSTILE, hostile, models), width=160), 160)

    assert all(sign == "\n" or sign.isprintable() for sign in shown)
    assert "[bold]markup[/bold]" in shown


@given(st.text())
def test_many_lines_keep_every_line_and_nothing_that_a_terminal_obeys(written: str) -> None:
    shown = many_lines(written)

    assert all(sign == "\n" or sign.isprintable() for sign in shown)
    assert shown.count("\n") == written.count("\n")
    assert many_lines(shown) == shown


def test_what_can_not_be_shown_leaves_a_sign_in_its_column() -> None:
    assert many_lines("a\x1bb\u202ec\u200bd") == f"a{REPLACED}b{REPLACED}c{REPLACED}d"
    assert many_lines("a\u3164b\ufe0fc") == f"a{REPLACED}b{REPLACED}c"
    assert many_lines("\ta\r\n b\u00a0c") == "    a\n b c"


def test_code_of_any_size_is_shown_in_bounded_space() -> None:
    long = text(code_table("x" * 1_000_000, {}))
    many = text(code_table("x\n" * 5_000, {}))

    assert len(long) < 1000
    assert "4,000 more lines; see them with --raw" in many
