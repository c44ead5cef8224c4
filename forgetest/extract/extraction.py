"""From a completion to code, or to the reason why there is none.

`extract` takes the reply apart; `find_code` applies the rules that find the code, in their order.
"""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

from forgetest.evalset.types import Case, Protocol
from forgetest.extract.blocks import (
    FencedBlock,
    Language,
    ReplyLayout,
    layout,
    run_spans,
    runs,
    starts_code,
)
from forgetest.extract.candidates import (
    Candidate,
    candidate,
    complete,
    from_blocks,
    placed,
    with_prelude,
)
from forgetest.extract.choose import Choice, choose_defining, choose_first
from forgetest.extract.edits import patched
from forgetest.extract.named_files import FilesAnswer, files_in
from forgetest.extract.quotes import Given, given, given_sources
from forgetest.extract.reply import is_refusal, visible
from forgetest.extract.types import Extraction, ExtractionRule, Extractor, NoCodeReason
from forgetest.extract.wants import Joined, Opening, Wants, find_opening, join, wants
from forgetest.extract.wrappers import WrappedText, edits_in, unwrap
from forgetest.rust.items import ItemKind, Scope
from forgetest.rust.parse import SOURCE_LIMIT, cpu_deadline
from forgetest.sampling.completion import Completion, Finish

