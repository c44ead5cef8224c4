"""Adding to chosen code what it lacks and another part of the reply, or the prompt, defines.

Nothing is ever replaced: a part that defines something anew is another version, not another
piece, and is left out as a whole. A `main` is a usage example and never added.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from forgetest.extract.candidate import Candidate, candidate
from forgetest.extract.wants import Wants
from forgetest.rust.items import Kind
from forgetest.rust.pieces import Piece

_STD_IMPORT = re.compile(r"(?:pub\s+)?use\s+(?:::)?(?:std|core|alloc)\b")


@dataclass(frozen=True, slots=True)
class _Part:
    """One part of a reply with all that decides whether it fits to others."""

    pieces: tuple[Piece, ...]
    used: frozenset[str]
    supplies: frozenset[str]  # the wanted items that it defines
    whole: str = ""  # its source, while no piece of it is left out

    @property
    def names(self) -> frozenset[str]:
        return frozenset[str]().union(*(piece.names for piece in self.pieces))

    @property
    def text(self) -> str:
        return self.whole or "\n\n".join(piece.text.strip() for piece in self.pieces)

    @property
    def has_head(self) -> bool:
        """Whether it must stay at the top of its file."""
        return any(map(_is_head, self.pieces))


def complete(
    base: Candidate, others: Sequence[Candidate], wants: Wants, deadline: float
) -> Candidate | None:
    """Return `base` with those of `others` that it needs; None when it needs none of them.

    A part is needed when it defines something wanted or something that the code mentions.
    `others` are all parts of the reply in their order, `base` among them.
    """
    if not base.is_program or len(others) == 1:
        return None
    parts = {at: _part(other, wants) for at, other in enumerate(others) if other.is_declarations}
    first = others.index(base)
    chosen = {first: parts.pop(first)}
    while (found := _next_part(tuple(chosen.values()), parts)) is not None:
        at, part = found
        chosen[at] = part
        del parts[at]
    if len(chosen) == 1:
        return None
    merged = candidate(_compose(first, chosen), base.language, deadline)
    return merged if merged.is_program else None


def with_prelude(base: Candidate, prelude: Iterable[Piece], deadline: float) -> Candidate:
    """Return `base` with those items of the prompt that it does not define itself.

    The prompt's imports come along where they can not fail: from the standard library, or used.
    """
    own = _part(base, Wants())
    missing = tuple(
        piece
        for piece in prelude
        if not piece.names & own.names
        and not _is_head(piece)
        and (not piece.is_import or piece.names & own.used or _is_std(piece))
    )
    if not missing or base.tree is None:
        return base
    added = _Part(missing, frozenset(), frozenset()).text
    texts = [base.code, added] if own.has_head else [added, base.code]
    return candidate("\n\n".join(texts), base.language, deadline)


def _part(source: Candidate, wants: Wants) -> _Part:
    impls = {item.name for item in source.items.top if item.kind is Kind.IMPL}
    supplies = wants.found(source.items) | (impls & set(wants.impls))
    return _Part(source.pieces(), source.used(), frozenset(supplies), source.code)


def _next_part(chosen: tuple[_Part, ...], parts: dict[int, _Part]) -> tuple[int, _Part] | None:
    """Return the next part to add with its place, reduced to what is new in it."""
    names = frozenset[str]().union(*(part.names for part in chosen))
    supplied = frozenset[str]().union(*(part.supplies for part in chosen))
    needed = frozenset[str]().union(*(part.used for part in chosen)) - names
    texts = frozenset(_words(piece) for part in chosen for piece in part.pieces)
    for at, part in parts.items():
        fresh = _fresh(part, names, texts)
        if fresh and (part.supplies - supplied or fresh.names & needed):
            return at, fresh
    return None


def _fresh(part: _Part, names: frozenset[str], texts: frozenset[str]) -> _Part | None:
    """Return the part without what is there already; None when it says something else of it."""
    kept = [piece for piece in part.pieces if not _is_idle(piece, names, texts)]
    if not kept or any(piece.names & names for piece in kept):
        return None
    whole = part.whole if len(kept) == len(part.pieces) else ""
    return replace(part, pieces=tuple(kept), whole=whole)


def _is_idle(piece: Piece, names: frozenset[str], texts: frozenset[str]) -> bool:
    known_import = piece.is_import and bool(piece.names) and piece.names <= names
    return piece.is_main or _is_head(piece) or known_import or _words(piece) in texts


def _compose(first: int, chosen: dict[int, _Part]) -> str:
    """Return the parts in the order of the reply, what must stand at the top before all."""
    top = [first] if chosen[first].has_head else []
    order = [*top, *(at for at in sorted(chosen) if at not in top)]
    return "\n\n".join(chosen[at].text for at in order)


def _is_head(piece: Piece) -> bool:
    """Tell whether a piece speaks about its whole file: `#![...]` or `//!`."""
    return piece.type == "inner_attribute_item" or piece.type.endswith("_comment")


def _is_std(piece: Piece) -> bool:
    return _STD_IMPORT.match(piece.text.strip()) is not None


def _words(piece: Piece) -> str:
    return " ".join(piece.text.split())
