"""The test functions that a test file declares.

Names come from parsing, never from what ran, and are the denominator of a sample's tests. Tests
that another crate's macro generates or rewrites cannot be called directly; they are named all the
same and are left to libtest. Tests whose names cannot be read are `uncounted`: a case that has any
must not be graded. Making the file callable is left to `callable`.

Tests that this machine would not build, because of a `cfg`, are not expected. A condition that
cannot be decided by reading is not counted either way: `holds` returns None.
"""

import itertools
import platform
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import ClassVar

from tree_sitter import Node

from forgetest.rust.items import with_attributes
from forgetest.rust.parse import node_text, parse

_OPERATORS = frozenset({"all", "any", "not"})
_ON = frozenset({"test", "debug_assertions"})
# rustc sets these in ways that no table here knows. It sets no others.
_OPEN = frozenset({"target_abi", "target_env", "target_feature", "target_has_atomic"})
_OPEN_NAMES = frozenset({"overflow_checks", "ub_checks", "target_thread_local"})
_SYSTEMS = {"linux": "linux", "darwin": "macos", "win32": "windows"}
_MACHINES = {"AMD64": "x86_64", "arm64": "aarch64", "i686": "x86"}
_VENDORS = {"linux": "unknown", "darwin": "apple", "win32": "pc"}


@cache
def host() -> dict[str, str]:
    """Return the keys of this machine's `cfg` that have one value each."""
    machine = platform.machine()
    return {
        "target_os": _SYSTEMS.get(sys.platform, sys.platform),
        "target_family": "windows" if sys.platform == "win32" else "unix",
        "target_arch": _MACHINES.get(machine, machine),
        "target_endian": sys.byteorder,
        "target_pointer_width": "64" if sys.maxsize > 1 << 32 else "32",
        "target_vendor": _VENDORS.get(sys.platform, "unknown"),
        "panic": "unwind",
    }


def holds(condition: Sequence[Node]) -> bool | None:
    """Tell whether a condition, given as tokens, holds; None when reading cannot decide that."""
    words = [(node.text or b"").decode() for node in condition]
    match words:
        case [operator, _] if operator in _OPERATORS:
            return _combined(operator, [holds(part) for part in parts(condition[1])])
        case [key, "=", value]:
            return _equals(key, value.strip('"'))
        case ["unix" | "windows" as family]:
            return host()["target_family"] == family
        case ["true" | "false" as word]:
            return word == "true"
        case [name]:
            return None if name in _OPEN | _OPEN_NAMES else name in _ON
    return None


def parts(tree: Node | None) -> Iterator[list[Node]]:
    """Yield what commas separate in a token tree, without its brackets."""
    part: list[Node] = []
    for node in tree.children[1:-1] if tree else ():
        if node.type == ",":
            yield part
            part = []
        elif not node.type.endswith("_comment"):
            part.append(node)
    if part:
        yield part


def _equals(key: str, value: str) -> bool | None:
    return None if key in _OPEN else host().get(key) == value


def _combined(operator: str, values: list[bool | None]) -> bool | None:
    if operator == "not":
        return None if values[:1] in ([None], []) else not values[0]
    settling = operator == "any"  # one such value decides for all
    if settling in values:
        return settling
    return None if None in values else not settling


TOKIO_TEST = "tokio::test"
_PLAIN_TESTS = frozenset({"test", "core::prelude::v1::test", "std::prelude::v1::test"})
_FOREIGN_MAKERS = frozenset({"quickcheck"})
_MAKES_TEST = re.compile(r"#\s*\[\s*(?:\w+\s*::\s*)*(?:test|rstest|test_case)\b")
_PASSES_ON = re.compile(r"#\s*\[\s*\$|#\s*\$")
_TEST = re.compile(r"\btest\b")
_TEST_FUNCTION = re.compile(r"#\s*\[\s*test\s*\]\s*(?:pub\s+)?(?:async\s+)?fn\b")
_TEST_WORD = re.compile(r"\b(?:test|ignore|should_panic)\b")
_BEHIND_PATH = frozenset({"token_tree", "string_literal", "raw_string_literal", "="})
_REWRITING_TESTS = frozenset({"rstest", "test_case", "test_matrix", "quickcheck"})


