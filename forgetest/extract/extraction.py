"""From a completion to code, and what it means when there is none."""

from collections.abc import Sequence
from enum import StrEnum

from forgetest.completion import Completion, Finish
from forgetest.evalset.types import Case, Protocol
from forgetest.extract.blocks import Block, Language, Layout, layout
from forgetest.extract.candidate import Candidate, candidate, from_blocks
from forgetest.extract.choose import Rule
from forgetest.extract.edits import patched
from forgetest.extract.opening import find_opening
from forgetest.extract.quotes import given, given_sources
from forgetest.extract.reply import is_refusal, visible
from forgetest.extract.search import Extractor, Reply, find_code
from forgetest.extract.wants import wants
from forgetest.extract.wrappers import Held, edits_in, unwrap
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
    text = visible(completion.text)
    page = layout(text)
    deadline = cpu_deadline(_PARSE_SECS)
    held = unwrap(text, page.blocks, deadline)
    inner, shown = _inside(held) if held else (text, page)
    reply = _take_apart(inner, shown, case, deadline)
    withheld = completion.finish in {Finish.REFUSED, Finish.FILTERED}
    choice = None if withheld else find_code(reply, extractor)
    code = choice.candidate.code if choice else ""
    found = choice is not None and bool(code.strip())
    rule = choice.rule if choice and found else Rule.NONE
    return Extraction(
        code=code if found else None,
        rule=Rule.UNWRAPPED if held and found else rule,
        blocks=len(page.blocks),
        reason=None if found else _reason(text, completion.finish),
        limited=_is_limited(reply),
    )


def _inside(held: Sequence[Held]) -> tuple[str, Layout]:
    """Return what a wrapper holds as a reply of its own: one text, or several blocks."""
    if len(held) == 1:
        text = visible(held[0].text)
        return text, layout(text)
    blocks = tuple(block for part in held for block in _blocks(part))
    return "", Layout(blocks, outside="", head="")


def _blocks(part: Held) -> tuple[Block, ...]:
    lead = part.name.replace("_", " ")
    shown = layout(part.text).blocks
    return shown or (Block(Language.RUST, part.text, lead=lead),)


def _take_apart(text: str, page: Layout, case: Case, deadline: float) -> Reply:
    continued = case.protocol is Protocol.COMPLETION
    sources = given_sources(case, deadline)
    known = given(sources)
    return Reply(
        text=text,
        page=page,
        candidates=from_blocks(page.blocks[:_MAX_BLOCKS], known, deadline),
        known=known,
        edited=() if continued else _edited(text, sources, deadline),
        wants=wants(case),
        opening=find_opening(case.prompt, deadline) if continued else None,
        deadline=deadline,
    )


def _edited(text: str, sources: tuple[str, ...], deadline: float) -> tuple[Candidate, ...]:
    changed = patched(text, tuple(edits_in(text)), sources)
    found = () if changed is None else (candidate(changed, Language.RUST, deadline),)
    return tuple(part for part in found if part.items.items)


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
