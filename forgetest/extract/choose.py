"""Which part of a reply is the code: the one that defines what the case expects.

What a part defines is found by parsing. Among equals the first wins.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from forgetest.extract.blocks import Language
from forgetest.extract.candidates import Candidate, complete
from forgetest.extract.quotes import says_final, says_old
from forgetest.extract.types import ExtractionRule
from forgetest.extract.wants import Wants
from forgetest.rust.lexer import spelled


@dataclass(frozen=True, slots=True)
class Choice:
    """Chosen code, and why."""

    candidate: Candidate
    rule: ExtractionRule


def choose_defining(
    candidates: Sequence[Candidate], wants: Wants, deadline: float
) -> Choice | None:
    """Return the code that defines at least one wanted item, None when nothing does.

    Blocks in other languages count only when no block of Rust defines anything wanted, and blocks
    that merely may define something come last.
    """
    rust = answers([part for part in candidates if part.language is not Language.OTHER], wants)
    others = answers([part for part in candidates if part.language is Language.OTHER], wants)
    return (
        _defining(rust, wants, deadline)
        or _defining(others, wants, deadline)
        or _possible(rust, wants, deadline)
    )


def choose_first(candidates: Sequence[Candidate]) -> Candidate | None:
    """Return the first block of Rust: by its tag, else untagged with items, else a program.

    Code that was given, or that the reply calls wrong, comes after all others.
    """
    tagged = [part for part in candidates if part.language is Language.RUST]
    untagged = [part for part in candidates if part.language is Language.UNSAID]
    with_items = [part for part in untagged if part.items.items]
    programs = [part for part in candidates if part.is_program]
    rust = [*tagged, *with_items, *programs]
    return next(iter(sorted(rust, key=_is_no_answer)), None)


def answers(candidates: Sequence[Candidate], wants: Wants) -> list[Candidate]:
    """Return the candidates without given and wrong code, if others define the same.

    Wrong is code that the reply itself calls wrong.
    """
    kept = [part for part in candidates if not _is_no_answer(part)]
    if not kept or len(kept) == len(candidates):
        return list(candidates)
    wanted = frozenset[str]().union(*(part.found(wants) for part in kept))
    names = frozenset[str]().union(*(_names(part) for part in kept))
    return [
        part
        for part in candidates
        if not _is_no_answer(part) or not _is_defined(part, wants, wanted, names)
    ]


def _is_defined(
    part: Candidate, wants: Wants, wanted: frozenset[str], names: frozenset[str]
) -> bool:
    """Tell whether others define the same: its wanted items, or all its items if none is wanted."""
    defined = part.found(wants)
    return defined <= wanted if defined else _names(part) <= names


def _names(part: Candidate) -> frozenset[str]:
    return frozenset(f"{item.kind} {item.name}" for item in part.items.top)


def _is_no_answer(part: Candidate) -> bool:
    return part.quoted or says_old(part.lead)


def _defining(blocks: Sequence[Candidate], wants: Wants, deadline: float) -> Choice | None:
    counts = {at: len(block.found(wants)) for at, block in enumerate(blocks)}
    best = max(counts.values(), default=0)
    if best == 0:
        return None
    whole = [blocks[at] for at, count in counts.items() if count == best]
    base = _first_good(whole, wants)
    final = _final(base, whole, wants)
    if final is not None:
        blocks = [block for block in blocks if block is final or block not in whole]
    merged = complete(final or base, blocks, wants, deadline)
    if merged is not None:
        return Choice(merged, ExtractionRule.MERGED)
    if final is not None:
        return Choice(final, ExtractionRule.CORRECTED)
    return Choice(base, ExtractionRule.DEFINING if best == wants.count else ExtractionRule.MOST)


def _possible(blocks: Sequence[Candidate], wants: Wants, deadline: float) -> Choice | None:
    """Return the block that may define the most of what is wanted, by a macro or an include."""
    counts = {at: len(block.possible(wants)) for at, block in enumerate(blocks)}
    best = max(counts.values(), default=0)
    if best == 0:
        return None
    base = next(blocks[at] for at, count in counts.items() if count == best)
    merged = complete(base, blocks, wants, deadline)
    return Choice(merged or base, ExtractionRule.MERGED if merged else ExtractionRule.POSSIBLE)


def _first_good(blocks: Sequence[Candidate], wants: Wants) -> Candidate:
    """Return the first block, preferring those that are not sketches, then those that parse."""
    return min(blocks, key=lambda block: (block.is_sketch(wants), block.items.broken))


def _final(base: Candidate, whole: Sequence[Candidate], wants: Wants) -> Candidate | None:
    """Return the last block behind `base` that defines as much and that the reply calls right."""
    wanted, tokens = base.found(wants), spelled(base.code)
    later = [
        block
        for block in whole[whole.index(base) + 1 :]
        if says_final(block.lead, base.lead)
        and spelled(block.code) != tokens
        and wanted <= block.found(wants)
        and not block.is_sketch(wants)
        and (base.items.broken or not block.items.broken)
    ]
    return later[-1] if later else None
