"""Inspect's eval log, version 2, as JSON: a log for each model and eval set.

A sample is known by its case and its epoch. What the machine spoiled has an error and no score, and
its log has the status of one that ended in an error, as Inspect's own have.

One sample of Inspect's eval log: what was asked, what was answered, and how it scored.

Tokens as Inspect counts them: what was read from a cache is not part of its input tokens.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from forgetest.evalset.types import Case
from forgetest.render.formats.standing import (
    Files,
    Pieces,
    file_names,
    grading_secs,
    reason,
    request_secs,
    whole_cases,
    work_secs,
)
from forgetest.render.run import ShownRun, sandbox_line
from forgetest.report.samples import SampleReport
from forgetest.report.types import CaseReport, EvalSetInfo, Metric, ModelReport
from forgetest.report.usage import UsageCount
from forgetest.sampling.completion import Completion, Finish, Prompt
from forgetest.sampling.prompt import VERSION, render


def usage_sum(replies: Iterable[Completion]) -> dict[str, Any]:
    """Return the usage of completions, added up; what a server did not report counts as 0."""
    counting, written = UsageCount(), 0
    for reply in replies:
        counting.add(reply)
        written += reply.usage.cache_write_tokens
    totals = counting.totals
    return {
        "input_tokens": max(0, totals.input - totals.cache_read - written),
        "output_tokens": totals.output,
        "total_tokens": totals.input + totals.output,
        "input_tokens_cache_read": totals.cache_read,
        "input_tokens_cache_write": written,
        "reasoning_tokens": totals.reasoning,
        **({} if totals.cost.usd is None else {"total_cost": float(totals.cost.usd)}),
    }


STOP_REASONS: Mapping[Finish, str] = {
    Finish.STOP: "stop",
    Finish.LENGTH: "max_tokens",
    Finish.REFUSED: "content_filter",
    Finish.FILTERED: "content_filter",
}


def inspect_sample(
    run: ShownRun,
    model: ModelReport,
    case: CaseReport,
    sample: SampleReport,
    whole: Case | None,
    *,
    scorer: str,
) -> dict[str, Any]:
    """Return an EvalSample; without the run folder, the case's name stands for its prompt."""
    prompt = _prompt(run, model, whole)
    name = str(model.model)
    uuid = _uuid(run, name, case.key, str(sample.index))
    answer = _answer(sample.completion, name, uuid)
    messages = _messages(prompt, answer, uuid)
    output = _output(sample, answer, name)
    made: dict[str, Any] = {
        "id": case.case,
        "epoch": sample.index + 1,
        "input": prompt.user if prompt else case.name,
        "target": (whole.reference_solution or "") if whole else "",
        "messages": messages,
        "output": output,
        "metadata": inspect_metadata(case),
        "uuid": uuid,
        "total_time": request_secs(sample) + grading_secs(sample),
    }
    if sample.completion:
        made["events"] = [_event(run, messages[:-1], output, model=name, uuid=uuid)]
        made["model_usage"] = {name: usage_sum(sample.completions)}
    if sample.scored:
        made["scores"] = {scorer: inspect_score(sample)}
    else:
        made["error"] = {"message": reason(sample), "traceback": "", "traceback_ansi": ""}
    return made


def _prompt(run: ShownRun, model: ModelReport, case: Case | None) -> Prompt | None:
    """Return what the model was told; the bare prompt when that was by other rules than today's."""
    if case is None:
        return None
    if run.report.prompt_version != VERSION:
        return Prompt(system="", user=case.prompt)
    return render(case, run.report.variant(model.model))


def _messages(prompt: Prompt | None, answer: dict[str, Any] | None, uuid: str) -> list[Any]:
    """Return the messages; each has an id, which Inspect's data frames cannot do without."""
    turns = [(turn.role, turn.text) for turn in prompt.turns] if prompt else []
    asked = [("system", prompt.system), *turns] if prompt else []
    said = [{"role": role, "content": text, "source": "input"} for role, text in asked if text]
    messages = [
        {"id": f"{uuid}-{number}", **message} for number, message in enumerate(said, start=1)
    ]
    return [*messages, *([answer] if answer else [])]


def _answer(reply: Completion | None, model: str, uuid: str) -> dict[str, Any] | None:
    if reply is None:
        return None
    return {
        "id": f"{uuid}-answer",
        "role": "assistant",
        "content": reply.text,
        "source": "generate",
        "model": model,
    }


