"""The test functions that a test file declares.

Names come from parsing, never from what ran, and are the denominator of a sample's tests. Tests
that another crate's macro generates or rewrites can not be called directly; they are named all the
same and are left to libtest. Making the file callable is left to `callable`.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from tree_sitter import Node

from forgetest.rust.parse import parse

TOKIO_TEST = "tokio::test"
_PLAIN_TESTS = frozenset({"test", "core::prelude::v1::test", "std::prelude::v1::test"})
_REWRITING_TESTS = frozenset({"rstest", "test_case", "test_matrix", "quickcheck"})


@dataclass(frozen=True, slots=True)
class TestFunction:
    """One test that a file declares."""

    __test__: ClassVar[bool] = False  # no test class, whatever its name

    name: str  # as libtest prints it: `tests::adds`
    ignored: bool = False
    should_panic: bool = False
    panic_text: str | None = None  # the expected part of the panic message, as a Rust literal
    is_direct: bool = True  # callable as a plain function; otherwise only libtest can run it


@dataclass(frozen=True, slots=True)
class Attribute:
    """An outer attribute of an item."""

    node: Node
    path: str  # without leading colons or spaces
    argument: Node | None  # a token tree in brackets, or the value after `=`

    @property
    def makes_test(self) -> bool:
        """Whether a function that carries it is a test."""
        last = self.path.rpartition("::")[2]
        return last == "test" or last in _REWRITING_TESTS

    @property
    def is_cfg_test(self) -> bool:
        """Whether it keeps its item out of everything but test builds."""
        return "".join(text_of(self.node).split()) == "#[cfg(test)]"


@dataclass(frozen=True, slots=True)
class Declared:
    """A test with the syntax that declares it."""

    test: TestFunction
    item: Node
    attributes: tuple[Attribute, ...] = ()
    modules: tuple[Node, ...] = ()  # those that hold it, outermost first


def expected_tests(source: str) -> tuple[TestFunction, ...]:
    """Return the tests that a test file declares, in its order; empty when it declares none."""
    return tuple(found.test for found in declared_tests(parse(source.encode()).root_node))


def declared_tests(module: Node, outer: tuple[Node, ...] = ()) -> Iterator[Declared]:
    """Yield the tests in the body of a module and of the modules in it; `outer` hold the body."""
    for node, attributes in items(module):
        body = node.child_by_field_name("body")
        if node.type == "mod_item" and body is not None:
            yield from declared_tests(body, (*outer, node))
        elif node.type == "function_item" and any(one.makes_test for one in attributes):
            yield Declared(_function(node, attributes, outer), node, attributes, outer)
        elif node.type in ("macro_invocation", "expression_statement"):
            yield from _in_macro(node, outer)


def items(body: Node) -> Iterator[tuple[Node, tuple[Attribute, ...]]]:
    """Yield what a module's body holds, each item with its outer attributes."""
    attributes: list[Attribute] = []
    for node in body.named_children:
        if node.type == "attribute_item":
            attributes.append(_attribute(node))
        elif "comment" not in node.type:
            yield node, tuple(attributes)
            attributes = []


def text_of(node: Node | None) -> str:
    """Return the source of a node; empty when there is none."""
    return (node.text or b"").decode() if node is not None else ""


def _attribute(node: Node) -> Attribute:
    inside = node.named_children[0]
    argument = inside.child_by_field_name("arguments") or inside.child_by_field_name("value")
    path = "".join(text_of(inside.named_children[0] if inside.named_children else None).split())
    return Attribute(node, path.removeprefix("::"), argument)


def _function(node: Node, attributes: Sequence[Attribute], modules: Sequence[Node]) -> TestFunction:
    by_path = {attribute.path: attribute for attribute in attributes}
    panics = by_path.get("should_panic")
    return TestFunction(
        name=_qualified(node.child_by_field_name("name"), modules),
        ignored="ignore" in by_path,
        should_panic=panics is not None,
        panic_text=_literal(panics.argument) if panics else None,
        is_direct=_is_direct(node, attributes),
    )


def _is_direct(node: Node, attributes: Sequence[Attribute]) -> bool:
    """Tell whether a test takes nothing and is made by the one attribute that suits it."""
    makers = [attribute.path for attribute in attributes if attribute.makes_test]
    parameters = node.child_by_field_name("parameters")
    if len(makers) != 1 or (parameters is not None and parameters.named_child_count):
        return False
    modifiers = [text_of(child) for child in node.children if child.type == "function_modifiers"]
    is_async = "async" in " ".join(modifiers).split()
    return makers[0] == TOKIO_TEST if is_async else makers[0] in _PLAIN_TESTS


def _in_macro(node: Node, modules: Sequence[Node]) -> Iterator[Declared]:
    """Yield the tests written inside a macro such as `proptest!`: `#[test] fn name`."""
    invocation = node.named_children[0] if node.type == "expression_statement" else node
    bodies = [child for child in invocation.named_children if child.type == "token_tree"]
    marked = False
    for token, following in itertools.pairwise(bodies[0].children if bodies else ()):
        if token.type == "#":
            marked = marked or "".join(text_of(following).split()) == "[test]"
        elif token.type == "fn" and marked:
            name = _qualified(following, modules)
            yield Declared(TestFunction(name, is_direct=False), node)
            marked = False


def _qualified(name: Node | None, modules: Sequence[Node]) -> str:
    names = [text_of(module.child_by_field_name("name")) for module in modules]
    return "::".join([*names, text_of(name)])


def _literal(argument: Node | None) -> str | None:
    """Return the string literal that is, or is inside, an attribute's argument."""
    if argument is None:
        return None
    if argument.type in ("string_literal", "raw_string_literal"):
        return text_of(argument)
    found = (_literal(child) for child in argument.named_children)
    return next((text for text in found if text is not None), None)
