"""The parts of a reply that may be the code, with what each of them defines.

`complete` adds to a chosen part what it lacks and another part of the reply, or the prompt,
defines. Nothing is ever replaced: a part that defines something again is another version, not
another piece, and is left out as a whole. A `main` is a usage example and never added.
"""

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from tree_sitter import Tree

from forgetest.extract.blocks import (
    FencedBlock,
    Language,
    is_declarations,
    is_expression_macro,
    is_program,
)
from forgetest.extract.quotes import Given, says_optional
from forgetest.extract.wants import Wants
from forgetest.extract.wrappers import unescaped
from forgetest.rust.items import ItemKind, Items, imports_of, items_of
from forgetest.rust.parse import parse_within
from forgetest.rust.pieces import Piece, names_used, pieces_of
from forgetest.rust.stdlib import IN_SCOPE, STD_PLACES

_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|#39|#x27);")


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """Code that may be chosen: parsed once, asked often."""

    code: str
    language: Language
    items: Items
    tree: Tree | None = field(repr=False)  # None when a limit stopped the parser
    lead: str = ""  # the text before it
    quoted: bool = False  # it is code that the model was given

    @property
    def is_program(self) -> bool:
        """Whether it is a row of items that parses from end to end."""
        return self.tree is not None and is_program(self.tree)

    @property
    def is_declarations(self) -> bool:
        """Whether it could be part of a program: `use` lines alone are such a part."""
        return self.tree is not None and is_declarations(self.tree)

    def pieces(self) -> tuple[Piece, ...]:
        """Return its top-level pieces, none when it was not parsed."""
        return () if self.tree is None else pieces_of(self.tree, self.code.encode())

    def used(self) -> frozenset[str]:
        """Return the names it mentions, none when it was not parsed."""
        return frozenset() if self.tree is None else names_used(self.tree, self.code.encode())

    def found(self, wants: Wants) -> frozenset[str]:
        """Return which wanted items it defines, as far as its syntax shows."""
        return wants.found(self.items, self._bound())

    def possible(self, wants: Wants) -> frozenset[str]:
        """Return which other wanted items it may define: by a macro, by an `include!`."""
        pieces = [piece for piece in self.pieces() if not is_expression_macro(piece.macro)]
        hints = frozenset[str]().union(*(piece.hints for piece in pieces))
        included = any(piece.macro == "include" for piece in pieces)
        return (wants.all if included else wants.mentioned(hints)) - self.found(wants)

    def _bound(self) -> frozenset[str]:
        """Return the names that calls of macros and re-exports of its own items bind."""
        if self.tree is None:
            return frozenset()
        made = (piece.names for piece in self.pieces() if piece.macro)
        own = {item.name for item in self.items.top}
        exports = (
            entry.name
            for node in self.tree.root_node.named_children
            if node.type == "use_declaration"
            for entry in imports_of(node, self.code.encode(), public=True)
            if entry.head in own
        )
        return frozenset[str]().union(exports, *made)

    def is_sketch(self, wants: Wants) -> bool:
        """Tell whether it only declares a wanted function, without its body."""
        return any(
            function.hollow
            for name in wants.functions
            for function in self.items.functions_named(name)
        )


def candidate(code: str, language: Language, deadline: float) -> Candidate:
    """Return `code` as a candidate."""
    data = code.encode()
    tree = parse_within(data, deadline)
    items = Items(broken=True) if tree is None else items_of(tree, data)
    return Candidate(code, language, items, tree)


def from_blocks(
    blocks: Iterable[FencedBlock], known: Given, deadline: float
) -> tuple[Candidate, ...]:
    """Return a candidate for each block.

    Its HTML entities and escaped line breaks are undone where only that makes it Rust.
    """
    return tuple(placed(_from_block(block, deadline), block.lead, known) for block in blocks)


def placed(part: Candidate, lead: str, known: Given) -> Candidate:
    """Return a candidate with the prose before it, and whether it quotes given code."""
    return replace(part, lead=lead, quoted=known.holds(part.code))


