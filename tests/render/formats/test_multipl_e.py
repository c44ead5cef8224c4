"""MultiPL-E's files, shaped as its own and read as its pass_k.py reads them."""

import json
from typing import Any

import pytest
from formatted import TESTS, judged, made, run, two_models
from recorded import DATA

from forgetest.extract.types import Extraction, ExtractionRule
from forgetest.grading.verdict import Diagnostic, Outcome
from forgetest.render.formats.standing import Files
from forgetest.run.events import SampleRecord

NATIVE = DATA / "native" / "multipl-e-completions"


def problem(files: Files, model: str, case: str, suffix: str = ".results.json") -> dict[str, Any]:
    return dict(json.loads(files[f"multipl-e/{model}/set/{case}{suffix}"]))


def test_each_problem_has_its_completions_and_its_results() -> None:
    files = made("multipl-e", two_models())

    asked = problem(files, "p-good", "gamma", ".json")
    told = problem(files, "p-good", "gamma")

    assert (asked["name"], asked["language"], asked["prompt"]) == ("gamma", "rs", "Write gamma.")
    assert asked["tests"] == TESTS
    assert len(asked["completions"]) == len(told["results"]) == 2
    assert "completions" not in told
    assert told["results"][0]["program"] == f"fn f() {{}}\n{TESTS}"


def test_pass_k_counts_what_the_report_counts() -> None:
    """As in pass_k.py: n results, c of them OK with exit code 0."""
    told = problem(made("multipl-e", two_models()), "p-good", "gamma")

    good = [one for one in told["results"] if one["status"] == "OK" and one["exit_code"] == 0]

    assert (len(told["results"]), len(good)) == (2, 1)


def test_unscored_samples_are_no_results_and_a_problem_of_them_alone_has_no_file() -> None:
    files = made("multipl-e", two_models())

    assert (
        problem(files, "p-bad", "beta")["unscored"],
        len(problem(files, "p-bad", "beta")["results"]),
    ) == (1, 1)
    assert "multipl-e/p-bad/set/gamma.results.json" not in files
    assert problem(files, "p-bad", "gamma", ".json")["completions"] == []


@pytest.mark.parametrize("outcome", list(Outcome))
def test_every_outcome_has_a_status_and_an_exit_code_of_the_original(outcome: Outcome) -> None:
    verdict = judged(outcome)
    files = made(
        "multipl-e", run({"p/m": {"a": "P"}}, extra={"p/m|set/a|0": SampleRecord(verdict=verdict)})
    )

    (told,) = problem(files, "p-m", "a")["results"]

    assert told["status"] in {"OK", "SyntaxError", "Exception", "Timeout"}
    assert (told["status"] == "OK" and told["exit_code"] == 0) is (outcome is Outcome.PASSED)


def test_what_the_compiler_said_is_cut_where_the_original_cuts_it() -> None:
    error = Diagnostic(level="error", code=None, message="m", rendered="é" * 3000)
    wrong = SampleRecord(
        verdict=judged(Outcome.COMPILE_FAILED, errors=(error,)),
        extraction=Extraction(code="fn f(", rule=ExtractionRule.WHOLE, blocks=0),
    )
    files = made("multipl-e", run({"p/m": {"a": "P"}}, extra={"p/m|set/a|0": wrong}))

    (told,) = problem(files, "p-m", "a")["results"]

    assert (told["status"], told["stderr"]) == ("SyntaxError", "é" * 1024)


def test_the_files_have_the_shape_of_recorded_ones() -> None:
    natives = sorted(NATIVE.glob("*.json"))
    if not natives:
        pytest.skip(f"no recorded MultiPL-E files in {NATIVE.name} beside the repository")
    ours = problem(made("multipl-e", two_models()), "p-good", "alpha", ".json")

    for file in natives:
        native = json.loads(file.read_text(encoding="utf-8"))
        assert native.keys() <= ours.keys()
        assert all(type(ours[key]) is type(native[key]) for key in native)
