"""What a case expects the code to define, and how a reply continues the code of its prompt.

`Wants` is what the case says about items, anywhere. `Opening` is a function that the prompt begins
and leaves to the model; `join` puts the two together by brackets, because a body alone cannot be
parsed as an item.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from tree_sitter import Node, Tree

from forgetest.evalset.types import Case
from forgetest.extract.blocks import Language, item_lines, layout
from forgetest.rust.items import Item, ItemKind, Items, Scope, defined_items, text_of
from forgetest.rust.lexer import Ending, lex
from forgetest.rust.parse import cpu_deadline, parse_within
from forgetest.rust.pieces import Piece, pieces_of

_MAX_STARTS = 32  # lines of a prompt that are tried as the start of its code


@dataclass(frozen=True, slots=True)
class Opening:
    """Code that ends inside a function, or right before the body of one."""

    code: str
    function: str  # the name of the function to continue, empty inside an impl or module
    depth: int  # how many braces are open, 0 when the body's own brace is not written yet
    prelude: tuple[Piece, ...]  # the items before it, which are complete


@dataclass(frozen=True, slots=True)
class Joined:
    """A continued function."""

    code: str  # up to the brace that ends what the prompt began
    rest: str  # what the model wrote behind it


def find_opening(prompt: str, deadline: float) -> Opening | None:
    """Return the code that the prompt leaves open, None if there is none."""
    for code in _starts(prompt.encode("utf-8", "replace").decode()):
        lexed = lex(code)
        closing = _closing(lexed.depth, lexed.ending)
        tree = parse_within((code + closing).encode(), deadline)
        if tree is not None and not tree.root_node.has_error:
            return _opening(code, closing, lexed.depth, tree)
    return None


def join(opening: Opening, body: str) -> Joined:
    """Return the prompt's code continued by `body`, with the missing brackets closed."""
    start = opening.code + _between(opening, body)
    text = start + body
    lexed = lex(text)
    for mark in lexed.marks:
        if mark.at >= len(opening.code) and mark.char == "}" and mark.depth <= 0:
            return Joined(text[: mark.at + 1], text[mark.at + 1 :])
    # Only what the prompt opened is closed: a body cut off inside a block of its own stays broken.
    missing = min(lexed.depth, max(opening.depth, 1))
    return Joined(text.rstrip() + "\n" + "}" * missing + "\n", "")


def _starts(prompt: str) -> Iterator[str]:
    """Yield the texts that may be the prompt's code: its last blocks, else its tail."""
    blocks = [block for block in layout(prompt).blocks if block.language is not Language.OTHER]
    if blocks:
        yield from (block.code for block in reversed(blocks[-_MAX_STARTS:]))
    else:
        yield from (prompt[at:] for at in islice(item_lines(prompt), _MAX_STARTS))


def _closing(depth: int, ending: Ending) -> str:
    if depth > 0:
        return "\n" + "}" * depth
    return "\n{}" if ending is Ending.LINE_COMMENT else " {}"


def _opening(code: str, closing: str, depth: int, tree: Tree) -> Opening | None:
    data = (code + closing).encode()
    at = len(code.encode())
    function = _function_at(tree.root_node, at)
    if depth <= 0 and function is None:
        return None  # closed code, with an empty block behind it
    name = text_of(function.child_by_field_name("name"), data) if function else ""
    return Opening(code, name, max(depth, 0), pieces_of(tree, data)[:-1])


def _function_at(root: Node, at: int) -> Node | None:
    """Return the innermost function that goes on behind the byte `at`."""
    node = root.descendant_for_byte_range(max(at - 1, 0), at)
    while node is not None and not (node.type == "function_item" and node.end_byte > at):
        node = node.parent
    return node


def _between(opening: Opening, body: str) -> str:
    """Return what must come between the prompt's code and the body."""
    if opening.depth > 0:
        newline = opening.code.rstrip(" \t").endswith("{") or _in_comment(opening.code)
        return "\n" if newline and not body.startswith(("\n", "\r\n")) else ""
    blank = "\n" if _in_comment(opening.code) else " "
    if not body.lstrip().startswith(("{", "where", "->")):
        return f"{blank}{{\n"
    return "" if body[0] in f"{blank}\n" else blank


def _in_comment(code: str) -> bool:
    return lex(code).ending is Ending.LINE_COMMENT


_PARSE_SECS = 2.0
_INLINE = re.compile(r"(?<!`)`([^`\n]*\b(?:fn|struct|enum|trait)\s[^`\n]*)`(?!`)")
_TYPES = frozenset({ItemKind.STRUCT, ItemKind.ENUM, ItemKind.UNION, ItemKind.TRAIT, ItemKind.ALIAS})
_OTHERS = frozenset({ItemKind.CONST, ItemKind.STATIC, ItemKind.MACRO})