@dataclass(frozen=True, slots=True)
class TestFunction:
    """One test that a file declares."""

    __test__: ClassVar[bool] = False  # not a test class

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
    def is_condition(self) -> bool:
        """Whether its item is there only where it holds, or may be a test only there."""
        if self.path == "cfg_attr":
            return bool(_TEST_WORD.search(node_text(self.argument)))
        return self.path == "cfg"

    @property
    def holds(self) -> bool | None:
        """Whether the condition of a `cfg` or `cfg_attr` holds; None if reading cannot decide."""
        condition = next(parts(self.argument), [])
        return holds(condition)

    @property
    def is_cfg_test(self) -> bool:
        """Whether it keeps its item out of everything but test builds."""
        return "".join(node_text(self.node).split()) == "#[cfg(test)]"


@dataclass(frozen=True, slots=True)
class DeclaredTest:
    """A test with the syntax that declares it."""

    test: TestFunction
    item: Node
    attributes: tuple[Attribute, ...] = ()
    modules: tuple[Node, ...] = ()  # those that hold it, outermost first


def expected_tests(source: str) -> tuple[TestFunction, ...]:
    """Return the tests that a test file declares, in its order; empty when it declares none."""
    return tuple(declared.test for declared in declared_tests(parse(source.encode()).root_node))


@lru_cache(maxsize=64)
def unmeasured(source: str) -> str:
    """Return why what the tests of a file allocate cannot be counted, nothing when it can."""
    names = [test.name for test in expected_tests(source) if not test.is_direct]
    return f"`{names[0]}` runs under libtest, where nothing is counted" if names else ""


@lru_cache(maxsize=64)
def uncounted(source: str) -> str:
    """Return why the tests of a file cannot be counted by reading it, nothing when they can."""
    root = parse(source.encode()).root_node
    makers = _test_makers(root) | _FOREIGN_MAKERS
    todo = [root]
    while todo:
        for node, attributes in items_with_attributes(todo.pop()):
            body = node.child_by_field_name("body") if node.type == "mod_item" else None
            if _is_off(attributes):
                continue
            if name := _test_maker(node, makers):
                return f"the macro `{name}!` makes tests whose names only the compiler knows"
            guards = [guard for guard in attributes if guard.is_condition and guard.holds is None]
            if guards and (body or _make_test(attributes)):
                return f"`{node_text(guards[0].node)}` decides which tests there are"
            todo += [body] if body else []
    return ""


def _test_maker(node: Node, makers: frozenset[str]) -> str:
    """Return the macro that an item calls if it makes tests of its arguments."""
    call = node.named_children[0] if node.type == "expression_statement" else node
    name = node_text(call.child_by_field_name("macro"))
    last = name.rpartition("::")[2]
    passed_on = f"{last}#" in makers and _TEST.search(_TEST_FUNCTION.sub("", node_text(call)))
    return name if last in makers or passed_on else ""


def _test_makers(root: Node) -> frozenset[str]:
    """Return the macros of a file that expand to tests, or to calls of such macros.

    One that only passes attributes on is `name#`.
    """
    bodies: dict[str, str] = {}
    todo = [root]
    while todo:
        node = todo.pop()
        if node.type == "macro_definition":
            bodies[node_text(node.child_by_field_name("name"))] = node_text(node)
        todo.extend(node.named_children)
    makers = {name for name, body in bodies.items() if _MAKES_TEST.search(body)}
    while more := {n for n, body in bodies.items() if _calls(body, makers)} - makers:
        makers |= more
    return frozenset(makers | {f"{n}#" for n, body in bodies.items() if _PASSES_ON.search(body)})


