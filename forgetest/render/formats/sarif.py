"""SARIF 2.1.0, as code scanning reads it: a result per case, model and kind of trouble.

The code of models is in no repository, so a result points at its case's line in the eval set.
GitHub shows 5,000 results of a file; a file holds no more, the gravest first, and says how many
were left out. Unscored samples are not results: the invocation has a notification of them.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from forgetest.grading.verdict import Outcome
from forgetest.render.formats.standing import (
    CaseLocation,
    CaseTrouble,
    Files,
    SarifLevel,
    case_locations,
    case_troubles,
    who,
)
from forgetest.render.numbers import unscored_mark
from forgetest.render.run import ShownRun
from forgetest.render.safe import Paths, one_line

SARIF = "sarif.json"
MOST = 5000  # results of a file

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_NOWHERE = CaseLocation(file=None, name="unknown.toml", line=None)
_ORDER = tuple(SarifLevel)
_RUSTC = "https://doc.rust-lang.org/error_codes/{}.html"
_CLIPPY = "https://rust-lang.github.io/rust-clippy/master/#{}"


def sarif_files(runs: Sequence[ShownRun], paths: Paths) -> Files:
    """Return sarif.json, with a SARIF run for each run."""
    most = MOST // max(1, len(runs))
    data = {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [_run(run, paths, most=most, category=_category(runs, run)) for run in runs],
    }
    return {SARIF: json.dumps(data, indent=1, ensure_ascii=False) + "\n"}


def _category(runs: Sequence[ShownRun], run: ShownRun) -> str:
    """Return a category, the same from run to run: code scanning closes alerts within one."""
    return "forgetest" if len(runs) == 1 else f"forgetest-{runs.index(run) + 1}"


def _run(run: ShownRun, paths: Paths, *, most: int, category: str) -> dict[str, Any]:
    report = run.report
    found = [finding for model in report.models for finding in case_troubles(model)]
    shown = sorted(found, key=lambda one: _ORDER.index(one.level))[:most]
    known = case_locations(run, paths)
    rules = sorted({one.rule for one in shown})
    return {
        "tool": {
            "driver": {
                "name": "forgetest",
                "semanticVersion": report.forgetest,
                "rules": [_rule(rule) for rule in rules],
            }
        },
        "automationDetails": {"id": f"{category}/{one_line(run.label)}"},
        "invocations": [_invocation(run, left_out=len(found) - len(shown))],
        "results": [_result(one, rules.index(one.rule), known) for one in shown],
        "columnKind": "unicodeCodePoints",
        "properties": {"leftOut": len(found) - len(shown), "complete": report.complete},
    }


def _invocation(run: ShownRun, *, left_out: int) -> dict[str, Any]:
    said = [_notification("warning", warning) for warning in run.report.warnings]
    if left_out:
        said.append(_notification("warning", f"{left_out} more results are left out of this file"))
    return {
        "executionSuccessful": run.report.complete,
        "startTimeUtc": run.report.created,
        "toolExecutionNotifications": said,
    }


def _notification(level: str, text: str) -> dict[str, Any]:
    return {"level": level, "message": {"text": one_line(text)}}


def _rule(rule: str) -> dict[str, Any]:
    made: dict[str, Any] = {
        "id": rule,
        "shortDescription": {"text": _described(rule)},
        "properties": {"tags": [_family(rule)]},
    }
    if rule.startswith("E"):
        made["helpUri"] = _RUSTC.format(rule)
    elif rule.startswith("clippy::"):
        made["helpUri"] = _CLIPPY.format(rule.removeprefix("clippy::"))
    return made


def _family(rule: str) -> str:
    if rule in tuple(Outcome):
        return "outcome"
    return "rustc" if rule.startswith("E") else "lint"


def _described(rule: str) -> str:
    match _family(rule):
        case "rustc":
            return f"Samples do not compile: rustc's error {rule}"
        case "lint":
            return f"Samples have the lint {rule}"
        case _:
            return f"Samples do not pass: {rule.replace('_', ' ')}"


def _result(one: CaseTrouble, index: int, known: Mapping[str, CaseLocation]) -> dict[str, Any]:
    place = known.get(one.case.key, _NOWHERE)
    return {
        "ruleId": one.rule,
        "ruleIndex": index,
        "level": str(one.level),
        "message": {"text": _message(one)},
        "locations": [{"physicalLocation": _location(place)}],
        "partialFingerprints": {
            "forgetest/v1": one.fingerprint,
            "primaryLocationLineHash": f"{one.fingerprint}:1",  # the one that GitHub compares
        },
        "properties": {
            **who(one.model),
            "case": one.case.key,
            "samples": list(one.samples),
            "n": one.case.n,
            "c": one.case.c,
            "unscored": one.case.planned - one.case.n,
        },
    }


def _message(one: CaseTrouble) -> str:
    head = f"{one_line(str(one.model.model))}, {one_line(one.case.key)}: {one.rule}"
    told = f"{head} in {len(one.samples)} of {one.case.n} samples"
    missing = unscored_mark(one.case.n, one.case.planned)
    passed = f"{one.case.c} of {one.case.n} pass{missing}."
    return f"{told}, such as: {one.example}. {passed}" if one.example else f"{told}. {passed}"


def _location(place: CaseLocation) -> dict[str, Any]:
    """Return the case's line; a file outside the repository goes by its last name alone."""
    uri = quote(place.file or place.name, errors="replace")
    return {
        "artifactLocation": {"uri": uri, "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": place.line or 1},
    }
