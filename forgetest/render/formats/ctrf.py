"""CTRF, the Common Test Report Format: a test per case and model.

Wrong is `failed`, a machine's fault `other`, nothing planned `skipped`. Durations are the seconds
of requests and grading, added up: what was worked, and not what a clock showed.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from itertools import chain
from typing import Any

from forgetest.render.formats.standing import (
    CaseLocation,
    Files,
    TestStatus,
    case_locations,
    case_summary,
    failure_list,
    main_failure,
    standing,
    who,
    work_secs,
)
from forgetest.render.run import ShownRun
from forgetest.render.safe import Paths
from forgetest.report.types import CaseReport, Metric, ModelReport

CTRF = "ctrf.json"
VERSION = "0.0.0"  # of the specification

_STATUS = {
    TestStatus.PASSED: "passed",
    TestStatus.FAILED: "failed",
    TestStatus.UNSCORED: "other",
    TestStatus.NOT_PLANNED: "skipped",
}
_STATUSES = ("passed", "failed", "skipped", "pending", "other")


def ctrf_files(runs: Sequence[ShownRun], paths: Paths) -> Files:
    """Return ctrf.json over all runs; several runs are told apart by the first suite name."""
    tests = [
        test
        for run in runs
        for test in _tests(run, paths, suite=[run.label] if len(runs) > 1 else [])
    ]
    last = max(runs, key=lambda run: run.report.created).report
    data = {
        "reportFormat": "CTRF",
        "specVersion": VERSION,
        "timestamp": last.created,
        "generatedBy": f"forgetest {last.forgetest}",
        "results": {
            "tool": {"name": "forgetest", "version": last.forgetest},
            "summary": _summary(runs, tests),
            "tests": tests,
            "environment": {"extra": {run.label: _environment(run) for run in runs}},
        },
    }
    return {CTRF: json.dumps(data, indent=1, ensure_ascii=False) + "\n"}


def _summary(runs: Sequence[ShownRun], tests: Sequence[dict[str, Any]]) -> dict[str, Any]:
    counts = Counter(test["status"] for test in tests)
    start = min(_millis(run.report.created) for run in runs)
    duration = sum(test["duration"] for test in tests)
    return {
        "tests": len(tests),
        **{status: counts[status] for status in _STATUSES},
        "suites": len({tuple(test["suite"]) for test in tests}),
        "start": start,
        "stop": start + duration,
        "duration": duration,
    }


def _millis(created: str) -> int:
    return int(datetime.fromisoformat(created).timestamp() * 1000)


def _environment(run: ShownRun) -> dict[str, Any]:
    report = run.report
    return {
        "created": report.created,
        "forgetest": report.forgetest,
        "rustc": report.toolchain.rustc.partition("\n")[0],
        "samplesPerCase": report.samples_per_case,
        "complete": report.complete,
    }


def _tests(run: ShownRun, paths: Paths, *, suite: list[str]) -> list[dict[str, Any]]:
    known = case_locations(run, paths)
    return [
        {
            **_test(model, case, suite=[*suite, str(model.model), case.eval_set]),
            **_place(known.get(case.key)),
        }
        for model in run.report.models
        for case in model.cases
    ]


def _test(model: ModelReport, case: CaseReport, *, suite: list[str]) -> dict[str, Any]:
    return {
        "testId": _id(case.key, str(model.model)),
        "name": case.key,
        "status": _STATUS[standing(case)],
        "rawStatus": main_failure(case),
        "duration": round(work_secs(case) * 1000),
        "suite": suite,
        "message": case_summary(case),
        "trace": "\n".join(failure_list(case)),
        "tags": list(case.tags),
        "labels": {**who(model), "evalSet": case.eval_set},
        "extra": _counts(case),
    }


def _id(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode(errors="replace")).hexdigest()[:32]


def _counts(case: CaseReport) -> dict[str, Any]:
    rates: chain[tuple[str, Metric]] = chain(
        ((f"pass@{k}", metric) for k, metric in case.pass_at_k.items()),
        ((f"pass^{k}", metric) for k, metric in case.pass_hat_k.items()),
    )
    counts = {"planned": case.planned, "n": case.n, "c": case.c, "meanScore": case.mean_score}
    return {**counts, **{name: metric.value for name, metric in rates}}


def _place(place: CaseLocation | None) -> dict[str, Any]:
    if place is None or place.file is None:
        return {}
    return {"filePath": place.file, **({"line": place.line} if place.line else {})}
