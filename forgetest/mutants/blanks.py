"""Implementations that do no work.

`blanks` gives those of a reference solution: the same items, each body a plain value of its type.
`skeleton` gives the items that a prompt declares, for cases without a reference: tests that compile
against it need nothing but what the prompt says.
"""

import re
from collections.abc import Iterator

from tree_sitter import Node, Tree

from forgetest.evalset.types import Case
from forgetest.extract.blocks import Language, layout, starts_item
from forgetest.extract.wants import find_opening
from forgetest.mutants.control import values_in
from forgetest.mutants.mutant import Blank, ParsedSolution
from forgetest.mutants.plain import Fullness
from forgetest.mutants.tree import declared_types, parse_solution
from forgetest.rust.items import text_of
from forgetest.rust.lexer import Ending, lex
from forgetest.rust.parse import cpu_deadline, parse, parse_within
from forgetest.rust.pieces import Piece, pieces_of
from forgetest.rust.stub import stub, with_bodies

_LEVELS = {"empty": Fullness.EMPTY, "constant": Fullness.ONE, "constant 2": Fullness.TWO}
_TODO = "todo!()"


def blanks(code: str) -> tuple[Blank, ...]:
    """Return the implementations of a solution's items that do no work, each code once.

    A body whose type has no plain value stays `todo!()`. What the compiler itself runs is kept,
    as in a stub. Code that `mutants` refuses has none.
    """
    if parse_solution(code) is None:
        return ()
    data = code.encode("utf-8", "replace")
    source = ParsedSolution(data, parse(data).root_node)
    found = {stub(code): "panicking"}
    for name, level in _LEVELS.items():
        found.setdefault(_filled(code, source, level), name)
    return tuple(Blank(name, text) for text, name in found.items() if text != code)


def _filled(code: str, source: ParsedSolution, level: Fullness) -> str:
    types = declared_types(source.root, source.data)

    def body(function: Node) -> str:
        type_ = function.child_by_field_name("return_type")
        value = values_in(function, source, types).of(type_, level)
        return _TODO if value is None else "" if type_ is None else value

    return with_bodies(code, body)


_PARSE_SECS = 5.0
_SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_INDENTED = re.compile(r"(?:^(?: {4}|\t).*(?:\n|$)|(?<=\n)\s*\n(?= {4}|\t))+", re.MULTILINE)
_WORDS = r"(?:pub(?:\([^()\n]*\))?[ \t]+)?(?:(?:async|const|unsafe)[ \t]+)*"
_SELF = re.compile(r"\b[Ss]elf\b")
_HEADER_LINE = re.compile(rf"^([ \t]*{_WORDS}fn[^{{}};\n]*[\w>)\]])[ \t]*$", re.MULTILINE)


def skeleton(case: Case) -> str | None:
    """Return the items that the case's prompt declares with `todo!()` bodies.

    None when it holds no code, or methods without saying in code whose they are.
    """
    deadline = cpu_deadline(_PARSE_SECS)
    opening = find_opening(case.prompt, deadline)
    if opening is not None:
        return _stub(opening.code + _closing(opening.code))
    found: dict[frozenset[str], Piece] = {}
    for text in _codes(case.prompt):
        for piece in _declared(text, deadline):
            found.setdefault(piece.names, piece)
    if not found or any(map(_is_method, found.values())):
        return None
    return _stub("\n\n".join(piece.text for piece in found.values()) + "\n")


def _stub(code: str) -> str | None:
    return None if parse_solution(code) is None else stub(code)


def _is_method(piece: Piece) -> bool:
    return piece.type == "function_item" and _SELF.search(piece.text) is not None


def _closing(code: str) -> str:
    lexed = lex(code)
    if lexed.depth > 0:
        return "\n" + "}" * lexed.depth + "\n"
    return "\n{}\n" if lexed.ending is Ending.LINE_COMMENT else " {}\n"


def _codes(prompt: str) -> Iterator[str]:
    """Yield the texts of a prompt that may be items: blocks, indented lines, code within prose."""
    taken = layout(prompt)
    for block in taken.blocks:
        if block.language is not Language.OTHER:
            yield block.code
    prose = taken.outside
    for match in _INDENTED.finditer(prose):
        yield match.group()
    for match in _SPAN.finditer(prose):
        if starts_item(match[1]):
            yield match[1]


def _declared(text: str, deadline: float) -> Iterator[Piece]:
    """Yield the items in a text, if it holds nothing else; a function may lack its end."""
    for code in (text, _HEADER_LINE.sub(r"\1;", text), f"{text.rstrip()} {{}}"):
        data = code.encode("utf-8", "replace")
        tree = parse_within(data, deadline)
        if tree is not None and not tree.root_node.has_error and _is_items(tree):
            yield from _named(code, tree, deadline)
            return


def _is_items(tree: Tree) -> bool:
    children = tree.root_node.named_children
    return bool(children) and all(
        child.type.endswith(("_item", "_declaration", "_comment", "_definition"))
        and child.type != "let_declaration"
        for child in children
    )


def _named(code: str, tree: Tree, deadline: float) -> Iterator[Piece]:
    """Yield the pieces, each signature that is alone, with a body."""
    data = code.encode("utf-8", "replace")
    for node in reversed(list(_signatures(tree.root_node))):
        header = text_of(node, data).rstrip().removesuffix(";").encode()
        data = data[: node.start_byte] + header + b" {}" + data[node.end_byte :]
    whole = parse_within(data, deadline)
    if whole is not None:
        yield from (piece for piece in pieces_of(whole, data) if piece.names)


def _signatures(root: Node) -> Iterator[Node]:
    """Yield functions without a body that are not members of a trait, in order."""
    for node in root.named_children:
        body = node.child_by_field_name("body")
        if node.type == "function_signature_item":
            yield node
        elif node.type in {"impl_item", "mod_item"} and body is not None:
            yield from _signatures(body)
