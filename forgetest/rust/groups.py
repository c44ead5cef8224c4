"""What a group of brackets in a token list is for, told from what stands before it.

Only what a scan asks for: whether names in it are names of attributes, whether it is the condition
of a `cfg`, whether a macro of the file's own is given it.
"""

from collections.abc import Collection
from typing import NamedTuple

OPENING = frozenset("([{")
CLOSING = frozenset(")]}")

_HOLDS_ATTRIBUTES = frozenset({"unsafe", "cfg_attr"})
_SILENCES = frozenset({"allow", "expect"})
_CONDITIONS = frozenset({"cfg", "cfg_attr"})
_CONDITIONAL_MACROS = frozenset({"cfg", "cfg_select"})


class Group(NamedTuple):
    """The use of the tokens directly in a group of brackets."""

    names_attributes: bool = False  # `#[..]`, `#[unsafe(..)]`, `#[cfg_attr(..)]`
    condition: bool = False  # of `cfg`, at any depth
    silencing: bool = False  # the lints of `allow` or `expect`
    own_macro: bool = False  # goes to a macro of the file's own, or defines one; at any depth


FILE = Group()
# By `own_macro`. Hostile text opens hundreds of thousands of groups.
_PLAIN = (FILE, Group(own_macro=True))
_ATTRIBUTE = (Group(names_attributes=True), Group(names_attributes=True, own_macro=True))


def opened(tokens: list[str], at: int, outer: Group, own_macros: Collection[str]) -> Group:
    """Return what the group is that the bracket at `at` opens inside of `outer`."""
    last = tokens[at - 1]
    own_macro = outer.own_macro or _is_of_own_macro(tokens, at, own_macros)
    if tokens[at] == "[":
        return _ATTRIBUTE[own_macro] if _is_attribute(tokens, at) else _PLAIN[own_macro]
    if tokens[at] == "(" and outer.names_attributes:
        return Group(
            names_attributes=last in _HOLDS_ATTRIBUTES,
            condition=outer.condition or last in _CONDITIONS,
            silencing=last in _SILENCES,
            own_macro=own_macro,
        )
    inherited = outer.condition and tokens[at] == "("
    if inherited or (last == "!" and tokens[at - 2] in _CONDITIONAL_MACROS):
        return Group(condition=True, own_macro=own_macro)
    return _PLAIN[own_macro]


def _is_attribute(tokens: list[str], at: int) -> bool:
    last = tokens[at - 1]
    return last == "#" or (last == "!" and tokens[at - 2] == "#")


def _is_of_own_macro(tokens: list[str], at: int, own_macros: Collection[str]) -> bool:
    """Tell whether `name!`, `$name!` or `macro_rules! name` stands before a group."""
    if tokens[at - 1] == "!":
        name = tokens[at - 2]
        return name in own_macros or (tokens[at - 3] == "$")
    return tokens[at - 2] == "!" and tokens[at - 3] == "macro_rules"
