"""Inspect's eval log: its form, and, where Inspect is installed, what it makes of it."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from formatted import hostile, judged, made, run, two_models

from forgetest.grading.verdict import Outcome
from forgetest.render.formats.standing import Files
from forgetest.render.run import ShownRun
from forgetest.run.events import SampleRecord
from forgetest.sampling.completion import Completion, Finish, Usage


def logs(*runs: ShownRun) -> list[dict[str, Any]]:
    return [json.loads(text) for text in made("inspect", *runs).values()]


def test_there_is_a_log_for_each_model_and_eval_set_with_a_sample_for_each_epoch() -> None:
    bad, good = sorted(logs(two_models()), key=lambda log: log["eval"]["model"])

    assert [(one["id"], one["epoch"]) for one in good["samples"]] == [
        (case, epoch) for case in ("alpha", "beta", "gamma") for epoch in (1, 2)
    ]
    assert [one["scores"]["forgetest"]["value"] for one in good["samples"]] == list("CCCCCI")
    assert (good["version"], good["status"], bad["status"]) == (2, "success", "error")
    assert good["results"]["scores"][0]["metrics"]["pass_at_1"]["value"] == pytest.approx(5 / 6)


def test_an_unscored_sample_has_an_error_and_no_score() -> None:
    (log,) = logs(run({"p/m": {"alpha": "Px"}}))

    right, spoiled = log["samples"]
    assert "error" not in right
    assert "scores" not in spoiled
    assert spoiled["error"]["message"] == "provider: no answer"
    assert (log["results"]["total_samples"], log["results"]["completed_samples"]) == (2, 1)
    assert log["error"]["message"] == "1 of 2 samples are unscored"


def test_input_tokens_leave_out_what_a_cache_gave() -> None:
    usage = Usage(input_tokens=100, cache_read_tokens=60, cache_write_tokens=10, output_tokens=5)
    cut = SampleRecord(
        completion=Completion(text="x", finish=Finish.LENGTH, usage=usage),
        verdict=judged(Outcome.TRUNCATED),
    )
    (log,) = logs(run({"p/m": {"alpha": "P"}}, extra={"p/m|set/alpha|0": cut}))

    told = log["stats"]["model_usage"]["p/m"]
    assert (told["input_tokens"], told["input_tokens_cache_read"], told["total_tokens"]) == (
        30,
        60,
        105,
    )
    assert log["samples"][0]["output"]["choices"][0]["stop_reason"] == "max_tokens"
    assert "total_cost" not in told  # nobody knows it


def test_the_duration_of_a_log_is_the_seconds_worked() -> None:
    (log,) = logs(run({"p/m": {"alpha": "PP", "beta": "PP"}}))

    assert log["stats"]["started_at"] == "2026-11-21T00:00:00+00:00"
    assert log["stats"]["completed_at"] == "2026-11-21T00:00:02+00:00"


def test_the_prompt_is_there_with_the_run_folder_and_the_name_without() -> None:
    whole = run({"p/m": {"alpha": "P"}})
    (known,) = logs(whole)
    (alone,) = logs(ShownRun(whole.report, (), whole.label))

    assert known["samples"][0]["input"].startswith("Write alpha.")
    assert known["samples"][0]["target"] == "fn f() {}"
    assert alone["samples"][0]["input"] == "Alpha"


def test_names_of_files_are_those_that_inspect_takes_for_logs() -> None:
    names = sorted(made("inspect", hostile(), run({"p/m_x": {"alpha": "P"}}, label="other")))

    assert all(name.startswith("inspect/2026-11-21T00-00-00+00-00_set_p-") for name in names)
    assert all(name.count("_") == 3 and name.endswith(".json") for name in names)
    assert len(names) == 2


def placed(folder: Path, files: Files) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / "inspect"


@pytest.mark.integrations
@pytest.mark.filterwarnings("default")
def test_inspect_reads_the_logs_and_makes_its_data_frames_of_them(tmp_path: Path) -> None:
    log_api = import_module("inspect_ai.log")
    folder = placed(tmp_path, made("inspect", two_models(), hostile()))

    read = [log_api.read_eval_log(info.name) for info in log_api.list_eval_logs(str(folder))]

    assert sorted((log.status, len(log.samples)) for log in read) == [
        ("error", 6),
        ("success", 2),
        ("success", 6),
    ]
    frames = import_module("inspect_ai.analysis")
    assert len(frames.evals_df(str(folder))) == 3
    samples = frames.samples_df(str(folder))
    assert samples["score_forgetest"].value_counts().to_dict() == {"C": 6, "I": 5}
    assert len(frames.messages_df(str(folder))) > len(samples)
