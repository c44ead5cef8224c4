"""From a completion to a verdict: extraction first, then the grader, if there is code."""

import asyncio

from forgetest.completion import Completion, Finish
from forgetest.evalset.types import Case
from forgetest.extract import Extraction, Extractor, Reason, extract
from forgetest.grading.graders import CodeGrader
from forgetest.grading.verdict import Outcome, Verdict

WITHOUT_CODE = {
    Reason.EMPTY: (Outcome.EMPTY, "the completion is empty"),
    Reason.REFUSED: (Outcome.REFUSED, "the model declined to answer"),
    Reason.TRUNCATED: (Outcome.TRUNCATED, "the token limit cut the completion before any code"),
    Reason.NO_CODE: (Outcome.NO_CODE, "no Rust code was found in the completion"),
}

NO_ROOM = "the prompt left no room for a reply in the model's context"


async def judge(
    completion: Completion,
    case: Case,
    *,
    grader: CodeGrader,
    extractor: Extractor,
    extracting: asyncio.Semaphore,
) -> tuple[Extraction, Verdict]:
    """Return what was extracted and its verdict; raise `Fault` when the machinery fails.

    `extracting` limits how many completions are parsed at once.
    """
    async with extracting:
        # In a thread: a hostile reply may keep the parser busy for seconds, and others wait.
        extraction = await asyncio.to_thread(extract, completion, case, extractor)
    if extraction.code is None:
        outcome, reason = WITHOUT_CODE[extraction.reason or Reason.NO_CODE]
        if outcome is Outcome.TRUNCATED and not completion.usage.output_tokens:
            reason = NO_ROOM
        verdict = Verdict(outcome=outcome, passed=False, reasons=(reason,))
    else:
        verdict = await grader.grade(case, extraction.code)
    if completion.finish is Finish.LENGTH:
        verdict = verdict.model_copy(update={"flags": (*verdict.flags, "truncated")})
    return extraction, verdict
