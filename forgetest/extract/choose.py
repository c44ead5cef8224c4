"""Which part of a reply is the code: the one that defines what the case expects.

Judged by parsing, not by position; among equals the first one wins.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from forgetest.extract.blocks import Language
from forgetest.extract.candidate import Candidate
from forgetest.extract.merge import complete
from forgetest.extract.wants import Wants


class Rule(StrEnum):
    """Which rule chose the code."""

    DEFINING = "defining"  # the first block that defines everything wanted
    MERGED = "merged"  # several blocks, each of which defines what the others lack
    MOST = "most"  # the first block that defines the most of what is wanted
    FIRST_RUST = "first_rust"  # the first block of Rust; none defines what is wanted
    WHOLE = "whole"  # the whole text, which is Rust
    TRIMMED = "trimmed"  # the Rust that stands in the text without fences
    JOINED = "joined"  # a continuation, behind the prompt's own code
    FIRST = "first"  # as the extractor was told, like the next two
    LAST = "last"
    ALL = "all"
    NONE = "none"  # there is no code


@dataclass(frozen=True, slots=True)
class Choice:
    """Chosen code, and why."""

    candidate: Candidate
    rule: Rule


def choose_defining(
    candidates: Sequence[Candidate], wants: Wants, deadline: float
) -> Choice | None:
    """Return the code that defines at least one wanted item, None when nothing does.

    Blocks in other languages count only when no block of Rust defines anything wanted.
    """
    rust = [block for block in candidates if block.language is not Language.OTHER]
    others = [block for block in candidates if block.language is Language.OTHER]
    return _defining(rust, wants, deadline) or _defining(others, wants, deadline)


def choose_first(candidates: Sequence[Candidate]) -> Candidate | None:
    """Return the first block of Rust: so tagged, else untagged with items, else a program."""
    tagged = [part for part in candidates if part.language is Language.RUST]
    untagged = [part for part in candidates if part.language is Language.UNSAID]
    with_items = [part for part in untagged if part.items.items]
    programs = [part for part in candidates if part.is_program]
    return next(iter([*tagged, *with_items, *programs]), None)


def _defining(blocks: Sequence[Candidate], wants: Wants, deadline: float) -> Choice | None:
    found = {at: len(wants.found(block.items)) for at, block in enumerate(blocks)}
    best = max(found.values(), default=0)
    if best == 0:
        return None
    base = _first_good([blocks[at] for at, count in found.items() if count == best], wants)
    merged = complete(base, blocks, wants, deadline)
    if merged is not None:
        return Choice(merged, Rule.MERGED)
    return Choice(base, Rule.DEFINING if best == wants.count else Rule.MOST)


def _first_good(blocks: Sequence[Candidate], wants: Wants) -> Candidate:
    """Return the first block that is not a sketch and parses, as far as there is one."""
    return min(blocks, key=lambda block: (block.is_sketch(wants), block.items.broken))
