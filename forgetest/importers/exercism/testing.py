"""Integration tests as the hidden tests of a case: one file, about the sample's crate, all of it.

Integration tests call the crate by its name and most of an exercise's are ignored, for learners
switch them on one by one. Here the crate is `crate`, and nothing is ignored.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tree_sitter import Node

from forgetest.importers.exercism.features import Edit, edited, guarded, parsed, whole_lines
from forgetest.importers.exercism.trees import Tree
from forgetest.importers.reading import ItemError
from forgetest.rust.items import text_of
from forgetest.rust.parse import leaves_of
from forgetest.rust.tests import declared_tests, expected_tests, uncounted

_ALLOCATOR = "#[global_allocator]"
_NO_PATH = frozenset({".", "fn", "mod", "struct", "enum", "trait", "type", "let"})


@dataclass(frozen=True, slots=True)
class Tests:
    """The tests of an exercise, and those of its tests that are not among them, with the reason."""

    text: str
    left_out: tuple[tuple[str, str], ...] = ()


def tests_of(tree: Tree, files: Sequence[str], crate: str, enabled: Collection[str]) -> Tests:
    """Return the tests in some files of an exercise as one file; ItemError when there are none.

    Several files become a module each. A program has one allocator: a second file that brings its
    own is left out.
    """
    texts: dict[str, str] = {}
    left_out: list[tuple[str, str]] = []
    for file in files:
        text = tree.text(file)
        if text is None:
            raise ItemError(f"{file} is missing")
        if _ALLOCATOR in text and any(_ALLOCATOR in one for one in texts.values()):
            left_out.append((file, "it brings a second global allocator"))
            continue
        changed, gone = _rewritten(_whole(tree, text, file), crate, enabled, file)
        texts[file] = changed
        left_out += [(name, f"it needs a feature that is off in {file}") for name in gone]
    joined = _joined(texts)
    if not expected_tests(joined):
        raise ItemError("its tests hold no #[test] function")
    if why := uncounted(joined):
        raise ItemError(f"its tests cannot be counted: {why}")
    return Tests(joined, tuple(left_out))


def _joined(texts: dict[str, str]) -> str:
    if len(texts) == 1:
        return next(iter(texts.values()))
    modules = (
        f"mod {_stem(file).replace('-', '_')} {{\n{text.rstrip()}\n}}\n"
        for file, text in texts.items()
    )
    return "\n".join(modules)


def _stem(file: str) -> str:
    return file.rpartition("/")[2].removesuffix(".rs")


def _rewritten(
    code: str, crate: str, enabled: Collection[str], file: str
) -> tuple[str, tuple[str, ...]]:
    """Return a test file about `crate`, nothing ignored, and the tests that a feature guards."""
    root, data = parsed(code, file)
    tests = [(one.test.name, one.item) for one in declared_tests(root, everywhere=True)]
    edits: list[Edit] = []
    gone: list[str] = []
    for edit, node in guarded(root, data, enabled):
        edits.append(edit)
        gone += [name for name, item in tests if node is not None and _holds(node, item)]
    edits += [*_ignores(root, data), *_crate_names(root, data, crate)]
    return edited(data, edits), tuple(gone)


def _holds(node: Node, item: Node) -> bool:
    return node.start_byte <= item.start_byte and item.end_byte <= node.end_byte


def _ignores(root: Node, data: bytes) -> Iterator[Edit]:
    for declared in declared_tests(root, everywhere=True):
        for attribute in declared.attributes:
            if attribute.path == "ignore":
                node = attribute.node
                yield whole_lines(node.start_byte, node.end_byte, data)


def _crate_names(root: Node, data: bytes, crate: str) -> Iterator[Edit]:
    """Yield what makes the tested crate `crate`, and the test file's own root a relative path."""
    leaves = [None, *leaves_of(root), None]
    for (before, word), (_, after) in pairwise(pairwise(leaves)):
        if word is None or after is None or after.type != "::":
            continue
        text = text_of(word, data)
        sign = before.type if before is not None else ""
        if text == crate and sign == "::" and before is not None and _is_leading(before):
            yield Edit(before.start_byte, word.end_byte, b"crate")
        elif text == crate and sign != "::" and sign not in _NO_PATH:
            yield Edit(word.start_byte, word.end_byte, b"crate")
        elif text == "crate" and sign != "$":
            yield Edit(word.start_byte, word.end_byte, _to_root(word).encode())
    yield from _externs(root, data, crate)


def _is_leading(colons: Node) -> bool:
    """Tell whether a `::` begins a path."""
    sibling = colons.prev_sibling
    return sibling is None or sibling.type not in {"identifier", "scoped_identifier", ">"}


def _to_root(word: Node) -> str:
    depth, node = 0, word.parent
    while node is not None:
        depth += node.type == "mod_item"
        node = node.parent
    return "::".join(["super"] * depth) or "self"


def _externs(root: Node, data: bytes, crate: str) -> Iterator[Edit]:
    for node in root.named_children:
        if node.type == "extern_crate_declaration":
            name = text_of(node.child_by_field_name("name"), data)
            if name == crate:
                yield whole_lines(node.start_byte, node.end_byte, data)


def _whole(tree: Tree, code: str, file: str) -> str:
    """Return a test file with the modules that lie in files of their own written into it."""
    root, data = parsed(code, file)
    edits: list[Edit] = []
    for node in root.named_children:
        if node.type == "mod_item" and node.child_by_field_name("body") is None:
            name = text_of(node.child_by_field_name("name"), data)
            text = tree.text(f"tests/{name}.rs") or tree.text(f"tests/{name}/mod.rs")
            if text is None:
                raise ItemError(f"{file} declares the module {name[:40]}, whose file is missing")
            edits.append(
                Edit(node.start_byte, node.end_byte, f"mod {name} {{\n{text}\n}}".encode())
            )
    return edited(data, edits)
