"""What an older forgetest wrote is read, resumed, graded and compared with equal results.

The files and what made them are described in `corpus/old-house/README.md`.
"""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from journals import events_of
from program import ROOT, Program
from records import resealed
from resuming import timeless

from forgetest import __version__
from forgetest.compare.read import read_side
from forgetest.evalset.load import parse as parse_eval_set
from forgetest.report.build import build_report
from forgetest.report.files import dump_report, load_report, parse_report
from forgetest.run.folder import read_manifest
from forgetest.run.manifest import ToolchainInfo, hashes
from forgetest.run.records import JournalRecords
from forgetest.run.seal import sealed
from forgetest.run.state import State, read_state
from forgetest.system.toolchain import Toolchain

OLD = ROOT / "tests" / "corpus" / "old-house"
FINISHED = ("finished", "served")
REPORTS = ("finished/report.json", "served/report.json", "graded.json")
MAP = "replay/completions.jsonl=chat/large"
LINES_OF_A_CUT = 14  # before the last completions, and before any verdict


@pytest.fixture
def old(forgetest: Program) -> Program:
    """Return the program in a copy of the old files."""
    shutil.copytree(OLD, forgetest.folder, dirs_exist_ok=True)
    return forgetest


def as_begun_here(folder: Path) -> Path:
    """Let a run be one of today's compiler, so that it may be resumed with any."""
    manifest, found = read_manifest(folder), Toolchain.resolve(os.environ)
    now = ToolchainInfo(
        rustc=found.rustc_version, cargo=found.cargo_version, clippy=found.clippy_version
    )
    if manifest.toolchain != now:
        text = manifest.model_copy(update={"toolchain": now}).model_dump_json(indent=2)
        (folder / "manifest.json").write_text(sealed(text, indent=2), encoding="utf-8")
    return folder


