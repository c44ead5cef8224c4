"""From a completion to code, and what it means when there is none."""

from enum import StrEnum

from forgetest.completion import Completion, Finish
from forgetest.evalset.types import Case, Protocol
from forgetest.extract.blocks import layout
from forgetest.extract.candidate import from_blocks
from forgetest.extract.choose import Rule
from forgetest.extract.opening import find_opening
from forgetest.extract.quotes import given, given_sources
from forgetest.extract.reply import is_refusal, visible
from forgetest.extract.search import Extractor, Reply, find_code
from forgetest.extract.wants import wants
from forgetest.rust.parse import cpu_deadline
from forgetest.value import Value

_PARSE_SECS = 2.0  # CPU time for all that one reply makes the parser do
_MAX_BLOCKS = 256  # blocks of one reply that are parsed


class Reason(StrEnum):
    """Why there is no code."""

    EMPTY = "empty"
    REFUSED = "refused"
    TRUNCATED = "truncated"  # the token limit came before the code
    NO_CODE = "no_code"


class Extraction(Value):
    """The code of a completion, how it was found, or why there is none."""

    code: str | None
    rule: Rule
    blocks: int  # fenced blocks in the reply that hold anything
    reason: Reason | None = None
    limited: bool = False  # a limit kept some of the reply from being parsed


def extract(
    completion: Completion, case: Case, extractor: Extractor = Extractor.DEFINING
) -> Extraction:
    """Return the code that a completion offers for a case; never raises, whatever the text."""
    reply = _take_apart(visible(completion.text), case)
    withheld = completion.finish in {Finish.REFUSED, Finish.FILTERED}
    choice = None if withheld else find_code(reply, extractor)
    code = choice.candidate.code if choice else ""
    found = choice is not None and bool(code.strip())
    return Extraction(
        code=code if found else None,
        rule=choice.rule if choice and found else Rule.NONE,
        blocks=len(reply.page.blocks),
        reason=None if found else _reason(reply.text, completion.finish),
        limited=_is_limited(reply),
    )


def _take_apart(text: str, case: Case) -> Reply:
    page = layout(text)
    deadline = cpu_deadline(_PARSE_SECS)
    continued = case.protocol is Protocol.COMPLETION
    sources = given_sources(case, deadline)
    known = given(sources)
    return Reply(
        text=text,
        page=page,
        candidates=from_blocks(page.blocks[:_MAX_BLOCKS], known, deadline),
        known=known,
        wants=wants(case),
        opening=find_opening(case.prompt, deadline) if continued else None,
        deadline=deadline,
    )


def _reason(text: str, finish: Finish) -> Reason:
    if finish in {Finish.REFUSED, Finish.FILTERED}:
        return Reason.REFUSED
    if finish is Finish.LENGTH:
        return Reason.TRUNCATED
    if not text.strip():
        return Reason.EMPTY
    return Reason.REFUSED if is_refusal(text) else Reason.NO_CODE


def _is_limited(reply: Reply) -> bool:
    unparsed = any(part.tree is None for part in reply.candidates)
    return unparsed or reply.is_late or len(reply.page.blocks) > _MAX_BLOCKS
