"""`forgetest compare` as its users start it."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from compared import report, write
from compared_runs import BROKEN, TEN
from jsonschema import Draft202012Validator
from program import ROOT, Program
from records import resealed


@pytest.fixture
def pair(forgetest: Program) -> Program:
    """Return the program in a folder with three reports: a, its equal, and a broken one."""
    write(forgetest.folder, "a.json", report(TEN))
    write(forgetest.folder, "same.json", report(TEN))
    write(forgetest.folder, "broken.json", report(BROKEN))
    return forgetest


def compare(program: Program, current: str, *more: str | Path, baseline: str = "a.json") -> Any:
    return program("compare", "--baseline", baseline, "--current", current, *more)


@pytest.mark.parametrize("form", ["text", "json", "markdown", "github"])
def test_a_regression_is_one_in_every_form(pair: Program, form: str) -> None:
    done = compare(pair, "broken.json", "--fail-on-regression", "--format", form)

    assert (done.code, done.err) == (1, "")


@pytest.mark.parametrize(
    ("current", "options", "code"),
    [
        ("same.json", (), 0),
        ("same.json", ("--fail-on-regression", "--strict"), 0),
        ("same.json", ("--gate", "evidence", "--strict"), 0),
        ("broken.json", (), 0),
        ("broken.json", ("--fail-on-regression",), 1),
        ("broken.json", ("--gate", "threshold"), 1),
        ("broken.json", ("--gate", "evidence"), 1),
        ("broken.json", ("--fail-on-regression", "--threshold", "1"), 0),
        ("broken.json", ("--gate", "evidence", "--alpha", "0.0001"), 0),
        ("broken.json", ("--gate", "evidence", "--alpha", "0.0001", "--strict"), 3),
    ],
)
def test_the_exit_code_is_the_gates_result(
    pair: Program, current: str, options: tuple[str, ...], code: int
) -> None:
    done = compare(pair, current, *options, "--format", "json")

    assert (done.code, done.err) == (code, "")


def test_the_verdict_stands_first_in_every_form(pair: Program) -> None:
    text = compare(pair, "broken.json").out
    markdown = compare(pair, "broken.json", "--format", "markdown").out
    data = json.loads(compare(pair, "broken.json", "--format", "json").out)

    assert text.startswith("REGRESSION: pass rate fell 10.0 points, all in set/c3\n")
    assert markdown.startswith("<!-- forgetest-compare -->\n### ❌ Regression: pass rate fell")
    assert data["finding"] == "regressed"


def test_the_json_is_what_its_schema_says(pair: Program) -> None:
    schema = json.loads(pair("schema", "comparison").out)
    check = json.loads(pair("schema", "self-check").out)

    Draft202012Validator(schema).validate(
        json.loads(compare(pair, "broken.json", "--format", "json").out)
    )
    Draft202012Validator(check).validate(
        json.loads(pair("compare", "--self-check", "a.json", "--format", "json").out)
    )


def test_one_side_may_come_from_standard_input(pair: Program) -> None:
    for sides in (("-", "broken.json"), ("a.json", "-")):
        piped = '"$@" <' + ("a.json" if sides[0] == "-" else "broken.json")
        sided = ("--baseline", sides[0], "--current", sides[1])
        done = pair.in_shell(piped, "compare", "--gate", "threshold", *sided)

        assert done.code == 1, done.err
        assert "standard input" in done.out


def test_the_result_can_go_to_a_file(pair: Program) -> None:
    for form in ("text", "json", "markdown"):
        done = compare(pair, "broken.json", "--format", form, "--output", f"out/{form}")

        assert (done.code, done.out) == (0, "")
        assert "c3" in (pair.folder / "out" / form).read_text("utf-8")


def test_on_github_the_summary_gets_the_markdown_and_the_log_the_annotations(
    pair: Program,
) -> None:
    summary = pair.folder / "summary.md"
    summary.write_text("before\n", encoding="utf-8")
    plain = compare(pair, "broken.json", "--gate", "evidence", "--format", "markdown").out

    done = pair(
        *("compare", "--baseline", "a.json", "--current", "broken.json"),
        *("--gate", "evidence", "--format", "github", "--output", "comment.md"),
        GITHUB_STEP_SUMMARY=str(summary),
    )

    assert summary.read_text("utf-8") == f"before\n{plain}"
    assert (pair.folder / "comment.md").read_text("utf-8") == plain
    assert done.out.startswith("::error ")
    assert all(line.startswith("::") for line in done.out.splitlines())


def test_without_a_summary_the_markdown_goes_to_standard_output(pair: Program) -> None:
    done = compare(pair, "broken.json", "--gate", "evidence", "--format", "github")

    assert "<!-- forgetest-compare -->" in done.out
    assert "::error " in done.out


def test_a_self_check_shows_how_often_gates_fire_on_no_change(forgetest: Program) -> None:
    # A coin for every case: halves of four differ by more than the threshold nearly always.
    write(forgetest.folder, "coins.json", report({f"set/c{i}": "PBPBPBPB" for i in range(20)}))

    done = forgetest("compare", "--self-check", "coins.json", "--format", "json")

    assert done.code == 0, done.err
    (model,) = json.loads(done.out)["models"]
    assert (model["cases"], model["samples_per_half"]) == (20, 4)
    assert model["threshold"]["fired"] > 190
    assert model["evidence"]["fired"] <= 0.05 * 200
    assert "coins.json" in done.out
    again = forgetest("compare", "--self-check", "coins.json", "--format", "json")
    assert again.out == done.out
    for form in ("text", "markdown"):
        shown = forgetest("compare", "--self-check", "coins.json", "--format", form).out
        assert "evidence gate fires" in " ".join(shown.split())


def test_a_self_check_needs_two_samples_of_some_case(forgetest: Program) -> None:
    write(forgetest.folder, "one.json", report({"set/a": "P", "set/b": "F"}))

    done = forgetest("compare", "--self-check", "one.json")

    assert done.code == 3
    assert "No case has two scored samples" in done.out


@pytest.fixture
def graded(forgetest: Program, eval_sets: Path) -> tuple[Program, Path]:
    """Return the program and a run folder: recorded completions, graded."""
    recording = ROOT / "examples" / "completions.jsonl"
    done = forgetest("grade", recording, "-e", eval_sets / "starter.toml", "--quiet")
    assert done.code == 0, done.err
    return forgetest, forgetest.run_folder()


def _forget_what_passed(journal: Path) -> None:
    """Drop the verdicts on one case of the better model, which leaves its rate as it was."""
    lines = journal.read_bytes().splitlines(keepends=True)
    gone = [line for line in lines if b'"graded"' in line and b"#large-model|starter/add|" in line]
    assert len(gone) == 2
    journal.write_bytes(resealed(line for line in lines if line not in gone))


@pytest.mark.cargo
def test_a_run_folder_is_compared_and_an_unfinished_one_only_when_told_to(
    graded: tuple[Program, Path],
) -> None:
    program, folder = graded
    unfinished = program.folder / "unfinished"
    shutil.copytree(folder, unfinished)
    (unfinished / "report.json").unlink()
    _forget_what_passed(unfinished / "journal.jsonl")

    refused = compare(program, str(unfinished), baseline=str(folder))
    there = compare(program, str(unfinished), "--allow-incomplete", baseline=str(folder))
    gated = compare(
        program, str(unfinished), "--allow-incomplete", "--gate", "threshold", baseline=str(folder)
    )

    assert refused.code == 3
    assert "unfinished: " in refused.err
    assert f"forgetest run --resume {unfinished}" in refused.err
    assert there.code == 0, there.err
    assert gated.code == 3
    assert compare(program, str(folder), baseline=str(folder)).code == 0


def _fail_a_pass(folder: Path) -> None:
    """Make a report say that another compiler refused a sample which today's takes."""
    file = folder / "report.json"
    data = json.loads(file.read_text("utf-8"))
    data["toolchain"]["rustc"] = "rustc 1.80.0 (051478957 2024-07-21)"
    case = data["models"][0]["cases"][0]
    sample = next(sample for sample in case["samples"] if sample["passed"])
    sample["verdict"].update(outcome="compile_failed", passed=False, compiled=False, tests=[])
    case["c"] -= 1
    file.write_text(json.dumps(data), encoding="utf-8")


