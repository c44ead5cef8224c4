"""`forgetest rank` as its users start it."""

import json

import pytest
from compared import report, write
from jsonschema import Draft202012Validator
from program import Program

TEN = {f"set/c{i}": "PPPPP" for i in range(10)}
HALF = {**TEN, **{f"set/c{i}": "FFFBB" for i in range(5)}}


@pytest.fixture
def runs(forgetest: Program) -> Program:
    """Return the program in a folder with two runs of one model, and one of other cases."""
    first = report({"p/m": TEN, "p/other": {**TEN, "set/c0": "PPPPF"}}, pass_k=(1, 5))
    write(forgetest.folder, "a.json", first)
    write(forgetest.folder, "b.json", report({"p/m": HALF}))
    write(forgetest.folder, "apart.json", report({"p/m": {"set/d": "P"}}))
    return forgetest


def test_every_form_ranks_both_runs(runs: Program) -> None:
    text, markdown, data = (
        runs("rank", "a.json", "b.json", "--format", form) for form in ("text", "markdown", "json")
    )

    assert [done.code for done in (text, markdown, data)] == [0, 0, 0]
    assert [done.err for done in (text, markdown, data)] == ["", "", ""]
    told = "3 models of 2 runs on 10 common cases: 2 of 3 pairs differ significantly"
    assert text.out.startswith(told)
    assert markdown.out.startswith(f"### {told}\n")
    found = [(one["rank"], one["group"], one["name"]) for one in json.loads(data.out)["models"]]
    assert found == [(1, "a", "p/m @ a.json"), (2, "a", "p/other"), (3, "b", "p/m @ b.json")]
    assert "`p/m @ b.json`" in markdown.out


def test_the_json_is_what_its_schema_says(runs: Program) -> None:
    schema = json.loads(runs("schema", "ranking").out)

    found = json.loads(runs("rank", "a.json", "b.json", "--k", "1,5", "-f", "json").out)

    Draft202012Validator(schema).validate(found)
    assert list(found["models"][0]["pass_at_k"]) == ["1", "5"]


def test_one_run_may_come_from_standard_input(runs: Program) -> None:
    done = runs.in_shell('"$@" <a.json', "rank", "-", "b.json")

    assert done.code == 0, done.err
    assert "p/m @ standard input" in done.out


def test_the_result_can_go_to_a_file(runs: Program) -> None:
    for form in ("text", "json", "markdown"):
        done = runs("rank", "a.json", "--format", form, "--output", f"out/{form}")

        assert (done.code, done.out) == (0, "")
        assert "p/other" in (runs.folder / "out" / form).read_text("utf-8")


def test_alpha_decides_who_is_told_apart(runs: Program) -> None:
    done = runs("rank", "a.json", "b.json", "--alpha", "1e-12")

    assert "0 of 3 pairs differ significantly" in done.out


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("gone.json",), 2, "gone.json: cannot be read: "),
        (("a.json", "--alpha", "2"), 2, "--alpha must be between 0 and 1, got 2"),
        (("a.json", "--alpha", "1e-20"), 2, "--alpha must be at least 1e-12, got 1e-20"),
        (("a.json", "--k", "0"), 2, "--k must be whole numbers from 1, such as 1,5; got 0"),
        (("a.json", "--k", "1,,2"), 2, "--k must be whole numbers from 1, such as 1,5; got 1,,2"),
        (("a.json", "--format", "csv"), 2, "--format csv does not exist; choose text, json"),
        (("-", "-"), 2, "only one of the runs can be standard input"),
        (("a.json", "apart.json"), 3, "no case is common to all models: 11 missing (set/c0, "),
    ],
)
def test_what_a_user_can_mend_is_one_line(
    runs: Program, arguments: tuple[str, ...], code: int, said: str
) -> None:
    done = runs("rank", *arguments)

    assert (done.code, done.out) == (code, "")
    assert done.err.startswith(f"error: {said}")
    assert len(done.err.splitlines()) == 1


def test_other_rules_are_refused_as_in_a_comparison(runs: Program) -> None:
    data = report({"p/m": TEN})
    write(runs.folder, "other.json", {**data, "scoring_profile": "lenient"})

    ranked = runs("rank", "a.json", "other.json")
    compared = runs("compare", "--baseline", "a.json", "--current", "other.json", "--strict")

    assert ranked.code == 3
    assert "scoring profile" in ranked.err
    assert "not comparable" in compared.out.lower()


def test_no_colour_and_no_control_reaches_a_pipe(runs: Program) -> None:
    done = runs("rank", "a.json", "b.json", COLUMNS="80")

    assert all(sign == "\n" or sign.isprintable() for sign in done.out)
    assert max(map(len, done.out.splitlines())) <= 80
