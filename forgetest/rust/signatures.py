"""The public face of a solution, without its bodies: what a prompt or a stub may show.

Signatures are the public functions alone. An outline is code to begin with: the public types as
well, and `todo!()` in place of bodies.
"""

import re
from collections.abc import Iterator

from tree_sitter import Node

from forgetest.rust.items import with_attributes
from forgetest.rust.parse import node_text, parse

_METHOD_INDENT = "    "
_TYPES = frozenset({"struct_item", "enum_item", "union_item", "trait_item", "type_item"})
_COMMENTS = frozenset({"line_comment", "block_comment"})
_BLANK = re.compile(r"[ \t]*\n(?:[ \t]*\n)*")


def signatures_of(source: str) -> tuple[str, ...]:
    """Return the public functions of the source's root without bodies, methods in their `impl`.

    Methods of traits are not among them, nor what macros define.
    """
    root = parse(source.encode("utf-8", "replace")).root_node
    return tuple(signature for node in root.named_children for signature in _of_item(node))


def outline(source: str) -> str:
    """Return the public items of the source's root as code to be filled in; empty without any.

    Comments, private items, private fields, bodies and implementations of traits are left out, and
    so are imports that nothing in the outline names.
    """
    root = parse(source.encode("utf-8", "replace")).root_node
    items = [
        text for node, attributes in with_attributes(root) for text in _drawn(node, attributes)
    ]
    body = "\n\n".join(items)
    imports = [
        node_text(node)
        for node in root.named_children
        if node.type == "use_declaration" and _is_named(node, body)
    ]
    return "".join(f"{part}\n" for part in ("\n".join(imports), body) if part) if body else ""


def _drawn(node: Node, attributes: tuple[Node, ...]) -> Iterator[str]:
    """Yield an item of the outline, nothing for one that is not public."""
    derives = [text for text in map(node_text, attributes) if text.startswith("#[derive")]
    if node.type in _TYPES and _is_public(node):
        yield "\n".join((*derives, _without_insides(node)))
    elif node.type in {"function_item", "impl_item"}:
        for signature in _of_item(node):
            yield re.sub(r"^(.*);$", r"\1 { todo!() }", signature, flags=re.MULTILINE)


def _without_insides(node: Node) -> str:
    """Return a type or trait without comments, private fields and the bodies of its functions."""
    source = node.text or b""
    is_struct = node.type in {"struct_item", "union_item"}
    parts: list[bytes] = []
    at = 0
    for start, end, text in _cuts(node, is_struct=is_struct):
        parts += [source[at : start - node.start_byte], text]
        at = end - node.start_byte
    drawn = b"".join((*parts, source[at:])).decode()
    return _BLANK.sub("\n", drawn)


def _cuts(node: Node, *, is_struct: bool) -> Iterator[tuple[int, int, bytes]]:
    """Yield the places of what an outline leaves out, and what is there instead."""
    for child in node.children:
        following = child.next_sibling
        comma = following is not None and following.type == ","
        if child.type in _COMMENTS:
            yield child.start_byte, child.end_byte, b"\n" if child.type == "line_comment" else b""
        elif child.type == "field_declaration" and is_struct and not _is_public(child):
            yield (
                child.start_byte,
                following.end_byte if comma and following else child.end_byte,
                b"",
            )
        elif child.type == "block" and node.type == "function_item":
            yield child.start_byte, child.end_byte, b"{ todo!() }"
        elif (
            is_struct and child.type == "ordered_field_declaration_list" and not _all_public(child)
        ):
            yield child.start_byte, child.end_byte, b"()"
        else:
            yield from _cuts(child, is_struct=is_struct)


def _all_public(fields: Node) -> bool:
    types = [child for child in fields.named_children if child.type not in _COMMENTS]
    visible = [child for child in types if child.type == "visibility_modifier"]
    return 2 * len(visible) == len([child for child in types if child.type != "attribute_item"])


def _is_named(use: Node, body: str) -> bool:
    """Tell whether the last name of an import occurs in the body."""
    names = re.findall(r"\w+(?=\s*(?:[,}};]|$))", node_text(use))
    return any(re.search(rf"\b{name}\b", body) for name in names)


def _of_item(node: Node) -> Iterator[str]:
    if node.type == "function_item" and _is_public(node):
        yield _header(node)
    elif node.type == "impl_item" and node.child_by_field_name("trait") is None:
        body = node.child_by_field_name("body")
        methods = [
            _METHOD_INDENT + _header(child)
            for child in (body.named_children if body else ())
            if child.type == "function_item" and _is_public(child)
        ]
        if body and methods:
            head = _before(node, body)
            yield "\n".join((f"{head} {{", *methods, "}"))


def _header(function: Node) -> str:
    body = function.child_by_field_name("body")
    header = _before(function, body).removesuffix(",") if body else node_text(function)
    return f"{header};"


def _before(node: Node, body: Node) -> str:
    """Return the source of a node up to its body."""
    text = node.text or b""
    return text[: body.start_byte - node.start_byte].decode().rstrip()


def _is_public(node: Node) -> bool:
    return any(
        child.type == "visibility_modifier" and node_text(child) == "pub"
        for child in node.children[:1]
    )
