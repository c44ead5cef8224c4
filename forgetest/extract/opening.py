"""The code that a prompt ends in: a function begun and left for the model to continue.

Joining is done on text and brackets, for a body is no item that could be parsed alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from tree_sitter import Node, Tree

from forgetest.extract.blocks import Language, layout
from forgetest.extract.keywords import item_lines
from forgetest.rust.items import text_of
from forgetest.rust.lexer import Ending, lex
from forgetest.rust.parse import parse_within
from forgetest.rust.pieces import Piece, pieces_of

_MAX_STARTS = 32  # lines of a prompt that are tried as the first line of its code


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
    """Return the code that the prompt leaves open, None when it leaves none."""
    for code in _starts(prompt.encode("utf-8", "replace").decode()):
        lexed = lex(code)
        closing = _closing(lexed.depth, lexed.ending)
        tree = parse_within((code + closing).encode(), deadline)
        if tree is not None and not tree.root_node.has_error:
            return _opening(code, closing, lexed.depth, tree)
    return None


def join(opening: Opening, body: str) -> Joined:
    """Return the prompt's code continued by `body`, closed where the model left that to others."""
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
    """Return what must stand between the prompt's code and the body."""
    if opening.depth > 0:
        newline = opening.code.rstrip(" \t").endswith("{") or _in_comment(opening.code)
        return "\n" if newline and not body.startswith(("\n", "\r\n")) else ""
    blank = "\n" if _in_comment(opening.code) else " "
    if not body.lstrip().startswith(("{", "where", "->")):
        return f"{blank}{{\n"
    return "" if body[0] in f"{blank}\n" else blank


def _in_comment(code: str) -> bool:
    return lex(code).ending is Ending.LINE_COMMENT