@dataclass(frozen=True, slots=True)
class Wants:
    """Names by kind; a method may be wanted as `Type::method`."""

    functions: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    others: tuple[str, ...] = ()  # constants, statics and macros
    impls: tuple[str, ...] = ()  # `Trait for Type`; not required: a derive may replace one
    known: bool = field(default=False, compare=False)  # all that is wanted, by a reference

    @property
    def count(self) -> int:
        """How many items the code must define."""
        return len(self.functions) + len(self.types) + len(self.others)

    @property
    def all(self) -> frozenset[str]:
        """All items that the code must define, each name with its kind."""
        names = (*self.functions, *self.types, *self.others)
        return self.mentioned(frozenset(name.rpartition("::")[2].rstrip("!") for name in names))

    def found(self, items: Items, also: frozenset[str] = frozenset()) -> frozenset[str]:
        """Return which of the wanted items are defined, each name with its kind.

        `also` are names of unknown kind: re-exports, and what macros define.
        """
        others = {_plain(item.name) for item in items.reachable() if item.kind in _OTHERS} | also
        types = {_plain(name) for name in items.types} | also
        return frozenset(
            {f"fn {name}" for name in self.functions if _has(name, items, others)}
            | {f"type {name}" for name in self.types if name.rpartition("::")[2] in types}
            | {f"other {name}" for name in self.others if name.rstrip("!") in others}
        )

    def mentioned(self, names: frozenset[str]) -> frozenset[str]:
        """Return which of the wanted items have one of these names, each with its kind."""
        kinds = (("fn", self.functions), ("type", self.types), ("other", self.others))
        return frozenset(
            f"{kind} {name}"
            for kind, wanted in kinds
            for name in wanted
            if name.rpartition("::")[2].rstrip("!") in names
        )


def wants(case: Case) -> Wants:
    """Return what the code of a case must define.

    The expectations name it; for the rest it is the public API of the reference solution. Without
    either, it is what the prompt's own code declares.
    """
    expected = case.expectations
    deadline = cpu_deadline(_PARSE_SECS)
    if case.reference_solution:
        known = _api(defined_items(case.reference_solution, deadline))
    elif expected.expected_functions or expected.expected_types:
        known = Wants()
    else:
        known = _from_prompt(case.prompt, deadline)
    return Wants(
        functions=expected.expected_functions or known.functions,
        types=expected.expected_types or known.types,
        others=known.others,
        impls=known.impls,
        known=bool(case.reference_solution),
    )


def _api(items: Items) -> Wants:
    """Return the public items at the crate root, or all of them where nothing is public."""
    top = [item for item in items.top if not _is_main(item)]
    public = [item for item in top if item.public] or top
    types = _names(public, _TYPES)
    methods = [
        f"{item.owner}::{item.name}"
        for item in items.reachable()
        if item.kind is ItemKind.METHOD
        and item.public
        and not item.of_trait
        and item.owner in types
    ]
    return Wants(
        functions=_unique([*_names(public, {ItemKind.FUNCTION}), *methods]),
        types=types,
        others=_names(public, _OTHERS),
        impls=_unique(i.name for i in top if i.kind is ItemKind.IMPL and " for " in i.name),
    )


def _from_prompt(prompt: str, deadline: float) -> Wants:
    """Return what the prompt's code leaves to be written, or else all that it declares."""
    declared = [item for code in _prompt_codes(prompt, deadline) for item in code.reachable()]
    items = [item for item in declared if not _is_main(item) and item.scope is not Scope.MODULE]
    functions = [item for item in items if item.kind in {ItemKind.FUNCTION, ItemKind.METHOD}]
    due = [item for item in functions if item.hollow] or functions
    names = [f"{i.owner}::{i.name}" if i.kind is ItemKind.METHOD else i.name for i in due]
    return Wants(functions=_unique(names), types=_names(items, _TYPES))


def _prompt_codes(prompt: str, deadline: float) -> list[Items]:
    """Return what the code in a prompt declares."""
    sources = [defined_items(code, deadline) for code in prompt_sources(prompt, deadline)]
    return sources if any(items.items for items in sources) else []


def prompt_sources(prompt: str, deadline: float) -> list[str]:
    """Return the code in a prompt, closed where it is open: at its end, in blocks, in a sentence.

    Each source is one of them; those in sentences count when no block declares anything.
    """
    opening = find_opening(prompt, deadline)
    if opening is not None:
        missing = "{}" if opening.depth == 0 else "}" * opening.depth
        return [f"{opening.code}\n{missing}"]
    blocks = [block for block in layout(prompt).blocks if block.language is not Language.OTHER]
    codes = [block.code for block in blocks]
    if any(defined_items(code, deadline).items for code in codes):
        return codes
    return [f"{span.rstrip(';')} {{}}" for span in _INLINE.findall(prompt)]


def _has(name: str, items: Items, others: frozenset[str] | set[str]) -> bool:
    """Tell whether a wanted function is there: a constant or a macro may be one by its name."""
    owner, _, last = name.rpartition("::")
    raw = f"{owner}::r#{last}" if owner else f"r#{last}"
    functions = items.functions_named(name) or items.functions_named(raw)
    return bool(functions) or name.rstrip("!") in others


def _plain(name: str) -> str:
    return name.removeprefix("r#")


def _is_main(item: Item) -> bool:
    return item.kind is ItemKind.FUNCTION and item.name == "main"


def _names(items: Iterable[Item], kinds: Iterable[ItemKind]) -> tuple[str, ...]:
    return _unique(item.name for item in items if item.kind in kinds)


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
