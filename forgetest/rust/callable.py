"""A test file rewritten so that another crate can call its tests.

The result compiles without `--test`: test functions become public functions, and every condition on
`test` becomes true. `tests` finds the tests.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from forgetest.rust.items import imports_of
from forgetest.rust.parse import cpu_deadline, leaves_of, node_text, parse, parse_within
from forgetest.rust.splice import Rewrite, Rewritten, splice
from forgetest.rust.stdlib import COUNTS, STD_MACROS
from forgetest.rust.tests import (
    TOKIO_TEST,
    Attribute,
    DeclaredTest,
    declared_tests,
    items_with_attributes,
)

_DROPPED = frozenset({"ignore", "should_panic"})
_PARSE_SECS = 5.0
_SAMPLE_IN_SCOPE = "#[allow(unused_imports)] use super::*;"


@dataclass(frozen=True, slots=True, order=True)
class _CallableEdit:
    start: int  # bytes
    end: int
    text: str


def callable_file(source: str, *, api: str = "", std_macros: bool = False) -> Rewritten:
    """Return the test file with each direct test a public function, and its parent in scope.

    What the file calls `crate` becomes the module `api` of its crate, which holds our own module of
    counts. With `std_macros` the
    macros of the standard library are called by their whole paths, because those of the sample are
    in scope. No line moves.
    """
    root = parse(source.encode()).root_node
    leaves = tuple(leaves_of(root))
    edits = set(_conditions(root))
    if api:
        edits |= {*_crate_paths(leaves, api), *_counts_paths(leaves, api)}
    if std_macros:
        edits |= set(_std_calls(leaves, _own_macros(root)))
    for declared in declared_tests(root):
        if declared.test.is_direct:
            edits |= set(_published(declared))
    return _with_sample_in_scope(_rewritten(source, edits))


def libtest_file(source: str) -> Rewritten:
    """Return the test file as a module that sees its parent, for libtest to find its tests.

    The macros of the standard library are called by their whole paths.
    """
    root = parse(source.encode()).root_node
    edits = set(_std_calls(tuple(leaves_of(root)), _own_macros(root)))
    return _with_sample_in_scope(_rewritten(source, edits))


def _with_sample_in_scope(file: Rewritten) -> Rewritten:
    """Return the test file as a module that sees the items of its parent, the sample."""
    (scope,) = splice(file.text, _SAMPLE_IN_SCOPE).changes
    return file.with_insertion(scope.start, scope.text)


def invoked_macros(source: str) -> frozenset[str]:
    """Return the names of macros that a file invokes by a single identifier."""
    return frozenset(_invoked(parse(source.encode()).root_node))


def without_test_items(source: str) -> Rewritten:
    """Return a sample without the top-level items that are only for `cfg(test)`.

    A sample that takes too long to parse is returned as it is.
    """
    tree = parse_within(source.encode("utf-8", "replace"), cpu_deadline(_PARSE_SECS))
    edits: set[_CallableEdit] = set()
    for node, attributes in items_with_attributes(tree.root_node) if tree else ():
        if any(attribute.is_cfg_test for attribute in attributes):
            edits |= {_blank(node), *(_blank(attribute.node) for attribute in attributes)}
    return _rewritten(source, edits)


def _rewritten(source: str, edits: set[_CallableEdit]) -> Rewritten:
    encoded = source.encode("utf-8", "replace")
    changes, done, characters = [], 0, 0
    for edit in sorted(edits, key=lambda edit: (edit.start, -edit.end)):
        if edit.start >= done:  # not inside of a replaced piece
            start = characters + len(encoded[done : edit.start].decode())
            characters = start + len(encoded[edit.start : edit.end].decode())
            changes.append(Rewrite(start, characters, edit.text))
            done = edit.end
    return Rewritten(source, tuple(changes))


def _published(declared: DeclaredTest) -> Iterator[_CallableEdit]:
    """Yield what makes a test a public function that is reachable through public modules."""
    for item in (*declared.modules, declared.item):
        yield _made_public(item)
    for attribute in declared.attributes:
        if attribute.path == TOKIO_TEST:
            yield _runtime_entry(attribute)
        elif attribute.makes_test or attribute.path in _DROPPED:
            yield _blank(attribute.node)


def _made_public(item: Node) -> _CallableEdit:
    for child in item.children:
        if child.type == "visibility_modifier":
            return _CallableEdit(child.start_byte, child.end_byte, "pub")
    return _CallableEdit(item.start_byte, item.start_byte, "pub ")


def _runtime_entry(attribute: Attribute) -> _CallableEdit:
    """Replace `#[tokio::test(..)]` by the entry macro that starts the same runtime.

    The two take the same arguments and differ in one default: a test's runtime has one thread.
    """
    given = node_text(attribute.argument)[1:-1].strip()
    default = "" if "flavor" in given else 'flavor = "current_thread"'
    arguments = ", ".join(part for part in (default, given) if part)
    node = attribute.node
    return _CallableEdit(node.start_byte, node.end_byte, f"#[tokio::main({arguments})]")


def _blank(node: Node) -> _CallableEdit:
    """Erase a node and keep its line ends."""
    return _CallableEdit(node.start_byte, node.end_byte, _line_ends(node))


def _line_ends(node: Node) -> str:
    return "\n" * node_text(node).count("\n")


def _conditions(node: Node) -> Iterator[_CallableEdit]:
    """Yield what makes each `test` in a `cfg` predicate true, in this node and all below it."""
    if node.type == "attribute":
        path, *arguments = node.named_children
        if node_text(path) in ("cfg", "cfg_attr"):
            yield from _predicates(arguments, only_first=node_text(path) == "cfg_attr")
        return
    for child in node.named_children:
        yield from _conditions(child)


def _predicates(arguments: list[Node], *, only_first: bool) -> Iterator[_CallableEdit]:
    for argument in arguments:
        for token, following in itertools.pairwise(argument.children):
            if only_first and token.type == ",":
                return
            if token.type == "token_tree":
                yield from _predicates([token], only_first=False)
            elif node_text(token) == "test" and following.type != "=":
                yield _CallableEdit(token.start_byte, token.end_byte, "all()")


def _crate_paths(leaves: Sequence[Node], api: str) -> Iterator[_CallableEdit]:
    for word, sign in itertools.pairwise(leaves):
        if node_text(word) in {"crate", "$crate"} and sign.type == "::":
            yield _CallableEdit(word.end_byte, word.end_byte, f"::{api}")


def _counts_paths(leaves: Sequence[Node], api: str) -> Iterator[_CallableEdit]:
    """Yield what makes the name of our module a path that nothing in scope can redirect."""
    for before, word in itertools.pairwise(leaves):
        if node_text(word) == COUNTS and before.type not in {"::", ".", "$"}:
            yield _CallableEdit(word.start_byte, word.start_byte, f"crate::{api}::")


def _own_macros(root: Node) -> frozenset[str]:
    """Return the macros that the file may have its own meaning for."""
    names: set[str] = set()
    todo = [root]
    while todo:
        node = todo.pop()
        if node.type == "macro_definition":
            names.add(node_text(node.child_by_field_name("name")))
        elif node.type == "use_declaration":
            imports = imports_of(node, root.text or b"", public=False)
            names |= {import_.name for import_ in imports}
        todo.extend(node.named_children)
    return frozenset(names)


def _std_calls(leaves: Sequence[Node], own: frozenset[str]) -> Iterator[_CallableEdit]:
    rows = zip(leaves, leaves[1:], leaves[2:], leaves[3:], strict=False)
    for before, name, sign, bracket in rows:
        known = node_text(name) in STD_MACROS - {"try"} - own and before.type not in {
            "::",
            ".",
            "$",
        }
        if known and sign.type == "!" and bracket.type in {"(", "[", "{"}:
            yield _CallableEdit(name.start_byte, name.start_byte, "::std::")


def _invoked(node: Node) -> Iterator[str]:
    if node.type == "macro_invocation":
        yield node_text(node.child_by_field_name("macro"))
    tokens = node.children if node.type == "token_tree" else []
    for name, sign, body in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if (name.type, sign.type, body.type) == ("identifier", "!", "token_tree"):
            yield node_text(name)
    for child in node.named_children:
        yield from _invoked(child)
