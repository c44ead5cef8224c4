"""Code as it is with some features of its crate on: what the others guard is taken out."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from tree_sitter import Node

from forgetest.importers.reading import ItemError
from forgetest.rust.items import text_of
from forgetest.rust.parse import cpu_deadline, parse_within

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
    for edit in sorted(set(edits), key=lambda one: (one.start, -one.end)):
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
        held = [(one, _holds(_condition(one, data), enabled)) for one in attributes]
        if any(value is False for _, value in held):
            yield whole_lines(attributes[0].start_byte, item.end_byte, data), item
        else:
            for one, value in held:
                if value:
                    yield whole_lines(one.start_byte, one.end_byte, data), None


def whole_lines(start: int, end: int, data: bytes) -> Edit:
    """Return the edit that takes out a run of bytes, with its line when it stands there alone."""
    line = data.rfind(b"\n", 0, start) + 1
    following = data.find(b"\n", end)
    rest = data[end : following if following >= 0 else len(data)]
    if data[line:start].strip() or rest.strip():
        return Edit(start, end)
    return Edit(line, following + 1 if following >= 0 else len(data))


def _attributed(root: Node) -> Iterator[tuple[Node, list[Node]]]:
    """Yield every node that attributes stand before, with these, at all depths."""
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


def _holds(condition: str, enabled: Collection[str]) -> bool | None:
    """Tell whether a condition on features holds; None when it is about anything else."""
    if found := _FEATURE.fullmatch(condition):
        return found[1] in enabled
    predicate = _PREDICATE.fullmatch(condition)
    if predicate is None:
        return None
    values = [_holds(one, enabled) for one in _parts(predicate[2])]
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