def read_json(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


def without_version(text: str) -> str:
    """Return a JSON document without the version of its writer, which is in its first lines."""
    return text.replace(f'"forgetest": "{__version__}"', '"forgetest": "0.1.0"', 1)


def verdicts(report: Any) -> dict[tuple[str, str, int], Any]:
    """Return what is judged of each sample, without the words of one version of rustc."""
    return {
        (
            f"{model['model']['provider']}/{model['model']['model']}",
            case["case"],
            sample["index"],
        ): {
            "score": sample["score"],
            "code": sample["code"],
            "rule": sample["extraction_rule"],
            "integrity": sample["verdict"]["integrity"],
            "reasons": sample["verdict"]["reasons"],
            "tests": [(test["name"], test["outcome"]) for test in sample["verdict"]["tests"]],
            "errors": [error["code"] for error in sample["verdict"]["errors"]],
            "lints": [lint["code"] for lint in sample["verdict"]["lints"]],
            **{name: sample["verdict"][name] for name in ("outcome", "passed", "compiled")},
        }
        for model in report["models"]
        for case in model["cases"]
        for sample in case["samples"]
    }


@pytest.mark.parametrize("name", FINISHED)
def test_the_eval_set_has_the_digests_that_it_had(name: str) -> None:
    manifest = read_manifest(OLD / name)
    text = (OLD / "shapes.toml").read_text(encoding="utf-8")

    eval_set = parse_eval_set(text, file="shapes.toml")

    assert manifest.plan.eval_sets == (eval_set,)
    plan = manifest.plan.model_copy(update={"eval_sets": (eval_set,)})
    assert plan.digest == manifest.plan_digest
    assert hashes(plan.eval_sets) == manifest.case_hashes


@pytest.mark.parametrize("name", [*FINISHED, "interrupted"])
def test_a_manifest_is_written_as_it_was(name: str) -> None:
    manifest = read_manifest(OLD / name)

    text = sealed(manifest.model_dump_json(indent=2), indent=2)

    assert text == (OLD / name / "manifest.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", FINISHED)
def test_a_journal_is_written_as_it_was(name: str) -> None:
    journal = (OLD / name / "journal.jsonl").read_bytes()
    events = events_of(OLD / name)

    lines = [event.model_dump_json().encode() for event in events]

    assert resealed(lines) == journal


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_is_written_as_it_was(name: str) -> None:
    raw = (OLD / name).read_bytes()

    report = parse_report(raw, file=name)

    assert dump_report(report).encode() == raw
    assert read_side(raw, file=name).doubts == ()


@pytest.mark.parametrize("name", FINISHED)
def test_a_report_made_from_the_journal_is_the_one_that_was_written(name: str) -> None:
    folder = OLD / name
    manifest = read_manifest(folder)
    records = JournalRecords(folder, manifest.plan)

    report = build_report(manifest, records, journal=records.mark)

    assert report.model_copy(update={"digest": None}) == load_report(folder)
    assert dump_report(report).encode() == (folder / "report.json").read_bytes()


def test_the_state_of_a_run_is_told() -> None:
    states = [read_state(OLD / name).state for name in (*FINISHED, "interrupted")]

    assert states == [State.COMPLETE, State.COMPLETE, State.INTERRUPTED]


def test_a_run_is_shown(old: Program) -> None:
    cases = old("show", "finished")
    case = old("show", "finished", "longest", "--model", "replay")
    unfinished = old("show", "interrupted")

    assert (cases.code, case.code, unfinished.code) == (0, 0, 0), cases.err + unfinished.err
    assert "rustc takes the code, and should reject it" in cases.out
    assert "tests_failed" in case.out
    assert "reference/stub" in unfinished.out


def as_it_was_killed(journal: bytes) -> bytes:
    return journal


def as_cut_within_a_completion(journal: bytes) -> bytes:
    lines = journal.splitlines(keepends=True)
    return b"".join(lines[:LINES_OF_A_CUT]) + lines[LINES_OF_A_CUT][:40]


@pytest.mark.cargo
@pytest.mark.parametrize("damage", [as_it_was_killed, as_cut_within_a_completion])
def test_an_interrupted_run_resumes_to_the_report_of_the_finished_one(
    old: Program, damage: Callable[[bytes], bytes]
) -> None:
    folder = as_begun_here(old.folder / "interrupted")
    journal = folder / "journal.jsonl"
    journal.write_bytes(damage(journal.read_bytes()))
    before = journal.read_bytes()

    done = old("run", "--resume", "interrupted", "--quiet")

    assert done.code == 0, done.err
    whole = before[: before.rindex(b"\n") + 1]
    assert whole != before, "the journal ended in half a line"
    assert journal.read_bytes().startswith(whole)
    theirs, ours = read_json(OLD / "finished" / "report.json"), read_json(folder / "report.json")
    assert verdicts(ours) == verdicts(theirs)
    if ours["toolchain"] == theirs["toolchain"]:
        assert timeless(ours) == timeless(theirs)
    completions = (OLD / "finished" / "completions.jsonl").read_bytes()
    assert (folder / "completions.jsonl").read_bytes() == completions


@pytest.mark.cargo
@pytest.mark.parametrize("name", FINISHED)
def test_a_run_is_graded_again_to_equal_verdicts(old: Program, name: str) -> None:
    done = old("grade", name, "-o", "runs", "--format", "json", "--quiet")

    assert done.code == 0, done.err
    assert verdicts(json.loads(done.out)) == verdicts(read_json(OLD / name / "report.json"))
    again = old("compare", "--baseline", f"{name}/report.json", "--current", old.run_folder())
    assert again.code == 0, again.err
    compared = json.loads(
        old(
            "compare",
            *("--baseline", f"{name}/report.json", "--current", old.run_folder()),
            *("--format", "json", "--gate", "threshold"),
        ).out
    )
    assert compared["by_threshold"] == "same"
    assert compared["gate"]["result"] == "passed"
    for model in compared["models"]:
        assert (model["regressions"], model["improvements"]) == (0, 0)
        assert model["pass_rate"]["delta"] == 0
        assert model["mean_score"]["delta"] == 0


@pytest.mark.cargo
def test_recorded_completions_agree_as_they_did(old: Program) -> None:
    done = old("grade", "completions.jsonl", "-e", "shapes.toml", "--format", "json", "--quiet")

    assert done.code == 0, done.err
    theirs, ours = read_json(OLD / "graded.json"), json.loads(done.out)
    assert ours["agreement"] == theirs["agreement"]
    (recording,) = theirs["models"]
    recording["model"]["model"] = "small"  # a report of today names it by its model, not its file
    assert verdicts(ours) == verdicts(theirs)
    assert ours["plan_digest"] == theirs["plan_digest"]


def test_a_comparison_is_the_one_that_was_written(old: Program) -> None:
    done = old(
        "compare",
        *("--baseline", "finished", "--current", "served", "--map", MAP),
        *("--gate", "either", "--format", "json"),
    )

    assert done.code == 1, done.err
    assert without_version(done.out) == (OLD / "comparison.json").read_text(encoding="utf-8")


def test_a_ranking_is_the_one_that_was_written(old: Program) -> None:
    done = old("rank", "finished", "served", "--format", "json")

    assert done.code == 0, done.err
    assert without_version(done.out) == (OLD / "ranking.json").read_text(encoding="utf-8")
