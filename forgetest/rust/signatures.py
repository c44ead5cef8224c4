"""The signatures of a solution's public functions, as a prompt may show them."""

from collections.abc import Iterator

from tree_sitter import Node

from forgetest.rust.parse import node_text, parse

_METHOD_INDENT = "    "


def signatures_of(source: str) -> tuple[str, ...]:
    """Return the public functions of the source's root without bodies, methods in their `impl`.

    Methods of traits are not among them, nor what macros define.
    """
    root = parse(source.encode("utf-8", "replace")).root_node
    return tuple(signature for node in root.named_children for signature in _of_item(node))


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
