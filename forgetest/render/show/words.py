"""What the figures beside a sample mean, in words."""

from collections.abc import Iterator, Mapping

from forgetest.completion import Completion, Finish
from forgetest.extract import Rule
from forgetest.grading.verdict import Verdict
from forgetest.render.numbers import dollars, seconds
from forgetest.report.files import Picked
from forgetest.words import count

_RULES: Mapping[str, str] = {
    Rule.DEFINING: "the first block that defines what the case wants",
    Rule.CORRECTED: "a later block that the reply calls the right one",
    Rule.MERGED: "several blocks that together define what the case wants",
    Rule.MOST: "the block that defines the most of what the case wants",
    Rule.POSSIBLE: "a block that may define what the case wants, by a macro",
    Rule.FIRST_RUST: "the first block of Rust; none defines what the case wants",
    Rule.WHOLE: "the whole reply, which is Rust",
    Rule.TRIMMED: "the Rust that stands in the reply without fences",
    Rule.UNWRAPPED: "the code that a wrapper held: JSON, a tool call, HTML",
    Rule.PATCHED: "the given code with the changes that the reply makes to it",
    Rule.JOINED: "the reply, behind the prompt's own code",
    Rule.FIRST: "the first block",
    Rule.LAST: "the last block",
    Rule.ALL: "all blocks",
    Rule.NONE: "no code in the reply",
}


def facts(one: Picked) -> Iterator[tuple[str, str]]:
    """Yield label and words of everything that is known beside code, diagnostics and tests."""
    sample, verdict = one.sample, one.sample.verdict
    if sample.fault is not None:
        kind = f"{sample.fault_kind}: " if sample.fault_kind else ""
        yield "fault", f"{kind}{sample.fault}"
    for reason in verdict.reasons if verdict else ():
        yield "why", reason
    if sample.extraction_rule:
        yield "code", extraction_words(sample.extraction_rule)
    if verdict is not None:
        yield from _trust(verdict)
    if sample.completion is not None:
        yield "reply", completion_words(sample.completion)
    if verdict is not None and verdict.timings:
        yield "graded", timing_words(verdict.timings)


def extraction_words(rule: str) -> str:
    """Return the rule that found the code, and what it means."""
    return f"{rule}: {_RULES[rule]}" if rule in _RULES else rule


def _trust(verdict: Verdict) -> Iterator[tuple[str, str]]:
    found = verdict.integrity
    yield "trust", f"{found.level}{f': {found.reason}' if found.reason else ''}"
    if verdict.flags:
        yield "flags", ", ".join(verdict.flags)
    if verdict.lints_silenced:
        yield "lints", f"{verdict.lints_silenced} of them were silenced in the code"


def completion_words(completion: Completion) -> str:
    """Return tokens, latency, price and how the reply ended, as far as they are known."""
    return " · ".join(_reply(completion))


def _reply(completion: Completion) -> Iterator[str]:
    usage = completion.usage
    if usage.output_tokens is not None:
        reasoning = f" ({usage.reasoning_tokens:,} reasoning)" if usage.reasoning_tokens else ""
        said = count(usage.output_tokens, "token")
        yield f"{said} out{reasoning}, {usage.input_tokens or 0:,} in"
    else:
        yield "no token counts"
    if completion.latency_secs is not None:
        yield seconds(completion.latency_secs)
    if completion.cost.usd is not None:
        yield dollars(completion.cost.usd)
    if completion.finish is not Finish.STOP:
        yield f"ended by {completion.finish}"
    if completion.served_model:
        yield f"served as {completion.served_model}"


def timing_words(timings: Mapping[str, float]) -> str:
    """Return `277 ms: prepare 8 ms, compile 138 ms`."""
    parts = [f"{name} {seconds(secs)}" for name, secs in timings.items() if name != "total"]
    total = [seconds(timings["total"])] if "total" in timings else []
    return ": ".join([*total, ", ".join(parts)] if parts else total)