def _calls(body: str, macros: Collection[str]) -> bool:
    return any(re.search(rf"\b{re.escape(name)}\s*!", body) for name in macros)


def declared_tests(
    module: Node, outer: tuple[Node, ...] = (), *, everywhere: bool = False
) -> Iterator[DeclaredTest]:
    """Yield the tests in the body of a module and of the modules in it; `outer` hold the body.

    Those that this machine would not build are left out unless `everywhere` is set.
    """
    for node, attributes in items_with_attributes(module):
        if not everywhere and _is_off(attributes):
            continue
        body = node.child_by_field_name("body")
        if node.type == "mod_item" and body is not None:
            yield from declared_tests(body, (*outer, node), everywhere=everywhere)
        elif node.type == "function_item" and _make_test(attributes):
            yield DeclaredTest(_function(node, attributes, outer), node, attributes, outer)
        elif node.type in ("macro_invocation", "expression_statement"):
            yield from _in_macro(node, outer)


def items_with_attributes(body: Node) -> Iterator[tuple[Node, tuple[Attribute, ...]]]:
    """Yield what is in a module's body, each item with its outer attributes."""
    for node, outer in with_attributes(body):
        yield node, tuple(attribute for item in outer for attribute in _attributes(item))


def _is_off(attributes: Iterable[Attribute]) -> bool:
    """Tell whether a `cfg` keeps an item out of the build on this machine."""
    return any(attribute.path == "cfg" and attribute.holds is False for attribute in attributes)


def _make_test(attributes: Iterable[Attribute]) -> bool:
    return any(attribute.makes_test for attribute in attributes)


def _attributes(node: Node) -> Iterator[Attribute]:
    """Yield an attribute, and those that it stands for where its condition holds."""
    attribute = _attribute(node)
    yield attribute
    if attribute.path == "cfg_attr" and attribute.holds:
        for part in list(parts(attribute.argument))[1:]:
            path = "".join(node_text(t) for t in part if t.type not in _BEHIND_PATH)
            argument = next((t for t in part if t.type in _BEHIND_PATH - {"="}), None)
            yield Attribute(node, path.removeprefix("::"), argument)


def _attribute(node: Node) -> Attribute:
    inside = node.named_children[0]
    argument = inside.child_by_field_name("arguments") or inside.child_by_field_name("value")
    path = "".join(node_text(inside.named_children[0] if inside.named_children else None).split())
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
    modifiers = [node_text(child) for child in node.children if child.type == "function_modifiers"]
    is_async = "async" in " ".join(modifiers).split()
    return makers[0] == TOKIO_TEST if is_async else makers[0] in _PLAIN_TESTS


def _in_macro(node: Node, modules: Sequence[Node]) -> Iterator[DeclaredTest]:
    """Yield the tests written inside a macro such as `proptest!`: `#[test] fn name`."""
    invocation = node.named_children[0] if node.type == "expression_statement" else node
    bodies = [child for child in invocation.named_children if child.type == "token_tree"]
    marked = False
    for token, following in itertools.pairwise(bodies[0].children if bodies else ()):
        if token.type == "#":
            marked = marked or "".join(node_text(following).split()) == "[test]"
        elif token.type == "fn" and marked:
            name = _qualified(following, modules)
            yield DeclaredTest(TestFunction(name, is_direct=False), node)
            marked = False


def _qualified(name: Node | None, modules: Sequence[Node]) -> str:
    names = [node_text(module.child_by_field_name("name")) for module in modules]
    return "::".join([*names, node_text(name)])


def _literal(argument: Node | None) -> str | None:
    """Return the string literal that an attribute's argument is or contains."""
    if argument is None:
        return None
    if argument.type in ("string_literal", "raw_string_literal"):
        return node_text(argument)
    literals = (_literal(child) for child in argument.named_children)
    return next((text for text in literals if text is not None), None)
