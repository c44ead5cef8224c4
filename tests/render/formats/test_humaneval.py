"""HumanEval's files, read as its own evaluation reads them, and by ours."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from formatted import HOSTILE, hostile, made, run, two_models
from program import ROOT, Program

from forgetest.sampling.replay import read_rows

RECORDING = ROOT / "examples" / "completions.jsonl"


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.split("\n") if line.strip()]


def counts(text: str) -> dict[str, tuple[int, int]]:
    """Return n and c of each task as HumanEval counts results; it knows no unscored ones."""
    found: dict[str, list[bool]] = defaultdict(list)
    for row in rows(text):
        if row["passed"] is not None:
            found[row["task_id"]].append(row["passed"])
    return {task: (len(passed), sum(passed)) for task, passed in found.items()}


def test_each_model_has_samples_and_results_with_the_keys_of_the_original() -> None:
    files = made("humaneval", two_models())

    assert sorted(files) == [
        f"humaneval/p-{model}/samples.jsonl{suffix}"
        for model in ("bad", "good")
        for suffix in ("", "_results.jsonl")
    ]
    for row in rows(files["humaneval/p-good/samples.jsonl_results.jsonl"]):
        assert {"task_id", "completion", "result", "passed", "completion_id"} <= row.keys()


def test_the_counts_are_those_of_the_report() -> None:
    files = made("humaneval", two_models())

    assert counts(files["humaneval/p-good/samples.jsonl_results.jsonl"]) == {
        "set/alpha": (2, 2),
        "set/beta": (2, 2),
        "set/gamma": (2, 1),
    }


def test_unscored_is_null_and_what_was_never_answered_is_no_sample() -> None:
    files = made("humaneval", run({"p/m": {"alpha": "xP"}}))

    (asked,) = rows(files["humaneval/p-m/samples.jsonl"])
    told = rows(files["humaneval/p-m/samples.jsonl_results.jsonl"])

    assert asked["completion"] == "p/m|set/alpha|1"
    assert [(row["completion_id"], row["passed"], row["result"]) for row in told] == [
        (0, None, "unscored: provider: no answer"),
        (1, True, "passed"),
    ]


def test_a_wrong_sample_says_why_in_the_words_of_the_original() -> None:
    told = rows(
        made("humaneval", run({"p/m": {"a": "F"}}))["humaneval/p-m/samples.jsonl_results.jsonl"]
    )

    assert told[0]["result"] == "failed: tests_failed: test `b` failed"


def test_hostile_completions_stay_one_line_each_and_come_back() -> None:
    (text,) = (
        content
        for name, content in made("humaneval", hostile()).items()
        if name.endswith("s.jsonl") and "results" not in name
    )

    read = read_rows(text.encode(), file="samples.jsonl")

    assert [row.completion.text for row in read] == [HOSTILE, HOSTILE]


@pytest.mark.cargo
def test_grading_the_samples_gives_the_same_verdicts(forgetest: Program, eval_sets: Path) -> None:
    starter = eval_sets / "starter.toml"
    first = forgetest("grade", RECORDING, "-e", starter, "--format", "humaneval,junit")
    assert first.code == 0, first.err
    folder = forgetest.run_folder()
    told = json.loads((folder / "report.json").read_text(encoding="utf-8"))

    for model in told["models"]:
        name = model["model"]["model"].rpartition("#")[2]
        (found,) = folder.glob(f"humaneval/*{name}/samples.jsonl")
        again = forgetest("grade", found, "-e", starter, "--format", "json", "--quiet", "-o", name)
        assert again.code == 0, again.err
        assert _outcomes(json.loads(again.out)["models"][0]) == _outcomes(model)
    assert (folder / "junit.xml").is_file()


def _outcomes(model: dict[str, Any]) -> dict[str, list[str]]:
    return {case["case"]: [one["outcome"] for one in case["samples"]] for case in model["cases"]}
