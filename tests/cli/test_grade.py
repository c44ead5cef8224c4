"""Grading without a model: recorded completions, and a run graded again."""

import json
from pathlib import Path
from typing import Any

import pytest
from program import ROOT, Program

pytestmark = pytest.mark.cargo
RECORDING = ROOT / "examples" / "completions.jsonl"


def grade(program: Program, *arguments: str | Path) -> dict[str, Any]:
    """Run `forgetest grade` and return its report."""
    done = program("grade", *arguments, "--format", "json", "--quiet")
    assert done.code == 0, done.err
    return dict(json.loads(done.out))


def outcomes(report: dict[str, Any]) -> dict[str, dict[str, list[str]]]:
    return {
        model["model"]["model"].rpartition("#")[2]: {
            case["case"]: [sample["outcome"] for sample in case["samples"]]
            for case in model["cases"]
        }
        for model in report["models"]
    }


def test_the_examples_get_their_verdicts_by_model(forgetest: Program, eval_sets: Path) -> None:
    report = grade(forgetest, RECORDING, "-e", eval_sets / "starter.toml", "--pass-k", "1,2")

    assert outcomes(report) == {
        "small-model": {
            "is-even": ["passed", "tests_failed"],
            "add": ["passed", "refused"],
            "max-of-two": ["passed", "compile_failed"],
        },
        "large-model": {
            "is-even": ["passed", "passed"],
            "add": ["passed", "passed"],
            "max-of-two": ["passed", "passed"],
        },
    }
    assert [m["overall"]["pass_at_k"]["1"]["value"] for m in report["models"]] == [0.5, 1.0]


def test_unequal_recordings_keep_their_own_n_and_strangers_are_named(
    forgetest: Program, eval_sets: Path
) -> None:
    rows = [("is-even", "fn is_even(n: i32) -> bool { n % 2 == 0 }")] * 3 + [("add", "sorry, no")]
    lines = [json.dumps({"case_id": case, "completion": text}) for case, text in rows]
    lines.append(json.dumps({"case_id": "nobody-knows", "completion": "fn f() {}"}))
    recording = forgetest.folder / "r.jsonl"
    recording.write_text("\n".join(lines), encoding="utf-8")

    done = forgetest("grade", recording, "-e", eval_sets / "starter.toml", "--format", "json")

    cases = json.loads(done.out)["models"][0]["cases"]
    assert done.code == 0, done.err
    assert [(c["case"], c["n"], c["c"]) for c in cases] == [("is-even", 3, 3), ("add", 1, 0)]
    assert "skipped 1 recorded case, not in the run's eval sets: nobody-knows" in done.err


def test_a_run_is_graded_again_into_a_folder_of_its_own(
    forgetest: Program, eval_sets: Path
) -> None:
    first = grade(forgetest, RECORDING, "-e", eval_sets / "starter.toml", "--pass-k", "1,2")
    folder = forgetest.run_folder()
    before = (folder / "report.json").read_bytes()

    again = grade(forgetest, folder)
    last = grade(forgetest, folder, "--extractor", "last")
    limited = forgetest("grade", folder, "--timeout", "1")

    assert outcomes(again) == outcomes(first)
    assert outcomes(last)["small-model"]["max-of-two"][0] != "passed"
    assert before == (folder / "report.json").read_bytes()
    assert (limited.code, "--timeout" in limited.err) == (2, True)
    assert len(list((forgetest.folder / "runs").iterdir())) == 3


def test_the_completions_of_a_run_can_be_replayed(forgetest: Program, eval_sets: Path) -> None:
    grade(forgetest, RECORDING, "-e", eval_sets / "starter.toml", "--pass-k", "1,2")
    recorded = forgetest.run_folder() / "completions.jsonl"

    report = grade(forgetest, recorded, "-e", eval_sets / "starter.toml")

    assert sum(len(v) for m in outcomes(report).values() for v in m.values()) == 12