@pytest.mark.cargo
def test_grading_the_baseline_again_tells_the_toolchains_part_from_the_models(
    graded: tuple[Program, Path],
) -> None:
    program, folder = graded
    before = program.folder / "before"
    shutil.copytree(folder, before)
    _fail_a_pass(before)

    plain = json.loads(compare(program, str(folder), "-f", "json", baseline=str(before)).out)
    split = compare(program, str(folder), "-f", "json", "--regrade", "-q", baseline=str(before))

    assert plain["models"][0]["improvements"] == 1
    (model, _) = json.loads(split.out)["models"]
    found = model["attribution"]
    assert model["finding"] == "same"
    assert found["model"] == 0
    assert found["environment"] == pytest.approx(plain["models"][0]["pass_rate"]["delta"])
    assert [(one["before"], one["after"]) for one in found["flips"]] == [
        ("compile_failed", "passed")
    ]
    assert found["rustc_then"].startswith("rustc 1.80.0")
    assert list((program.folder / "runs").iterdir()) == [folder]
    text = compare(program, str(folder), "--regrade", "-q", baseline=str(before)).out
    assert "environment" in text


def test_no_colour_and_no_control_reaches_a_pipe(pair: Program) -> None:
    done = compare(pair, "broken.json")

    assert "\x1b" not in done.out
    assert max(map(len, done.out.splitlines())) <= 100


