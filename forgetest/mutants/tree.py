"""The nodes of a solution that may be changed, each with the function that holds it.

`parse_solution` reads it. To the grammar a macro's arguments are only tokens; here `assert!(..)` is
read as a call and `vec![..]` as an array, in a text of the same length, so that all offsets hold.
`changeable_nodes` yields the nodes, `declared_types` the types that the source itself declares, and
`is_statement` tells whether a node's value is used.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tree_sitter import Node, Tree

from forgetest.mutants.mutant import ParsedSolution
from forgetest.rust.items import is_test_only, items_of, text_of, type_name
from forgetest.rust.parse import cpu_deadline, parse, parse_within

ASSERTS = frozenset({"assert", "assert_eq", "assert_ne"})
TEXTS = frozenset({"format", "write", "writeln"})
# The grammar does not know `safe fn`, of edition 2024, in extern blocks.
_SAFE = re.compile(rb"\bsafe(?=\s+fn\b)")
_ROUNDS = 8  # how deep macros may nest in macros
_PARSE_SECS = 5.0
_LIMIT = 1 << 18  # bytes
_DEPTH = 300  # of the tree; the way up from each node is gone more than once


def parse_solution(code: str) -> ParsedSolution | None:
    """Return a solution to be changed, None when it is broken, too long or nested too deep."""
    data = code.encode("utf-8", "replace")
    if len(data) > _LIMIT:
        return None
    deadline = cpu_deadline(_PARSE_SECS)
    shadow = _SAFE.sub(b"    ", data)
    tree = parse_within(shadow, deadline)
    if tree is None or tree.root_node.has_error or _is_deep(tree.root_node):
        return None
    own = items_of(tree, data).functions
    for _ in range(_ROUNDS):
        following = _opened(shadow, tree)
        deeper = None if following == shadow else parse_within(following, deadline)
        if deeper is None or deeper.root_node.has_error:
            break
        shadow, tree = following, deeper
    return ParsedSolution(data, tree.root_node, own)


def parses(code: str) -> bool:
    """Tell whether a changed solution is still Rust by its form."""
    return not parse(_SAFE.sub(b"    ", code.encode("utf-8", "replace"))).root_node.has_error


def macro_of(node: Node, source: ParsedSolution) -> str:
    """Return the macro's name when a call is a macro read as a call, else an empty text."""
    function = node.child_by_field_name("function") if node.type == "call_expression" else None
    name = source.text(function)
    return name[:-1] if name.endswith("!") else ""


def _is_deep(root: Node) -> bool:
    level = [root]
    for _ in range(_DEPTH):
        level = [child for node in level for child in node.named_children]
    return bool(level)


def _opened(data: bytes, tree: Tree) -> bytes:
    """Return the source with the outermost macros read as calls and arrays."""
    opened = bytearray(data)
    for node in _invocations(tree.root_node):
        name = node.child_by_field_name("macro")
        arguments = node.named_children[-1]
        bracket = arguments.children[0].type if arguments.children else ""
        word = text_of(name, data)
        if name is not None and word in ASSERTS | TEXTS and bracket == "(":
            opened[name.end_byte : name.end_byte + 1] = b"_"
        elif name is not None and word == "vec" and bracket == "[":
            opened[name.start_byte : name.end_byte + 1] = b"    "
    return bytes(opened)


def _invocations(root: Node) -> Iterator[Node]:
    todo = [root]
    while todo:
        node = todo.pop()
        if node.type == "macro_invocation":
            yield node
        elif node.type != "macro_definition":
            todo.extend(node.named_children)


_SKIPPED = frozenset(
    {"attribute_item", "inner_attribute_item", "line_comment", "block_comment", "use_declaration"}
    | {"type_arguments", "type_parameters", "where_clause", "trait_bounds", "array_type"}
    | {
        "extern_modifier",
        "return_type",
        "function_type",
        "visibility_modifier",
        "struct_item",
        "union_item",
    }
)
# Calls whose arguments no test can see: capacities, and texts for whoever debugs a panic.
_UNSEEN = frozenset(
    {"with_capacity", "reserve", "reserve_exact", "try_reserve", "shrink_to", "expect"}
    | {"expect_err", "with_capacity_and_hasher"}
)


@dataclass(frozen=True, slots=True)
class ChangeableNode:
    """A node and the function that it belongs to: `Stack::push`, `name!` for a macro's rules."""

    node: Node
    function: str


@dataclass(frozen=True, slots=True)
class _Scope:
    owner: str = ""
    function: str = ""


def changeable_nodes(source: ParsedSolution) -> Iterator[ChangeableNode]:
    """Yield the nodes that may be changed, in the source's order."""
    todo = [(source.root, _Scope())]
    while todo:
        node, scope = todo.pop()
        scope = _inner(node, scope, source)
        yield ChangeableNode(node, scope.function)
        todo.extend((child, scope) for child in reversed(list(_open_children(node, source))))


