"""Statements: places in a body where no value is expected."""

from tree_sitter import Node

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
