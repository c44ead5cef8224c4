"""What a sample's tokens say before anything is compiled: what is refused, what is flagged.

Words in comments and strings say nothing. Refused is what reaches below the language, to the linker
or the machine, and what leads the paths of tests astray: no test stands firm on these. All is done
in passes over the tokens, linear on every input.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from forgetest.rust import flags, refusals
from forgetest.rust.groups import CLOSING, FILE, OPENING, Group, opened
from forgetest.rust.scan_words import ROOT_CRATES, Flag
from forgetest.rust.tokens import tokenize

REFUSALS_KEPT = 20

_WATCHED = refusals.WATCHED | flags.WATCHED
_SIGN = frozenset("#")
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
_PADDING = ("",) * 8  # so that no look at a neighbour leaves the list, at either end


@dataclass(frozen=True, slots=True)
class Refusal:
    """Something that a sample may not hold."""

    name: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"`{self.name}` in line {self.line} is refused: {self.reason}"


@dataclass(frozen=True, slots=True)
class Scan:
    """What was found in one file of source."""

    refused: tuple[Refusal, ...] = ()  # the first of them, in the file's order
    flags: tuple[Flag, ...] = ()  # in the order of `Flag`
    unsafe: int = 0  # how often the keyword stands there
    unsafe_line: int | None = None  # where it stands first
    words: frozenset[str] = frozenset()  # every identifier and keyword of the code
    mentions_clippy: bool = False  # other than to name lints: it may be other code to clippy


def scan(code: str, *, edition: str = "2021", crates: Collection[str] = ()) -> Scan:
    """Return what the source holds; `crates` are its dependencies, as code names them.

    Every text has a result.
    """
    tokens = tokenize(code, edition=edition)
    texts = [*tokens.texts, *_PADDING]
    words = frozenset(text for text in frozenset(tokens.texts) if text.isidentifier())
    own_macros = _own_macros(texts, words)
    rules = refusals.Rules(
        names_arch="arch" in words,
        crates=ROOT_CRATES.union(crates),
        makes_attributes=_gives_sign(texts, own_macros),
        std_is_in_root=edition == "2015",
    )
    found = flags.flags_of_names(flags.names_of_std(texts, words), words) | _of_text(code)
    refused: list[Refusal] = []
    clippy = False
    for at, group in _watched(texts, own_macros, _WATCHED):
        if texts[at] in flags.WATCHED and (flag := flags.flag_at(texts, at, group)):
            found.add(flag)
        if texts[at] in refusals.WATCHED and len(refused) < REFUSALS_KEPT:
            why = rules.reason(texts, at, group)
            refused += [Refusal(why[0], _line(code, tokens.starts[at]), why[1])] if why else []
        # A macro may take `clippy::all` apart and ask for the first word.
        clippy |= texts[at] == "clippy" and (texts[at + 1] != "::" or group.own_macro)
    unsafe = tokens.texts.count("unsafe")
    return Scan(
        refused=tuple(refused),
        flags=tuple(flag for flag in Flag if flag in found),
        unsafe=unsafe,
        unsafe_line=_line(code, tokens.starts[texts.index("unsafe")]) if unsafe else None,
        words=words,
        mentions_clippy=clippy,
    )


def _gives_sign(texts: list[str], own_macros: Collection[str]) -> bool:
    """Tell whether a macro of the file's own holds or is given a `#`.

    From that and from any other tokens it may put an attribute together; without it, it cannot.
    """
    return any(group.own_macro for _, group in _watched(texts, own_macros, _SIGN))


def _watched(
    texts: list[str], own_macros: Collection[str], words: Collection[str]
) -> Iterator[tuple[int, Group]]:
    """Yield the place of each of the given words, and the group that it stands in."""
    groups = [FILE]
    for at, text in enumerate(texts):
        if text in OPENING:
            groups.append(opened(texts, at, groups[-1], own_macros))
        elif text in CLOSING and len(groups) > 1:
            groups.pop()
        elif text in words:
            yield at, groups[-1]


def _own_macros(texts: list[str], words: frozenset[str]) -> frozenset[str]:
    """Return the names of macros that the file defines, and any other names that it may give."""
    if "macro_rules" not in words:
        return frozenset()
    defined = {texts[at + 2] for at, text in enumerate(texts) if text == "macro_rules"}
    return frozenset(defined.union(_after(texts, "as")))


def _after(texts: list[str], word: str) -> list[str]:
    """Return the tokens that stand behind a word."""
    return [texts[at + 1] for at, text in enumerate(texts) if text == word]


def _of_text(code: str) -> set[Flag]:
    bidi = {Flag.BIDI} if _BIDI.search(code) else set[Flag]()
    return bidi | ({Flag.NUL} if "\0" in code else set())


def _line(code: str, at: int) -> int:
    return code.count("\n", 0, at) + 1