def _output(sample: SampleReport, answer: dict[str, Any] | None, model: str) -> dict[str, Any]:
    reply = sample.completion
    if reply is None:
        return {"model": model, "choices": [], "error": reason(sample)}
    return {
        "model": reply.served_model or model,
        "choices": [{"message": answer, "stop_reason": STOP_REASONS[reply.finish]}],
        "usage": usage_sum([reply]),
        "time": reply.latency_secs,
    }


def _event(
    run: ShownRun, asked: list[Any], output: dict[str, Any], *, model: str, uuid: str
) -> dict[str, Any]:
    """Return the request as an event: Inspect's data frames read messages from events alone."""
    return {
        "uuid": f"{uuid}-request",
        "event": "model",
        "timestamp": run.report.created,
        "working_start": 0.0,
        "model": model,
        "input": asked,
        "tools": [],
        "tool_choice": "none",
        "config": {},
        "output": output,
    }


def inspect_score(sample: SampleReport) -> dict[str, Any]:
    """Return `C` for a pass and `I` for none; the score of 0 to 1 is in the metadata."""
    return {
        "value": "C" if sample.passed else "I",
        "answer": sample.code or "",
        "explanation": reason(sample),
        "metadata": {
            "score": sample.score,
            "outcome": sample.outcome,
            "integrity": sample.integrity,
            "flags": list(sample.flags),
            "tests": {one.name: one.outcome for one in sample.verdict.tests}
            if sample.verdict
            else {},
        },
    }


def inspect_metadata(case: CaseReport | Case) -> dict[str, Any]:
    """Return what Inspect shows of a case beside its prompt."""
    return {
        "eval_set": case.eval_set,
        "name": case.name,
        "tags": list(case.tags),
        "difficulty": case.difficulty,
    }


def _uuid(run: ShownRun, *parts: str) -> str:
    whole = "\0".join((run.report.plan_digest, run.report.created, *parts))
    return hashlib.sha256(whole.encode(errors="replace")).hexdigest()[:22]


FOLDER = "inspect"
SCORER = "forgetest"


def inspect_files(run: ShownRun) -> Files:
    """Return inspect/TIME_SET_MODEL_ID.json for each model and eval set.

    `inspect view` takes only files whose names begin with a time for logs.
    """
    models = file_names([str(model.model) for model in run.report.models])
    sets = file_names([item.id for item in run.report.eval_sets])
    files: Files = {}
    for model in run.report.models:
        for item in run.report.eval_sets:
            cases = [case for case in model.cases if case.eval_set == item.id]
            task = _id(item.id, str(model.model), run.report.plan_digest, run.label)
            named = (_dashed(sets[item.id]), _dashed(models[str(model.model)]), task)
            stem = "_".join((_stamp(run), *named))
            log = partial(_log, run, model, item, cases, task=task)
            files[f"{FOLDER}/{stem}.json"] = Pieces(log)
    return files


def _dashed(name: str) -> str:
    return name.replace("_", "-")  # parts of a log's name are separated by underscores


def _id(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode(errors="replace")).hexdigest()[:22]


def _created(run: ShownRun) -> str:
    return datetime.fromisoformat(run.report.created).astimezone(UTC).isoformat(timespec="seconds")


def _stamp(run: ShownRun) -> str:
    return _created(run).replace(":", "-")


def _log(
    run: ShownRun, model: ModelReport, item: EvalSetInfo, cases: Sequence[CaseReport], *, task: str
) -> Iterator[str]:
    """Yield a log as JSON, a sample at a time."""
    missing = sum(case.planned - case.n for case in cases)
    planned = sum(case.planned for case in cases)
    log = {
        "version": 2,
        "status": "error" if missing else "success",
        "eval": _eval(run, model, item, cases, task=task),
        "plan": {"name": "forgetest", "steps": [{"solver": "generate", "params": {}}]},
        "results": _results(model, item, planned=planned, scored=planned - missing),
        "stats": _stats(run, model, cases),
    }
    yield _json(log).removesuffix("}") + ', "samples": ['
    for place, sample in enumerate(_samples(run, model, cases)):
        yield f"{', ' if place else ''}{_json(sample)}"
    said = f"{missing} of {planned} samples are unscored"
    error = {"message": said, "traceback": "", "traceback_ansi": ""}
    yield "]" + (f', "error": {_json(error)}' if missing else "") + "}\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _eval(
    run: ShownRun, model: ModelReport, item: EvalSetInfo, cases: Sequence[CaseReport], *, task: str
) -> dict[str, Any]:
    report = run.report
    return {
        "eval_id": _id(task, report.created),
        "run_id": _id(report.plan_digest, report.created),
        "created": _created(run),
        "task": item.id,
        "task_id": task,
        "task_version": item.version or 0,
        "task_file": item.file or None,
        "task_display_name": item.name,
        "dataset": {
            "name": item.id,
            "location": item.file or None,
            "samples": len(cases),
            "sample_ids": [case.case for case in cases],
            "shuffled": False,
        },
        "model": str(model.model),
        "model_generate_config": _generate_config(run, model),
        "model_base_url": report.endpoints.get(model.model.provider),
        "config": {"epochs": max((case.planned for case in cases), default=0)},
        "packages": {"forgetest": report.forgetest},
        "metadata": _metadata(run, model),
        "scorers": [{"name": SCORER, "metrics": [{"name": "accuracy"}]}],
    }


