"""Integration tests as the hidden tests of a case: one file, about the sample's crate, all of it.

Integration tests call the crate by its name and most of an exercise's are ignored, for learners
switch them on one by one. Here the crate is `crate`, and nothing is ignored.

Code as it is with some features of its crate on: what the others guard is taken out.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tree_sitter import Node

from forgetest.importers.exercism.trees import Tree
from forgetest.importers.reading import ItemError
from forgetest.rust.items import text_of
from forgetest.rust.parse import cpu_deadline, leaves_of, parse_within
from forgetest.rust.tests import declared_tests, expected_tests, uncounted

_PARSE_SECS = 5.0
_FEATURE = re.compile(r'feature="([^"]*)"')
_PREDICATE = re.compile(r"(not|all|any)\((.*)\)", re.DOTALL)


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """A run of bytes and what takes its place."""

    start: int
    end: int
    text: bytes = b""


def parsed(code: str, what: str) -> tuple[Node, bytes]:
    """Return the tree of some code and its bytes; ItemError when it takes too long to parse."""
    data = code.encode("utf-8", "replace")
    tree = parse_within(data, cpu_deadline(_PARSE_SECS))
    if tree is None:
        raise ItemError(f"{what} takes too long to parse")
    return tree.root_node, data


def edited(data: bytes, edits: Collection[Edit]) -> str:
    """Return the text after all edits; one inside another does not count."""
    pieces: list[bytes] = []
    at = 0
    for edit in sorted(set(edits), key=lambda edit: (edit.start, -edit.end)):
        if edit.start >= at:
            pieces += [data[at : edit.start], edit.text]
            at = edit.end
    return b"".join([*pieces, data[at:]]).decode(errors="replace")


def with_features(code: str, enabled: Collection[str], what: str) -> str:
    """Return the code without what needs another feature, and without the conditions it keeps."""
    root, data = parsed(code, what)
    return edited(data, [edit for edit, _ in guarded(root, data, enabled)])


def guarded(
    root: Node, data: bytes, enabled: Collection[str]
) -> Iterator[tuple[Edit, Node | None]]:
    """Yield an edit for each condition on features, with the node when it takes that out."""
    for item, attributes in _attributed(root):
        held = [
            (attribute, _holds_feature(_condition(attribute, data), enabled))
            for attribute in attributes
        ]
        if any(value is False for _, value in held):
            yield whole_lines(attributes[0].start_byte, item.end_byte, data), item
        else:
            for attribute, value in held:
                if value:
                    yield whole_lines(attribute.start_byte, attribute.end_byte, data), None


def whole_lines(start: int, end: int, data: bytes) -> Edit:
    """Return the edit that takes out a run of bytes, with its line when nothing else is on it."""
    line = data.rfind(b"\n", 0, start) + 1
    following = data.find(b"\n", end)
    rest = data[end : following if following >= 0 else len(data)]
    if data[line:start].strip() or rest.strip():
        return Edit(start, end)
    return Edit(line, following + 1 if following >= 0 else len(data))


def _attributed(root: Node) -> Iterator[tuple[Node, list[Node]]]:
    """Yield every node that has attributes, with these, at all depths."""
    todo = [root]
    while todo:
        attributes: list[Node] = []
        for node in todo.pop().named_children:
            if node.type == "attribute_item":
                attributes.append(node)
            elif not node.type.endswith("_comment"):
                if attributes:
                    yield node, attributes
                attributes = []
                todo.append(node)


def _condition(attribute: Node, data: bytes) -> str:
    """Return what a `#[cfg(...)]` demands, without spaces; nothing for another attribute."""
    text = "".join(text_of(attribute, data).split())
    return text.removeprefix("#[cfg(").removesuffix(")]") if text.startswith("#[cfg(") else ""


def _holds_feature(condition: str, enabled: Collection[str]) -> bool | None:
    """Tell whether a condition on features holds; None when it is about anything else."""
    if found := _FEATURE.fullmatch(condition):
        return found[1] in enabled
    predicate = _PREDICATE.fullmatch(condition)
    if predicate is None:
        return None
    values = [_holds_feature(part, enabled) for part in _parts(predicate[2])]
    if None in values or not values:
        return None
    if predicate[1] == "not":
        return not values[0]
    return all(values) if predicate[1] == "all" else any(values)


def _parts(text: str) -> Iterator[str]:
    """Yield what commas outside of brackets separate."""
    depth, begin = 0, 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            yield text[begin:at]
            begin = at + 1
    if text[begin:]:
        yield text[begin:]


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
        if _ALLOCATOR in text and any(_ALLOCATOR in other for other in texts.values()):
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
    tests = [
        (declared.test.name, declared.item) for declared in declared_tests(root, everywhere=True)
    ]
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
