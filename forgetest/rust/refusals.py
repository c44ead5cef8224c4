"""Which tokens of a sample are refused: as attributes, as macros, and never as mere names.

An attribute may be made by a macro of the sample's own, from words that it is given; there, words
that nobody chooses as a name count wherever they stand.
"""

from collections.abc import Collection
from dataclasses import dataclass

from forgetest.rust.groups import OPENING, Group
from forgetest.rust.scan_words import (
    ASSEMBLERS,
    ATTRIBUTES,
    ATTRIBUTES_IN_MACROS,
    LINK_KEYS,
    REDIRECTION,
    ROOT_CRATES,
)

_STD = "std"
WATCHED = frozenset({*ATTRIBUTES, *ASSEMBLERS, "extern", _STD})


_IMPORTABLE = "global_allocator"  # the one attribute that can be given another name
_DEFINES = frozenset({"mod", "as", "struct", "enum", "union", "trait", "type"})
_CRATE_CLAUSE = 5  # tokens behind `extern crate`: `$a as $b`


@dataclass(frozen=True, slots=True)
class Rules:
    """What the file as a whole says about its words; `crates` are those that tests rely on."""

    names_arch: bool  # assembly is imported from the module `arch` and nowhere else
    crates: Collection[str] = ROOT_CRATES
    makes_attributes: bool = True  # a macro of the file may put one together from what it is given
    std_is_in_root: bool = False  # in edition 2015 `::std` is what the crate's root calls `std`

    def reason(self, texts: list[str], at: int, group: Group) -> tuple[str, str] | None:
        """Return the name and the fault of what begins at a watched token, if it is refused."""
        text = texts[at]
        if text in ATTRIBUTES:
            hit = _is_attribute(texts, at, group, made=self.makes_attributes)
            return (text, ATTRIBUTES[text]) if hit else None
        if text in ASSEMBLERS:
            hit = self.names_arch and _is_macro(texts, at, group)
            return (f"{text}!", ASSEMBLERS[text]) if hit else None
        if text == _STD:
            hit = self.std_is_in_root and texts[at - 1] in _DEFINES
            return (f"{texts[at - 1]} std", REDIRECTION) if hit else None
        return self._redirection(texts, at)

    def _redirection(self, texts: list[str], at: int) -> tuple[str, str] | None:
        """Refuse `extern crate a as b` where `b` is a crate of the tests', or any in a macro."""
        clause = texts[at + 2 : at + 2 + _CRATE_CLAUSE]
        old, word, new, *_ = [*(text for text in clause if text != "$"), "", "", ""]
        if texts[at + 1] != "crate" or word != "as":
            return None
        made = "$" in texts[at + 4 : at + 6]
        # One of the true ones under another's name is what `no_std` crates do.
        hit = made or (new in self.crates and old not in ROOT_CRATES | {new})
        return (f"extern crate {old} as {new}", REDIRECTION) if hit else None


def _is_attribute(texts: list[str], at: int, group: Group, *, made: bool) -> bool:
    text, before, after = texts[at], texts[at - 1], texts[at + 1]
    if group.names_attributes:
        return before in OPENING or before in (",", "::")
    if made and group.own_macro and before != "$":
        keyed = after == "(" and texts[at + 2] in LINK_KEYS and texts[at + 3] == "="
        return text in ATTRIBUTES_IN_MACROS or (text == "link" and keyed)
    return text == _IMPORTABLE and after == "as"


def _is_macro(texts: list[str], at: int, group: Group) -> bool:
    if texts[at - 1] == "$":
        return False
    return texts[at + 1] in ("!", "as") or group.own_macro