def test_in_a_workflow_no_text_of_a_model_is_a_command(pair: Program) -> None:
    data = report({"set/a": "BBBBB"})
    for sample in data["models"][0]["cases"][0]["samples"]:
        sample["verdict"]["errors"][0]["message"] = "::error::mine\n::add-mask::yours"
    data["warnings"] = []
    write(pair.folder, "before.json", report({"set/a": "PPPPP"}))
    write(pair.folder, "after.json", data)

    for form in ("text", "markdown", "github"):
        done = pair(
            *("compare", "--baseline", "before.json", "--current", "after.json", "-f", form),
            GITHUB_ACTIONS="true",
            COLUMNS="80",
        )
        commands = [line for line in done.out.splitlines() if line.lstrip().startswith("::")]

        assert "mine" in done.out
        assert len(commands) == (2 if form == "github" else 0), commands


def test_two_runs_need_no_option_names(pair: Program) -> None:
    named = compare(pair, "broken.json", "--gate", "evidence")
    plain = pair("compare", "a.json", "broken.json", "--gate", "evidence")
    mixed = pair("compare", "broken.json", "--baseline", "a.json", "--gate", "evidence")

    assert plain == mixed == named
    assert plain.code == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "compare needs two runs: forgetest compare BASELINE CURRENT"),
        (("a.json",), "compare needs two runs: forgetest compare BASELINE CURRENT"),
        (("a.json", "same.json", "broken.json"), "takes two runs: broken.json is one too many"),
        (("-", "-"), "only one of the two runs can be standard input"),
        (("a.json", "same.json", "--between", "p/m", "p/n"), "but got 2 runs"),
        (("a.json", "--between", "p/m", "p/m"), "--between needs two models, got p/m twice"),
        (("a.json", "--between", "p/mm", "p/m"), "has no model 'p/mm'; did you mean p/m?"),
        (("a.json", "--between", "p/m", "p/n", "--map", "a=b"), "one run: leave out --map"),
        (("a.json", "--self-check", "a.json"), "leave out other runs (a.json)"),
        (("a.json", "same.json", "--map", "p/m=p/mm"), "no model or eval set 'p/mm'; did you mean"),
        (("a.json", "same.json", "--map", "p/m=set"), "map a model to a model"),
    ],
)
def test_wrong_runs_are_refused_in_one_line(
    pair: Program, arguments: tuple[str, ...], said: str
) -> None:
    done = pair("compare", *arguments)

    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert done.err.count("\n") == 1


def test_two_models_of_one_run_are_compared_by_the_same_tests(pair: Program) -> None:
    write(pair.folder, "two.json", report({"acme/good": TEN, "acme/cheap": BROKEN}))
    two = ("compare", "two.json", "--between", "acme/good", "acme/cheap")

    done = pair(*two, "--gate", "evidence", "--format", "json")
    text = pair(*two, "--format", "markdown").out
    page = pair(*two, "--format", "html", "--output", "page.html")

    found = json.loads(done.out)
    (model,) = found["models"]
    assert done.code == 1
    assert (model["baseline"], model["current"]) == ("acme/good", "acme/cheap")
    assert model["evidence"]["p_worse"] == pytest.approx(1 / 252)
    assert found["notes"] == []
    assert "- model: `acme/good` -> `acme/cheap`, pass rate 100.0 % to 90.0 %" in text
    assert (page.code, page.err) == (0, "html: page.html\n")
    assert "acme/cheap (current)" in (pair.folder / "page.html").read_text("utf-8")


