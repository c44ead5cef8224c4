"""MultiPL-E's files, two for each problem: its completions, and the results of running them.

Its programs are prompt, completion and tests; ours are the code that was graded, and the tests. A
result has no word for what the machine spoiled: unscored samples are not among the results, their
number is, and a problem with none has no results file (MultiPL-E's pass_k.py takes it as solved).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from forgetest.evalset.types import Case
from forgetest.grading.verdict import Outcome
from forgetest.render.formats.standing import Files, Pieces, file_names, whole_cases
from forgetest.render.run import ShownRun
from forgetest.report.samples import SampleReport
from forgetest.report.types import CaseReport, ModelReport

FOLDER = "multipl-e"

_KEPT = 2048  # bytes of output that MultiPL-E keeps
_OK, _SYNTAX, _EXCEPTION, _TIMEOUT = "OK", "SyntaxError", "Exception", "Timeout"
_STATUS: Mapping[Outcome, str] = {
    Outcome.PASSED: _OK,
    Outcome.TESTS_FAILED: _EXCEPTION,
    Outcome.TEST_TIMEOUT: _TIMEOUT,
    Outcome.TEST_CRASHED: _EXCEPTION,
    Outcome.TAMPERED: _EXCEPTION,
    Outcome.TEST_BUILD_FAILED: _SYNTAX,
    Outcome.NO_TESTS_RAN: _EXCEPTION,
    Outcome.POLICY: _SYNTAX,
    Outcome.COMPILE_FAILED: _SYNTAX,
    Outcome.COMPILE_TIMEOUT: _TIMEOUT,
    Outcome.WRONGLY_COMPILED: _EXCEPTION,
    Outcome.REQUIREMENT_FAILED: _EXCEPTION,
    Outcome.EMPTY: _SYNTAX,
    Outcome.REFUSED: _SYNTAX,
    Outcome.TRUNCATED: _SYNTAX,
    Outcome.NO_CODE: _SYNTAX,
}
_EXIT_CODE = {_OK: 0, _SYNTAX: 1, _EXCEPTION: 101, _TIMEOUT: -1}  # 101: of a Rust panic


def multipl_e_files(run: ShownRun) -> Files:
    """Return multipl-e/MODEL/SET/CASE.json and CASE.results.json; needs the run's eval sets."""
    models = file_names([str(model.model) for model in run.report.models])
    sets = file_names([item.id for item in run.eval_sets])
    known = whole_cases(run)
    files: Files = {}
    for model in run.report.models:
        names = file_names([case.key for case in model.cases])
        for case in model.cases:
            name = names[case.key].removeprefix(f"{sets[case.eval_set]}-")
            stem = f"{FOLDER}/{models[str(model.model)]}/{sets[case.eval_set]}/{name}"
            files.update(_problem(run, model, known[case.key], case, stem=stem))
    return files


def _problem(
    run: ShownRun, model: ModelReport, case: Case, told: CaseReport, *, stem: str
) -> Files:
    head = _head(run, model, case)
    stamp = int(datetime.fromisoformat(run.report.created).timestamp())

    def completions() -> Iterator[str]:
        texts = [one.completion.text for one in told.samples if one.completion]
        yield _json({**head, "completions": texts})

    def results() -> Iterator[str]:
        graded = [_result(case, sample, stamp) for sample in told.samples if sample.scored]
        yield _json({**head, "unscored": told.planned - told.n, "results": graded})

    files: Files = {f"{stem}.json": Pieces(completions)}
    return {**files, f"{stem}.results.json": Pieces(results)} if told.n else files


def _head(run: ShownRun, model: ModelReport, case: Case) -> dict[str, Any]:
    sampling = run.report.sampling.of(run.report.variant(model.model), case, 0)
    return {
        "name": case.id,
        "language": "rs",
        "prompt": case.prompt,
        "doctests": "keep",
        "original": case.key,
        "prompt_terminology": "verbatim",
        "tests": case.expectations.test_file or "",
        "stop_tokens": list(sampling.stop or ()),
        "model": str(model.model),
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "max_tokens": sampling.max_tokens,
    }


def _result(case: Case, sample: SampleReport, stamp: int) -> dict[str, Any]:
    status = _STATUS[sample.outcome] if sample.outcome else _EXCEPTION
    tests = case.expectations.test_file
    program = sample.code or ""
    return {
        "program": f"{program}\n{tests}" if tests else program,
        "stdout": "",
        "stderr": _stderr(sample).encode(errors="replace")[:_KEPT].decode(errors="ignore"),
        "exit_code": _EXIT_CODE[status],
        "status": status,
        "timestamp": stamp,
    }


def _stderr(sample: SampleReport) -> str:
    """Return what the compiler and the tests said; the reasons, where they said nothing."""
    if sample.passed or sample.verdict is None:
        return ""
    verdict = sample.verdict
    said: Sequence[str] = [
        *(error.rendered or error.message for error in (*verdict.errors, *verdict.test_errors)),
        *(f"{test.name}: {test.message}" for test in verdict.tests if test.message),
    ]
    return "\n".join(said or verdict.reasons)


def _json(data: Mapping[str, Any]) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"
