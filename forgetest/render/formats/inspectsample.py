"""One sample of Inspect's eval log: what was asked, what was answered, and how it scored."""

import hashlib
from collections.abc import Mapping
from typing import Any

from forgetest.completion import Completion, Finish
from forgetest.evalset.types import Case
from forgetest.prompt import VERSION, render
from forgetest.render.formats.inspectusage import usage_sum
from forgetest.render.formats.standing import grading_secs, reason, request_secs
from forgetest.render.run import Run
from forgetest.report.types import CaseReport, ModelReport, SampleReport
from forgetest.source import Prompt

_STOP: Mapping[Finish, str] = {
    Finish.STOP: "stop",
    Finish.LENGTH: "max_tokens",
    Finish.REFUSED: "content_filter",
    Finish.FILTERED: "content_filter",
}


def inspect_sample(
    run: Run,
    model: ModelReport,
    case: CaseReport,
    sample: SampleReport,
    whole: Case | None,
    *,
    scorer: str,
) -> dict[str, Any]:
    """Return an EvalSample; without the run folder, the case's name stands for its prompt."""
    prompt = _prompt(run, whole)
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
        "metadata": _metadata(case),
        "uuid": uuid,
        "total_time": request_secs(sample) + grading_secs(sample),
    }
    if sample.completion:
        made["events"] = [_event(run, messages[:-1], output, model=name, uuid=uuid)]
        made["model_usage"] = {name: usage_sum([sample.completion])}
    if sample.scored:
        made["scores"] = {scorer: _score(sample)}
    else:
        made["error"] = {"message": reason(sample), "traceback": "", "traceback_ansi": ""}
    return made


def _prompt(run: Run, case: Case | None) -> Prompt | None:
    """Return what the model was told; the bare prompt when that was by other rules than today's."""
    if case is None:
        return None
    if run.report.prompt_version != VERSION:
        return Prompt(system="", user=case.prompt)
    return render(case)


def _messages(prompt: Prompt | None, answer: dict[str, Any] | None, uuid: str) -> list[Any]:
    """Return the messages; each has an id, which Inspect's data frames can not do without."""
    asked = [("system", prompt.system), ("user", prompt.user)] if prompt else []
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
        "choices": [{"message": answer, "stop_reason": _STOP[reply.finish]}],
        "usage": usage_sum([reply]),
        "time": reply.latency_secs,
    }


def _event(
    run: Run, asked: list[Any], output: dict[str, Any], *, model: str, uuid: str
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


def _score(sample: SampleReport) -> dict[str, Any]:
    """Return `C` for a pass and `I` for none; the score of 0 to 1 stands in the metadata."""
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


def _metadata(case: CaseReport) -> dict[str, Any]:
    return {
        "eval_set": case.eval_set,
        "name": case.name,
        "tags": list(case.tags),
        "difficulty": case.difficulty,
    }


def _uuid(run: Run, *parts: str) -> str:
    whole = "\0".join((run.report.plan_digest, run.report.created, *parts))
    return hashlib.sha256(whole.encode(errors="replace")).hexdigest()[:22]