_PARSE_SECS = 2.0  # CPU time for all that one reply makes the parser do
_MAX_BLOCKS = 256  # blocks of one reply that are parsed
_CODE = re.compile(r"[{};=\[\]+*/<>&|]|\w\(|\w!\(")
_CONTAINERS = frozenset(
    {ItemKind.IMPL, ItemKind.STRUCT, ItemKind.ENUM, ItemKind.TRAIT, ItemKind.MODULE}
)


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply taken apart, and what is looked for in it."""

    text: str
    page: ReplyLayout
    candidates: tuple[Candidate, ...]
    known: Given  # the code that the model was given
    edited: tuple[Candidate, ...]  # the given code as the reply changes it
    wants: Wants
    opening: Opening | None  # of a prompt whose code the reply may continue
    deadline: float

    @property
    def is_late(self) -> bool:
        """Whether a limit stopped the parser before it had read everything."""
        return len(self.text) > SOURCE_LIMIT or time.thread_time() > self.deadline


def extract(
    completion: Completion, case: Case, extractor: Extractor = Extractor.DEFINING
) -> Extraction:
    """Return the code that a completion offers for a case; never raises."""
    text = visible(completion.text)
    page = layout(text)
    if case.answer_files and (answer := files_in(text, case)) is not None:
        return _of_files(answer, completion, len(page.blocks))
    deadline = cpu_deadline(_PARSE_SECS)
    wrapped = unwrap(text, page.blocks, deadline)
    inner, inner_page = _inside(wrapped) if wrapped else (text, page)
    reply = _take_apart(inner, inner_page, case, deadline)
    withheld = completion.finish in {Finish.REFUSED, Finish.FILTERED}
    choice = None if withheld else find_code(reply, extractor)
    code = choice.candidate.code if choice else ""
    has_code = choice is not None and bool(code.strip())
    rule = choice.rule if choice and has_code else ExtractionRule.NONE
    return Extraction(
        code=code if has_code else None,
        rule=ExtractionRule.UNWRAPPED if wrapped and has_code else rule,
        blocks=len(page.blocks),
        reason=None if has_code else _reason(text, completion.finish),
        limited=_is_limited(reply),
    )


def _of_files(answer: FilesAnswer, completion: Completion, blocks: int) -> Extraction:
    """Return the code of several files, or what is wrong with them."""
    reason = None
    if completion.finish in {Finish.REFUSED, Finish.FILTERED} or answer.code is None:
        reason = _reason(completion.text, completion.finish)
    return Extraction(
        code=None if reason else answer.code,
        rule=ExtractionRule.NONE if reason else ExtractionRule.FILES,
        blocks=blocks,
        reason=reason,
        detail=answer.wrong if reason is NoCodeReason.NO_CODE else "",
    )


def _inside(wrapped: Sequence[WrappedText]) -> tuple[str, ReplyLayout]:
    """Return the content of a wrapper as a reply of its own: one text, or several blocks."""
    if len(wrapped) == 1:
        text = visible(wrapped[0].text)
        return text, layout(text)
    blocks = tuple(block for part in wrapped for block in _blocks(part))
    return "", ReplyLayout(blocks, outside="", head="")


def _blocks(part: WrappedText) -> tuple[FencedBlock, ...]:
    lead = part.name.replace("_", " ")
    blocks = layout(part.text).blocks
    return blocks or (FencedBlock(Language.RUST, part.text, lead=lead),)


def _take_apart(text: str, page: ReplyLayout, case: Case, deadline: float) -> Reply:
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
    part = None if changed is None else candidate(changed, Language.RUST, deadline)
    return (part,) if part is not None and part.items.items else ()


def _reason(text: str, finish: Finish) -> NoCodeReason:
    if finish in {Finish.REFUSED, Finish.FILTERED}:
        return NoCodeReason.REFUSED
    if finish is Finish.LENGTH:
        return NoCodeReason.TRUNCATED
    if not text.strip():
        return NoCodeReason.EMPTY
    return NoCodeReason.REFUSED if is_refusal(text) else NoCodeReason.NO_CODE


def _is_limited(reply: Reply) -> bool:
    unparsed = any(part.tree is None for part in reply.candidates)
    return unparsed or reply.is_late or len(reply.page.blocks) > _MAX_BLOCKS


def find_code(reply: Reply, extractor: Extractor) -> Choice | None:
    """Return the code of a reply and the rule that chose it, None when there is no code."""
    by_place = _by_place(reply, extractor)
    if by_place is not None:
        return by_place
    if reply.opening is None:
        choice = _whole(reply) or _defining(reply)
    else:
        choice = _continued(reply, reply.opening)
    return choice or _changed(reply) or _any_rust(reply) or _unparsed(reply)


def _changed(reply: Reply) -> Choice | None:
    """Return the given code as the reply changes it, if nothing shows what is wanted."""
    return Choice(reply.edited[0], ExtractionRule.PATCHED) if reply.edited else None


def _continued(reply: Reply, opening: Opening) -> Choice | None:
    """Return code for a prompt that ends inside a function, by the likeliest rule that fits."""
    joined = join(opening, reply.page.head)
    return (
        _continuation(reply, opening, joined)
        or _repetition(reply, opening)
        or _body_block(reply, opening)
        or _broken_body(reply, joined)
    )


def _by_place(reply: Reply, extractor: Extractor) -> Choice | None:
    """Return the block that an extractor other than `defining` takes, None without blocks."""
    rust = [part for part in reply.candidates if part.language is not Language.OTHER]
    blocks = rust or list(reply.candidates)
    if extractor is Extractor.DEFINING or not blocks:
        return None
    if extractor is Extractor.FIRST:
        chosen, rule = blocks[0], ExtractionRule.FIRST
    elif extractor is Extractor.LAST:
        chosen, rule = blocks[-1], ExtractionRule.LAST
    else:
        code = "\n\n".join(block.code for block in blocks)
        chosen, rule = candidate(code, Language.UNSAID, reply.deadline), ExtractionRule.ALL
    body = None if reply.opening is None else _as_body(reply, reply.opening, chosen)
    return Choice(body or chosen, rule)


def _whole(reply: Reply) -> Choice | None:
    """Return the whole text if it is a program, even with fences in its comments."""
    if not starts_code(reply.text):
        return None
    whole = candidate(reply.text, Language.UNSAID, reply.deadline)
    return Choice(whole, ExtractionRule.WHOLE) if whole.is_program else None


def _defining(reply: Reply) -> Choice | None:
    """Return what defines wanted items: a block, else items outside of blocks."""
    parts = (*reply.candidates, *reply.edited)
    choice = choose_defining(parts, reply.wants, reply.deadline)
    if choice is not None and choice.candidate in reply.edited:
        return Choice(choice.candidate, ExtractionRule.PATCHED)
    if choice is not None or reply.wants.count == 0:
        return choice
    choice = choose_defining(_outside(reply), reply.wants, reply.deadline)
    return None if choice is None else Choice(choice.candidate, ExtractionRule.TRIMMED)


def _any_rust(reply: Reply) -> Choice | None:
    """Return the best guess where nothing defines a wanted item."""
    first = choose_first(reply.candidates)
    if first is not None:
        merged = complete(first, reply.candidates, reply.wants, reply.deadline)
        return Choice(
            merged or first, ExtractionRule.MERGED if merged else ExtractionRule.FIRST_RUST
        )
    parts = _outside(reply)
    if parts:
        merged = complete(parts[0], parts, reply.wants, reply.deadline)
        return Choice(merged or parts[0], ExtractionRule.TRIMMED)
    untagged = [part for part in reply.candidates if part.language is Language.UNSAID]
    return Choice(untagged[0], ExtractionRule.FIRST_RUST) if untagged else None


def _unparsed(reply: Reply) -> Choice | None:
    """Return a text that was too long for the parser unchanged, if it begins like code."""
    if reply.is_late and starts_code(reply.text):
        return Choice(candidate(reply.text, Language.UNSAID, reply.deadline), ExtractionRule.WHOLE)
    return None


def _outside(reply: Reply) -> tuple[Candidate, ...]:
    """Return the items outside of blocks, none if the time was too short for all of them."""
    text, end = reply.page.outside, 0
    parts: list[Candidate] = []
    for start, stop in run_spans(text, reply.deadline):
        part = candidate(text[start:stop], Language.UNSAID, reply.deadline)
        parts.append(placed(part, text[end:start], reply.known))
        end = stop
    return () if reply.is_late else tuple(parts)


def _continuation(reply: Reply, opening: Opening, joined: Joined) -> Choice | None:
    """Return the prompt's code continued by the text before any fence, if that is code."""
    head = reply.page.head
    if not head.strip() or (reply.candidates and not _CODE.search(head)):
        return None
    base = candidate(joined.code, Language.RUST, reply.deadline)
    if base.items.broken or _repeats(base, opening):
        return None
    rest = [
        candidate(code, Language.RUST, reply.deadline) for code in runs(joined.rest, reply.deadline)
    ]
    merged = complete(base, [base, *rest], reply.wants, reply.deadline)
    return Choice(merged or base, ExtractionRule.JOINED)