def test_a_case_that_was_removed_on_purpose_may_be_gone(pair: Program) -> None:
    write(pair.folder, "gone.json", report({k: v for k, v in TEN.items() if k != "set/c3"}))

    refused = compare(pair, "gone.json", "--gate", "evidence")
    allowed = [
        compare(pair, "gone.json", "--gate", "evidence", "--allow-removed", name)
        for name in ("c3", "set/c3", "set/c*")
    ]
    other = compare(pair, "gone.json", "--gate", "evidence", "--allow-removed", "c4")

    assert refused.code == other.code == 3
    assert refused.out.startswith("INCOMPLETE: set/c3 is missing\n")
    assert [done.code for done in allowed] == [0, 0, 0]
    assert "removed (allowed): set/c3" in allowed[0].out
    assert "--allow-removed c4: no case of that name was removed" in other.out


def test_a_team_sets_its_gate_in_forgetest_toml_and_options_win(pair: Program) -> None:
    config = pair.folder / "forgetest.toml"
    config.write_text(
        '[compare]\ngate = "evidence"\nalpha = 0.1\nallow_removed = ["c3"]\n'
        '[compare.maps]\n"p/m" = "p/new"\n[providers.mine]\nbase_url = "${NOT_SET_HERE}"\n'
    )
    write(pair.folder, "new.json", report({"p/new": BROKEN}))

    mapped = pair("compare", "a.json", "new.json", "-f", "json")
    same = pair("compare", "a.json", "broken.json")
    over = pair("compare", "a.json", "broken.json", "--gate", "threshold", "--threshold", "1")

    assert mapped.code == 1, mapped.err
    options = json.loads(mapped.out)["options"]
    assert (options["rule"], options["alpha"], options["threshold"]) == ("evidence", 0.1, 0.05)
    assert options["allow_removed"] == ["c3"]
    assert (same.code, over.code) == (1, 0)
    assert same.err == "note: maps of forgetest.toml: no p/m and p/new here\n"
    assert "gate      threshold 1: passed" in over.out


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            'gates = "evidence"',
            'forgetest.toml:2: unknown key "compare.gates"; did you mean "gate"?',
        ),
        ("alpha = 5", 'forgetest.toml:2: "compare.alpha": input should be less than 1'),
        ('gate = "strict"', 'forgetest.toml:2: "compare.gate": input should be'),
    ],
)
def test_a_mistake_in_the_teams_table_is_told_with_its_line(
    pair: Program, line: str, said: str
) -> None:
    (pair.folder / "forgetest.toml").write_text(f"[compare]\n{line}\n")

    done = pair("compare", "a.json", "same.json")

    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_a_regression_by_the_threshold_says_what_evidence_would_say(pair: Program) -> None:
    write(pair.folder, "noise.json", report({**TEN, "set/c3": "PPPPB"}))

    one = pair("compare", "a.json", "noise.json", "--fail-on-regression")
    both = pair("compare", "a.json", "noise.json", "--fail-on-regression", "--gate", "evidence")

    assert (one.code, both.code) == (1, 1)
    assert one.out.startswith("REGRESSION: set/c3 dropped by 0.200, within noise\n")
    assert "regression (within noise; --gate evidence would pass)" in one.out
    assert both.out.startswith("REGRESSION BY THE THRESHOLD RULE: set/c3 dropped by 0.200")


def test_between_without_a_run_takes_the_latest(pair: Program) -> None:
    none = pair("compare", "--between", "p/a", "p/b")

    assert (none.code, none.out) == (2, "")
    assert "no run" in none.err


def test_several_formats_are_files_of_one_folder(pair: Program) -> None:
    done = compare(
        pair, "broken.json", "--format", "markdown,json", "--format", "html", "-o", "out/"
    )
    several = compare(pair, "broken.json", "--format", "json,html")
    opened = compare(pair, "broken.json", "--format", "json,text", "--open", "--output", "out/")
    checked = pair("compare", "--self-check", "a.json", "--format", "json,text", "--output", "out/")

    names = {path.name for path in (pair.folder / "out").iterdir()}
    assert (done.code, done.out, done.err) == (0, "", "html: out/comparison.html\n")
    assert {"comparison.md", "comparison.json", "comparison.html"} == names
    for refused, words in [
        (several, "--format json,html writes several files: add --output DIR/"),
        (opened, "--open shows an HTML page, not json,text: use --format html"),
        (checked, "--self-check writes a single format"),
    ]:
        assert refused.code == 2
        assert words in refused.err
