"""What a sample's tokens say before anything is compiled: what is refused, what is flagged.

Words in comments and strings say nothing. Refused is what reaches below the language, to the linker
or the machine, and what leads the paths of tests astray: no test stands firm on these. All is done
in passes over the tokens, linear on every input.

What single tokens of a sample tell about it, without being refused.

Which tokens of a sample are refused: as attributes, as macros, and never as mere names.

An attribute may be made by a macro of the sample's own, from words that it is given; there, words
that nobody chooses as a name count wherever they stand.

The words that a scan of a sample looks for, and why some of them are refused.
"""

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum

from forgetest.rust.equality import bends_equality
from forgetest.rust.lexer import CLOSING, FILE, OPENING, TokenGroup, opened, tokenize
from forgetest.rust.stdlib import STD_MACROS


class Flag(StrEnum):
    """What a sample does that a reader of its result should know; nothing of it is forbidden."""

    UNSAFE = "unsafe"
    EXTERN = "extern"  # an `extern` block or function
    OWN_STD_MACRO = "own_std_macro"  # a macro or an import named like a macro of std
    LINT_SILENCING = "lint_silencing"  # allows or expects lints of clippy, or all warnings
    CFG_TEST = "cfg_test"  # differs under `--test`, other than by a module of its own tests
    CFG_CLIPPY = "cfg_clippy"  # differs under clippy
    PROCESS = "process"
    FS = "fs"
    NET = "net"
    ENV = "env"  # reads the environment, when compiled or when run
    INCLUDE = "include"  # reads files when compiled
    BIDI = "bidi"  # characters that make a reader see other code than the compiler
    NUL = "nul"
    SET_HOOK = "set_hook"  # replaces the panic hook
    OWN_EQ = "own_eq"  # its own equality or order is with other types, or does not compare
    EXIT = "exit"
    ABORT = "abort"


_LINKER = "it decides what the linker puts into the test program"
_MACHINE = "it is machine code, which no check of the sample can follow"
_RUNTIME = "it replaces a part of the runtime that the tests stand on"

# Refused as the name of an attribute.
ATTRIBUTES = {
    **dict.fromkeys(
        ("no_mangle", "export_name", "link_section", "link_name", "link", "link_ordinal"), _LINKER
    ),
    **dict.fromkeys(("linkage", "link_args", "rustc_std_internal_symbol"), _LINKER),
    "naked": _MACHINE,
    **dict.fromkeys(("global_allocator", "panic_handler", "alloc_error_handler"), _RUNTIME),
    **dict.fromkeys(("lang", "start", "rustc_main", "prelude_import"), _RUNTIME),
}
# Of these, what is refused wherever a macro of the sample's own can make an attribute of it. The
# others are everyday words.
ATTRIBUTES_IN_MACROS = frozenset(ATTRIBUTES) - {"link", "linkage", "naked", "lang", "start"}
# What `link` is given when it is an attribute.
LINK_KEYS = frozenset({"name", "kind", "modifiers"})

# Refused as macros, in a file that names the module `arch`, which they are imported from.
ASSEMBLERS = dict.fromkeys(("asm", "global_asm", "naked_asm"), _MACHINE)

REDIRECTION = "it makes paths of the tests lead into the sample"
ROOT_CRATES = frozenset({"std", "core", "alloc"})

MODULES = {"process": Flag.PROCESS, "fs": Flag.FS, "env": Flag.ENV, "net": Flag.NET}
# Addresses live in `std::net`, too, and are harmless.
_SOCKETS = """
TcpStream TcpListener TcpSocket UdpSocket ToSocketAddrs to_socket_addrs lookup_host
UnixStream UnixListener UnixDatagram
"""
SOCKETS = frozenset(_SOCKETS.split())
FILE_MACROS = frozenset({"include", "include_str", "include_bytes"})
ENV_MACROS = frozenset({"env", "option_env"})
HOOKS = frozenset({"set_hook", "update_hook"})
MODULE_ROOTS = frozenset({"std", "tokio"})


_OWN_TESTS_REACH = 40  # tokens between `#[cfg(test)]` and its `mod`
_BARE_CFG_TEST = ["#", "[", "cfg", "(", "test", ")", "]"]
_IN_TREES = frozenset({"::", "{", "}", ",", "*", "as"})


def flag_at(texts: list[str], at: int, group: TokenGroup) -> Flag | None:
    """Return the flag that a watched token raises where it stands."""
    text = texts[at]
    if text in _IN_ATTRIBUTES:
        return _in_attribute(texts, at, group)
    return _ALONE[text](texts, at)


def _in_attribute(texts: list[str], at: int, group: TokenGroup) -> Flag | None:
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
_FLAGGED = _IN_ATTRIBUTES | _ALONE.keys()


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


_STD = "std"
_REFUSED = frozenset({*ATTRIBUTES, *ASSEMBLERS, "extern", _STD})


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

    def reason(self, texts: list[str], at: int, group: TokenGroup) -> tuple[str, str] | None:
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


def _is_attribute(texts: list[str], at: int, group: TokenGroup, *, made: bool) -> bool:
    text, before, after = texts[at], texts[at - 1], texts[at + 1]
    if group.names_attributes:
        return before in OPENING or before in (",", "::")
    if made and group.own_macro and before != "$":
        keyed = after == "(" and texts[at + 2] in LINK_KEYS and texts[at + 3] == "="
        return text in ATTRIBUTES_IN_MACROS or (text == "link" and keyed)
    return text == _IMPORTABLE and after == "as"


def _is_macro(texts: list[str], at: int, group: TokenGroup) -> bool:
    if texts[at - 1] == "$":
        return False
    return texts[at + 1] in ("!", "as") or group.own_macro


REFUSALS_KEPT = 20

_WATCHED = _REFUSED | _FLAGGED
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
    rules = Rules(
        names_arch="arch" in words,
        crates=ROOT_CRATES.union(crates),
        makes_attributes=_gives_sign(texts, own_macros),
        std_is_in_root=edition == "2015",
    )
    found = flags_of_names(names_of_std(texts, words), words) | _of_text(code)
    if bends_equality(texts):
        found.add(Flag.OWN_EQ)
    refused: list[Refusal] = []
    clippy = False
    for at, group in _watched(texts, own_macros, _WATCHED):
        if texts[at] in _FLAGGED and (flag := flag_at(texts, at, group)):
            found.add(flag)
        if texts[at] in _REFUSED and len(refused) < REFUSALS_KEPT:
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
) -> Iterator[tuple[int, TokenGroup]]:
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
