"""One sample of Inspect's eval log: what was asked, what was answered, and how it scored."""

import hashlib
from collections.abc import Mapping
from typing import Any

from forgetest.completion import Completion, Finish
from forgetest.evalset.types import Case
from forgetest.prompt import VERSION, render
from forgetest.render.formats.inspectusage import usage_sum
from forgetest.render.formats.run import Run, key
from forgetest.render.formats.standing import grading_secs, reason, request_secs
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
    made: dict[str, Any] = {
        "id": case.case,
        "epoch": sample.index + 1,
        "input": prompt.user if prompt else case.name,
        "target": (whole.reference_solution or "") if whole else "",
        "messages": _messages(prompt, sample, name),
        "output": _output(sample, name),
        "metadata": _metadata(case),
        "uuid": _uuid(run, name, key(case), str(sample.index)),
        "total_time": request_secs(sample) + grading_secs(sample),
    }
    if sample.completion:
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


def _messages(prompt: Prompt | None, sample: SampleReport, model: str) -> list[dict[str, Any]]:
    asked = [("system", prompt.system), ("user", prompt.user)] if prompt else []
    messages = [{"role": role, "content": text, "source": "input"} for role, text in asked if text]
    return [*messages, *([_answer(sample.completion, model)] if sample.completion else [])]


def _answer(reply: Completion, model: str) -> dict[str, Any]:
    return {"role": "assistant", "content": reply.text, "source": "generate", "model": model}


def _output(sample: SampleReport, model: str) -> dict[str, Any]:
    reply = sample.completion
    if reply is None:
        return {"model": model, "choices": [], "completion": "", "error": reason(sample)}
    choice = {"message": _answer(reply, model), "stop_reason": _STOP[reply.finish]}
    return {
        "model": reply.served_model or model,
        "choices": [choice],
        "completion": reply.text,
        "usage": usage_sum([reply]),
        "time": reply.latency_secs,
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
