"""What single tokens of a sample tell about it, without being refused."""

from collections.abc import Callable

from forgetest.rust.groups import CLOSING, OPENING, Group
from forgetest.rust.names import STD_MACROS
from forgetest.rust.scan_words import (
    ENV_MACROS,
    FILE_MACROS,
    HOOKS,
    MODULE_ROOTS,
    MODULES,
    SOCKETS,
    Flag,
)

_OWN_TESTS_REACH = 40  # tokens between `#[cfg(test)]` and its `mod`
_BARE_CFG_TEST = ["#", "[", "cfg", "(", "test", ")", "]"]
_IN_TREES = frozenset({"::", "{", "}", ",", "*", "as"})


def flag_at(texts: list[str], at: int, group: Group) -> Flag | None:
    """Return the flag that a watched token raises where it stands."""
    text = texts[at]
    if text in _IN_ATTRIBUTES:
        return _in_attribute(texts, at, group)
    return _ALONE[text](texts, at)


def _in_attribute(texts: list[str], at: int, group: Group) -> Flag | None:
    text, after = texts[at], texts[at + 1]
    if group.silencing and text in ("clippy", "warnings"):
        return Flag.LINT_SILENCING
    if group.condition and text == "clippy" and after != "::":
        return Flag.CFG_CLIPPY
    if group.condition and text == "test" and not _keeps_own_tests(texts, at):
        return Flag.CFG_TEST
    if group.names_attributes and text == "path" and after == "=":
        return Flag.INCLUDE
    return None


def _keeps_own_tests(texts: list[str], at: int) -> bool:
    """Tell whether `test` at `at` stands in a bare `#[cfg(test)]` of a module."""
    if texts[max(at - 4, 0) : at + 3] != _BARE_CFG_TEST:
        return False
    depth = 0
    for text in texts[at + 3 : at + _OWN_TESTS_REACH]:
        depth += (text in OPENING) - (text in CLOSING)
        if depth == 0 and text not in ("#", "]", ")", "pub"):
            return text == "mod"
    return False


def _extern(texts: list[str], at: int) -> Flag | None:
    return Flag.EXTERN if texts[at + 1] != "crate" else None


def _macro_rules(texts: list[str], at: int) -> Flag | None:
    own = texts[at + 1] == "!" and texts[at + 2] in STD_MACROS
    return Flag.OWN_STD_MACRO if own else None


def _as(texts: list[str], at: int) -> Flag | None:
    return Flag.OWN_STD_MACRO if texts[at + 1] in STD_MACROS else None


def _file_macro(texts: list[str], at: int) -> Flag | None:
    return Flag.INCLUDE if texts[at + 1] == "!" else None


def _env_macro(texts: list[str], at: int) -> Flag | None:
    return Flag.ENV if texts[at + 1] == "!" else None


_IN_ATTRIBUTES = frozenset({"clippy", "warnings", "test", "path"})
_ALONE: dict[str, Callable[[list[str], int], Flag | None]] = {
    "extern": _extern,
    "macro_rules": _macro_rules,
    "as": _as,
    "unsafe": lambda _texts, _at: Flag.UNSAFE,
    **dict.fromkeys(FILE_MACROS, _file_macro),
    **dict.fromkeys(ENV_MACROS, _env_macro),
}
WATCHED = _IN_ATTRIBUTES | _ALONE.keys()


def flags_of_names(names: frozenset[str], words: frozenset[str]) -> set[Flag]:
    """Return the flags of what is named of std, given those names and all words of the code."""
    found = {flag for name, flag in MODULES.items() if name in names}
    if not SOCKETS & words:
        found.discard(Flag.NET)
    if Flag.PROCESS in found:
        found |= {flag for flag in (Flag.EXIT, Flag.ABORT) if flag in words}
    return found | ({Flag.SET_HOOK} if HOOKS & words else set())


def names_of_std(texts: list[str], words: frozenset[str]) -> frozenset[str]:
    """Return the names in paths and imports that begin at std; all words where it has an alias."""
    names: set[str] = set()
    end = 0
    for at, text in enumerate(texts):
        if text not in MODULE_ROOTS or at < end:
            continue
        if texts[at + 1] == "as" or texts[at + 1 : at + 3] == ["::", "*"]:
            return words
        end = _path_end(texts, at + 1)
        names.update(texts[at + 1 : end])
    return frozenset(names)


def _path_end(texts: list[str], at: int) -> int:
    """Return where the path, or the tree of imports, ends that goes on at `at`."""
    depth = 0
    for place in range(at, len(texts)):
        text, before = texts[place], texts[place - 1]
        depth += (text == "{" and before == "::") - (text == "}")
        within = depth > 0 and (text in _IN_TREES or before in _IN_TREES)
        if depth < 0 or not (within or text in ("::", "}") or before == "::"):
            return place
    return len(texts)
