"""HumanEval's two files for each model: the samples, and what became of each.

Rows hold more than HumanEval's keys: with `finish`, `forgetest grade` comes to the same verdicts.
An unscored sample has `passed: null`; one that was never answered is in the results alone.
"""

import json
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

from forgetest.render.formats.standing import Files, Pieces, file_names, reason
from forgetest.render.run import ShownRun
from forgetest.report.samples import SampleReport
from forgetest.report.types import CaseReport, ModelReport

FOLDER = "humaneval"
SAMPLES, RESULTS = "samples.jsonl", "samples.jsonl_results.jsonl"


def humaneval_files(run: ShownRun) -> Files:
    """Return humaneval/MODEL/samples.jsonl and samples.jsonl_results.jsonl for each model."""
    names = file_names([str(model.model) for model in run.report.models])
    files: Files = {}
    for model in run.report.models:
        folder = f"{FOLDER}/{names[str(model.model)]}"
        files[f"{folder}/{SAMPLES}"] = Pieces(partial(_samples, model))
        files[f"{folder}/{RESULTS}"] = Pieces(partial(_results, model))
    return files


def _samples(model: ModelReport) -> Iterator[str]:
    return (_line(_asked(row)) for row, answered in _rows(model) if answered)


def _results(model: ModelReport) -> Iterator[str]:
    return (_line(row) for row, _ in _rows(model))


def _rows(model: ModelReport) -> Iterator[tuple[dict[str, Any], bool]]:
    """Yield each sample's row of results, index by index, and whether there is a completion."""
    counts: Counter[str] = Counter()
    deepest = max((len(case.samples) for case in model.cases), default=0)
    for index in range(deepest):
        for case in model.cases:
            if index < len(case.samples):
                sample = case.samples[index]
                yield _row(model, case, sample, counts[case.key]), sample.completion is not None
                counts[case.key] += 1


def _row(
    model: ModelReport, case: CaseReport, sample: SampleReport, completion_id: int
) -> dict[str, Any]:
    reply = sample.completion
    return {
        "task_id": case.key,
        "completion": reply.text if reply else "",
        "model": str(model.model),
        **({"finish": reply.finish} if reply else {}),
        "result": _result(sample),
        "passed": sample.passed,
        "completion_id": completion_id,
    }


def _asked(row: dict[str, Any]) -> dict[str, Any]:
    kept = ("task_id", "completion", "model", "finish")
    return {name: row[name] for name in kept if name in row}


def _result(sample: SampleReport) -> str:
    """Return HumanEval's words where it has some: `passed`, `failed: ...`."""
    if not sample.scored:
        return f"unscored: {reason(sample)}"
    if sample.passed:
        return "passed"
    return f"failed: {sample.outcome}: {reason(sample)}"


def _line(row: dict[str, Any]) -> str:
    return f"{json.dumps(row, ensure_ascii=False)}\n"