def _inner(node: Node, scope: _Scope, source: ParsedSolution) -> _Scope:
    if node.type == "impl_item":
        return _Scope(type_name(node.child_by_field_name("type"), source.data))
    name = source.text(node.child_by_field_name("name"))
    if node.type == "trait_item":
        return _Scope(name)
    if node.type == "macro_definition":
        return _Scope("", f"{name}!")
    if node.type == "function_item":
        return _Scope("", f"{scope.owner}::{name}" if scope.owner else name)
    return scope


def _open_children(node: Node, source: ParsedSolution) -> Iterator[Node]:
    """Yield the children that are neither types, tests nor out of a test's sight."""
    hidden = False
    for child in node.named_children:
        if child.type == "attribute_item":
            hidden = hidden or is_test_only(source.text(child))
        elif child.type.endswith("_comment"):
            continue
        elif not hidden and child.type not in _SKIPPED and not _is_unseen(node, child, source):
            yield child
            hidden = False
        else:
            hidden = False


def _is_unseen(parent: Node, child: Node, source: ParsedSolution) -> bool:
    if child.type == "impl_item":
        trait = child.child_by_field_name("trait")
        return trait is not None and type_name(trait, source.data) == "Debug"
    if child.type == "arguments":
        return called(parent, source) in _UNSEEN
    if child.type == "token_tree":
        return parent.type == "macro_invocation" and macro_name(parent, source) != "matches"
    call = parent.parent
    is_text = child.type in {"string_literal", "raw_string_literal"}
    return is_text and call is not None and macro_of(call, source) in ASSERTS


def called(call: Node, source: ParsedSolution) -> str:
    """Return the last name of what a call calls: `push` of `self.items.push`."""
    function = call.child_by_field_name("function")
    if function is not None and function.type == "generic_function":
        function = function.child_by_field_name("function")
    if function is None:
        return ""
    last = function.child_by_field_name("field") or function.child_by_field_name("name")
    return source.text(last or function)


def macro_name(invocation: Node, source: ParsedSolution) -> str:
    """Return the name of the macro that is invoked."""
    return source.text(invocation.child_by_field_name("macro"))


_CONTAINERS = frozenset({"mod_item", "source_file", "declaration_list"})


@dataclass(frozen=True, slots=True)
class DeclaredTypes:
    """The types of a source, by their last names."""

    structs: dict[str, Node] = field(default_factory=dict)
    enums: dict[str, Node] = field(default_factory=dict)
    aliases: dict[str, Node] = field(default_factory=dict)
    defaults: frozenset[str] = frozenset()  # types that derive or implement Default

    @property
    def own(self) -> frozenset[str]:
        """The names of the structs and enums."""
        return frozenset(self.structs) | frozenset(self.enums)


def declared_types(root: Node, source: bytes) -> DeclaredTypes:
    """Return the types that a source declares outside of functions."""
    structs: dict[str, Node] = {}
    enums: dict[str, Node] = {}
    aliases: dict[str, Node] = {}
    defaults: set[str] = set()
    kinds = {"struct_item": structs, "enum_item": enums, "type_item": aliases}
    for node, derives in _items(root, source):
        if node.type in kinds:
            name = text_of(node.child_by_field_name("name"), source)
            kinds[node.type].setdefault(name, node)
            defaults |= {name} if derives else set()
        elif type_name(node.child_by_field_name("trait"), source) == "Default":
            defaults.add(type_name(node.child_by_field_name("type"), source))
    return DeclaredTypes(structs, enums, aliases, frozenset(defaults))


def _items(root: Node, source: bytes) -> Iterator[tuple[Node, bool]]:
    """Yield types and impls, each with whether it derives Default."""
    todo = [root]
    while todo:
        derives = False
        for child in todo.pop().named_children:
            if child.type == "attribute_item":
                text = text_of(child, source)
                derives = derives or ("derive" in text and "Default" in text)
            elif not child.type.endswith("_comment"):
                yield child, derives
                derives = False
            if child.type in _CONTAINERS:
                todo.append(child)


_LOOPS = frozenset({"for_expression", "while_expression", "loop_expression"})
_THROUGH = frozenset(
    {"match_block", "match_expression", "if_expression", "else_clause", "block", "unsafe_block"}
    | {"match_arm"}
)


def is_statement(node: Node) -> bool:
    """Tell whether the value of an expression is not used, so that it may as well be none."""
    parent = node.parent
    while parent is not None:
        if parent.type == "expression_statement":
            if parent.children[-1].type == ";":
                return True
            node, parent = parent, parent.parent
        elif parent.type in _LOOPS:
            return parent.child_by_field_name("body") == node
        elif parent.type == "function_item":
            return parent.child_by_field_name("return_type") is None
        elif parent.type not in _THROUGH or _asks(parent, node):
            return False
        elif parent.type == "block" and node.next_named_sibling is not None:
            return True
        else:
            node, parent = parent, parent.parent
    return False


def _asks(parent: Node, child: Node) -> bool:
    """Tell whether the child is what a condition or a match looks at."""
    if parent.type == "match_arm":
        return parent.child_by_field_name("value") != child
    if parent.type == "match_expression":
        return parent.child_by_field_name("body") != child
    return parent.child_by_field_name("condition") == child
