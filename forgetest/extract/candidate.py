"""A piece of a reply that may be the code, with what it defines."""

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from tree_sitter import Tree

from forgetest.extract.blocks import Block, Language
from forgetest.extract.keywords import is_expression_macro
from forgetest.extract.prose import is_declarations, is_program
from forgetest.extract.quotes import Given
from forgetest.extract.wants import Wants
from forgetest.extract.wrappers import unescaped
from forgetest.rust.items import Items, imports_of, items_of
from forgetest.rust.parse import parse_within
from forgetest.rust.pieces import Piece, names_used, pieces_of

_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|#39|#x27);")


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """Code that may be chosen: parsed once, asked often."""

    code: str
    language: Language
    items: Items
    tree: Tree | None = field(repr=False)  # None when a limit stopped the parser
    lead: str = ""  # the text that stands before it
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
        """Return which wanted items it defines, for all that its syntax shows."""
        return wants.found(self.items, self._bound())

    def possible(self, wants: Wants) -> frozenset[str]:
        """Return which wanted items it may define beside these: by a macro, by an `include!`."""
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
        """Tell whether a wanted function is only announced in it."""
        return any(
            function.hollow
            for name in wants.functions
            for function in self.items.functions_named(name)
        )


def candidate(code: str, language: Language, deadline: float) -> Candidate:
    """Return the candidate that `code` makes."""
    data = code.encode()
    tree = parse_within(data, deadline)
    items = Items(broken=True) if tree is None else items_of(tree, data)
    return Candidate(code, language, items, tree)


def from_blocks(blocks: Iterable[Block], known: Given, deadline: float) -> tuple[Candidate, ...]:
    """Return a candidate for each block.

    Its HTML entities and escaped line breaks are undone where only that makes it Rust.
    """
    found = ((_from_block(block, deadline), block.lead) for block in blocks)
    return tuple(placed(part, lead, known) for part, lead in found)


def placed(part: Candidate, lead: str, known: Given) -> Candidate:
    """Return a candidate with what its place in a reply says of it."""
    return replace(part, lead=lead, quoted=known.holds(part.code))


def _from_block(block: Block, deadline: float) -> Candidate:
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
