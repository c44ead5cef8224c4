"""Blank implementations of a solution: the same items, each body a plain value of its type."""

from tree_sitter import Node

from forgetest.mutants.change import Source
from forgetest.mutants.declared import declared
from forgetest.mutants.plain import Level
from forgetest.mutants.returns import values_in
from forgetest.mutants.shadow import read
from forgetest.mutants.types import Blank
from forgetest.rust.parse import parse
from forgetest.rust.stub import stub, with_bodies

_LEVELS = {"empty": Level.EMPTY, "constant": Level.ONE, "constant 2": Level.TWO}
_TODO = "todo!()"


def blanks(code: str) -> tuple[Blank, ...]:
    """Return the implementations of a solution's items that do no work, each code once.

    A body whose type has no plain value stays `todo!()`. What the compiler itself runs is kept,
    as in a stub. Code that `mutants` refuses has none.
    """
    if read(code) is None:
        return ()
    data = code.encode("utf-8", "replace")
    source = Source(data, parse(data).root_node)
    found = {stub(code): "panicking"}
    for name, level in _LEVELS.items():
        found.setdefault(_filled(code, source, level), name)
    return tuple(Blank(name, text) for text, name in found.items() if text != code)


def _filled(code: str, source: Source, level: Level) -> str:
    types = declared(source.root, source.data)

    def body(function: Node) -> str:
        type_ = function.child_by_field_name("return_type")
        value = values_in(function, source, types).of(type_, level)
        return _TODO if value is None else "" if type_ is None else value

    return with_bodies(code, body)