_CONFIG = {  # the keys of Inspect's GenerateConfig, and what we call them
    "temperature": "temperature",
    "top_p": "top_p",
    "max_tokens": "max_tokens",
    "seed": "seed",
    "stop_seqs": "stop",
    "reasoning_effort": "reasoning_effort",
    "reasoning_tokens": "thinking_tokens",
}


def _generate_config(run: ShownRun, model: ModelReport) -> dict[str, Any]:
    """Return how completions were drawn: what the variant sets wins over the run's."""
    report = run.report
    settings = {
        **report.sampling.model_dump(mode="json", exclude_none=True),
        **report.variant(model.model).model_dump(mode="json"),
    }
    return {key: settings[name] for key, name in _CONFIG.items() if name in settings}


def _metadata(run: ShownRun, model: ModelReport) -> dict[str, Any]:
    report = run.report
    variant, asked = model.model.variant, report.variant(model.model)
    return {
        "run": run.label,
        **({} if variant is None else {"variant": variant, "variant_hash": asked.hash}),
        "rustc": report.toolchain.rustc.partition("\n")[0],
        "sandbox": sandbox_line(report.sandbox),
        "scoring_profile": report.scoring_profile,
        "warnings": list(report.warnings),
    }


def _results(model: ModelReport, item: EvalSetInfo, *, planned: int, scored: int) -> dict[str, Any]:
    block = model.suites[item.id]
    metrics: dict[str, Metric] = {
        "accuracy": block.pass_rate,
        **{f"pass_at_{k}": metric for k, metric in block.pass_at_k.items()},
        **{f"pass_hat_{k}": metric for k, metric in block.pass_hat_k.items()},
        "mean_score": block.mean_score,
        "compile_rate": block.compile_rate,
        "test_pass_rate": block.test_pass_rate,
    }
    score = {
        "name": SCORER,
        "scorer": SCORER,
        "scored_samples": scored,
        "unscored_samples": planned - scored,
        "metrics": _metrics(metrics),
    }
    return {"total_samples": planned, "completed_samples": scored, "scores": [score]}


def _metrics(metrics: Mapping[str, Metric]) -> dict[str, Any]:
    """Return the metrics that have a value, and the standard error of the first."""
    made = {
        name: {"name": name, "value": metric.value}
        for name, metric in metrics.items()
        if metric.value is not None
    }
    error = metrics["accuracy"].se_population
    if "accuracy" in made and error is not None:
        made["stderr"] = {"name": "stderr", "value": error}
    return made


def _stats(run: ShownRun, model: ModelReport, cases: Sequence[CaseReport]) -> dict[str, Any]:
    replies = (reply for case in cases for one in case.samples for reply in one.completions)
    worked = timedelta(seconds=sum(map(work_secs, cases)))
    ended = datetime.fromisoformat(_created(run)) + worked
    return {
        "started_at": _created(run),
        # A report knows no end, and Inspect shows a duration: here, the seconds worked.
        "completed_at": ended.isoformat(timespec="seconds"),
        "model_usage": {str(model.model): usage_sum(replies)},
    }


def _samples(
    run: ShownRun, model: ModelReport, cases: Sequence[CaseReport]
) -> Iterator[dict[str, Any]]:
    known = whole_cases(run)
    return (
        inspect_sample(run, model, case, sample, known.get(case.key), scorer=SCORER)
        for case in cases
        for sample in case.samples
    )