def _from_block(block: FencedBlock, deadline: float) -> Candidate:
    plain = candidate(block.code.removeprefix("\ufeff"), block.language, deadline)
    if plain.is_program:
        return plain
    for code in (_ENTITY.sub(_undo, plain.code), unescaped(plain.code, deadline)):
        undone = plain if code == plain.code else candidate(code, block.language, deadline)
        if undone.is_program:
            return undone
    return plain


def _undo(entity: re.Match[str]) -> str:
    return html.unescape(entity.group())


_TYPES = frozenset({"struct_item", "enum_item", "union_item", "type_item", "trait_item"})
_KNOWN = IN_SCOPE | frozenset(STD_PLACES)
_STD_IMPORT = re.compile(r"(?:pub\s+)?use\s+(?:::)?(?:std|core|alloc)\b")


@dataclass(frozen=True, slots=True)
class _Part:
    """One part of a reply with all that decides whether it fits with others."""

    pieces: tuple[Piece, ...]
    used: frozenset[str]
    supplies: frozenset[str]  # the wanted items that it defines
    possible: frozenset[str] = frozenset()  # wanted items that a macro of it may define
    optional: bool = False  # the reply calls it optional
    whole: str = ""  # its source, while no piece of it is left out

    @property
    def names(self) -> frozenset[str]:
        return frozenset[str]().union(*(piece.names for piece in self.pieces))

    @property
    def hints(self) -> frozenset[str]:
        """Names that its calls of macros mention, and so may define."""
        calls = (piece for piece in self.pieces if piece.macro)
        return frozenset[str]().union(*(p.hints for p in calls if not is_expression_macro(p.macro)))

    @property
    def macros(self) -> frozenset[str]:
        """The macros that it defines; they are in scope behind their definition."""
        rules = (piece.names for piece in self.pieces if piece.type == "macro_definition")
        return frozenset[str]().union(*rules)

    @property
    def text(self) -> str:
        return self.whole or "\n\n".join(piece.text.strip() for piece in self.pieces)

    @property
    def has_head(self) -> bool:
        """Whether it must stay at the top of its file."""
        return any(map(_is_head, self.pieces))


@dataclass(frozen=True, slots=True)
class _Lack:
    """What the chosen parts still lack."""

    names: frozenset[str]  # that they mention and do not define
    wanted: frozenset[str]  # that the case wants, each with its kind
    types: frozenset[str]  # their own types, where their `impl`s may be in other parts

    def is_met_by(self, part: _Part) -> bool:
        """Tell whether a part defines some of it, or may well define it."""
        if part.supplies & self.wanted or part.names & self.names or part.possible & self.wanted:
            return True
        strange = {name for name in self.names if name[:1].isupper() and name not in _KNOWN}
        if part.hints & strange:
            return True
        return not part.optional and _extends(part, self.types)


def complete(
    base: Candidate, others: Sequence[Candidate], wants: Wants, deadline: float
) -> Candidate | None:
    """Return `base` with those of `others` that it needs; None when it needs none of them.

    A part is needed when it defines something wanted or something that the code mentions. Where
    the reply gives its types in pieces, the `impl`s of these types are needed, too.
    `others` are all parts of the reply in their order, `base` among them.
    """
    if not base.is_declarations or len(others) == 1:
        return None
    parts = {at: _part(other, wants) for at, other in enumerate(others) if other.is_declarations}
    first = others.index(base)
    chosen = {first: parts.pop(first)}
    in_pieces = _is_in_pieces(chosen[first], wants)
    while (added := _next_part(tuple(chosen.values()), parts, in_pieces=in_pieces)) is not None:
        at, part = added
        chosen[at] = part
        del parts[at]
    if len(chosen) == 1:
        return None
    merged = candidate(_compose(first, chosen), base.language, deadline)
    return merged if merged.is_declarations else None


