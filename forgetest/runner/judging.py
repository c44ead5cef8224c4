"""From a completion to its verdict, as every session and the Python API judge it."""

import asyncio
import traceback
from collections.abc import Awaitable, Callable
from typing import TypeVar

from forgetest.errors import Fault, FaultKind, ForgetestError
from forgetest.evalset.types import Case
from forgetest.extract.extraction import extract
from forgetest.extract.types import Extraction, Extractor, NoCodeReason
from forgetest.grading.graders import CodeGrader
from forgetest.grading.verdict import Outcome, Verdict
from forgetest.sampling.completion import Completion, Finish

T = TypeVar("T")

EXTRACTING = 2  # completions parsed in parallel: enough to keep many graders busy
GRADING_TRIES = 2  # after a machine fault, grading is tried again before the sample stays unscored


async def in_two_tries(
    judge: Callable[[], Awaitable[T]],
    *,
    note: Callable[[Fault], None],
    log: Callable[[str], None],
) -> T:
    """Return what judging gives, tried again after a fault; raise the last `Fault`.

    `note` hears of every fault, and `log` of our own bugs, which are faults, too.
    """
    tries_left = GRADING_TRIES
    while True:
        tries_left -= 1
        try:
            return await guarded(judge(), log)
        except Fault as fault:
            note(fault)
            if tries_left == 0 or fault.final:
                raise


async def guarded(work: Awaitable[T], log: Callable[[str], None]) -> T:
    """Return what work gives; a bug of ours is logged with its traceback and becomes a `Fault`."""
    try:
        return await work
    except (Fault, ForgetestError):
        raise
    except Exception as error:
        log(traceback.format_exc())
        raise Fault(FaultKind.INTERNAL, f"{type(error).__name__}: {error}") from error


WITHOUT_CODE = {
    NoCodeReason.EMPTY: (Outcome.EMPTY, "the completion is empty"),
    NoCodeReason.REFUSED: (Outcome.REFUSED, "the model declined to answer"),
    NoCodeReason.TRUNCATED: (
        Outcome.TRUNCATED,
        "the token limit cut the completion before any code",
    ),
    NoCodeReason.NO_CODE: (Outcome.NO_CODE, "no Rust code was found in the completion"),
}

NO_ROOM = "the prompt left no room for a reply in the model's context"


async def judge_completion(
    completion: Completion,
    case: Case,
    *,
    grader: CodeGrader,
    extractor: Extractor,
    extracting: asyncio.Semaphore,
) -> tuple[Extraction, Verdict]:
    """Extract the code and grade it; return both results. Raises `Fault` if the machine fails.

    `extracting` limits how many completions are parsed in parallel.
    """
    async with extracting:
        # In a thread, because a hostile reply may keep the parser busy for seconds.
        extraction = await asyncio.to_thread(extract, completion, case, extractor)
    if extraction.code is None:
        outcome, reason = WITHOUT_CODE[extraction.reason or NoCodeReason.NO_CODE]
        if outcome is Outcome.TRUNCATED and not completion.usage.output_tokens:
            reason = NO_ROOM
        verdict = Verdict(outcome=outcome, passed=False, reasons=(extraction.detail or reason,))
    else:
        verdict = await grader.grade(case, extraction.code)
    if completion.finish is Finish.LENGTH:
        verdict = verdict.model_copy(update={"flags": (*verdict.flags, "truncated")})
    return extraction, verdict