def _repetition(reply: Reply, opening: Opening) -> Choice | None:
    """Return code that begins the function again, with the prompt's code before it."""
    choice = _whole(reply) or _defining(reply)
    if choice is None or (opening.function and not _defines(choice.candidate, opening)):
        return None
    program = with_prelude(choice.candidate, opening.prelude, reply.deadline)
    return Choice(program, choice.rule)


def _body_block(reply: Reply, opening: Opening) -> Choice | None:
    """Return the prompt's code continued by the first block, unless some block is a program.

    Next to a program, a block of statements is an example of its use.
    """
    rust = [part for part in reply.candidates if part.language is not Language.OTHER]
    if any(part.is_program for part in rust):
        return None
    bodies = [body for part in rust if (body := _as_body(reply, opening, part)) is not None]
    clean = [body for body in bodies if not body.items.broken]
    return Choice((clean or bodies)[0], ExtractionRule.JOINED) if bodies else None


def _broken_body(reply: Reply, joined: Joined) -> Choice | None:
    """Return the prompt's code continued by a text that does not parse and looks like code."""
    if reply.candidates or not _CODE.search(reply.text) or is_refusal(reply.text):
        return None
    return Choice(candidate(joined.code, Language.RUST, reply.deadline), ExtractionRule.JOINED)


def _as_body(reply: Reply, opening: Opening, part: Candidate) -> Candidate | None:
    """Return the prompt's code continued by `part`, None when `part` is a program itself."""
    if part.is_program or _defines(part, opening):
        return None
    body = candidate(join(opening, part.code).code, part.language, reply.deadline)
    return None if _repeats(body, opening) else body


def _defines(part: Candidate, opening: Opening) -> bool:
    return opening.function in part.items.functions


def _repeats(joined: Candidate, opening: Opening) -> bool:
    """Tell whether the continuation begins again what the prompt had begun."""
    inner = [item for item in joined.items.items if item.scope is not Scope.TOP]
    if opening.function:
        return any(item.name == opening.function and item.scope is Scope.BODY for item in inner)
    return any(item.kind in _CONTAINERS for item in inner)