def with_prelude(base: Candidate, prelude: Iterable[Piece], deadline: float) -> Candidate:
    """Return `base` with those items of the prompt that it does not define itself.

    The prompt's imports are added where they cannot fail: from the standard library, or used.
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
    impls = {item.name for item in source.items.top if item.kind is ItemKind.IMPL}
    supplies = source.found(wants) | (impls & set(wants.impls))
    return _Part(
        pieces=source.pieces(),
        used=source.used(),
        supplies=frozenset(supplies),
        possible=source.possible(wants),
        optional=says_optional(source.lead),
        whole=source.code,
    )


def _is_in_pieces(base: _Part, wants: Wants) -> bool:
    """Tell whether the chosen part may be one of several: nothing shows that it is whole."""
    if not wants.known or wants.all - base.supplies:
        return True
    types = frozenset[str]().union(*(p.names for p in base.pieces if p.type in _TYPES))
    return bool(types) and not any(piece.type == "impl_item" for piece in base.pieces)


def _extends(part: _Part, types: frozenset[str]) -> bool:
    """Tell whether a part consists of `impl`s for some of these types."""
    impls = [piece for piece in part.pieces if piece.type == "impl_item"]
    rest = [p for p in part.pieces if p.type != "impl_item" and not (p.is_import or _is_head(p))]
    return bool(impls) and not rest and all(piece.owner in types for piece in impls)


def _next_part(
    chosen: tuple[_Part, ...], parts: dict[int, _Part], *, in_pieces: bool
) -> tuple[int, _Part] | None:
    """Return the next part to add with its place, reduced to what is new in it."""
    pieces = [piece for part in chosen for piece in part.pieces]
    names = frozenset[str]().union(*(piece.names for piece in pieces))
    types = (piece.names for piece in pieces if piece.type in _TYPES)
    lack = _Lack(
        names=frozenset[str]().union(*(part.used for part in chosen)) - names,
        wanted=_wanted(parts) - frozenset[str]().union(*(part.supplies for part in chosen)),
        types=frozenset[str]().union(*types) if in_pieces else frozenset(),
    )
    texts = frozenset(map(_words, pieces))
    for at, part in parts.items():
        fresh = _fresh(part, names, texts)
        if fresh and lack.is_met_by(fresh):
            return at, fresh
    return None


def _wanted(parts: dict[int, _Part]) -> frozenset[str]:
    """Return all wanted items that some part supplies, or may supply."""
    return frozenset[str]().union(*(part.supplies | part.possible for part in parts.values()))


def _fresh(part: _Part, names: frozenset[str], texts: frozenset[str]) -> _Part | None:
    """Return the part without what is there already; None if it defines some of that anew."""
    kept = [piece for piece in part.pieces if not _is_idle(piece, names, texts)]
    if not kept or any(piece.names & names for piece in kept):
        return None
    whole = part.whole if len(kept) == len(part.pieces) else ""
    return replace(part, pieces=tuple(kept), whole=whole)


def _is_idle(piece: Piece, names: frozenset[str], texts: frozenset[str]) -> bool:
    known_import = piece.is_import and bool(piece.names) and piece.names <= names
    return piece.is_main or _is_head(piece) or known_import or _words(piece) in texts


def _compose(first: int, chosen: dict[int, _Part]) -> str:
    """Return the parts in the order of the reply, but those that must be at the top first.

    A macro must be defined before its use, so a part that defines one comes earlier.
    """
    top = [first] if chosen[first].has_head else []
    order = [*top, *(at for at in sorted(chosen) if at not in top)]
    for at in tuple(order):
        users = [other for other in order if chosen[at].macros & chosen[other].used]
        place = min(map(order.index, users), default=len(order))
        if place < order.index(at) and not chosen[order[place]].has_head:
            order.remove(at)
            order.insert(place, at)
    return "\n\n".join(chosen[at].text for at in order)


def _is_head(piece: Piece) -> bool:
    """Tell whether a piece applies to its whole file: `#![...]` or `//!`."""
    return piece.type == "inner_attribute_item" or piece.type.endswith("_comment")


def _is_std(piece: Piece) -> bool:
    return _STD_IMPORT.match(piece.text.strip()) is not None


def _words(piece: Piece) -> str:
    return " ".join(piece.text.split())
