"""What the tokens of a sample say before anything is compiled: what is refused, what is flagged.

`scan` walks the tokens with the group of brackets that each is in (`TokenGroup`). Some words
raise a flag there (`flag_at`), some are refused (`Rules`). Refused is code that reaches below the
language, to the linker or the machine, and code that makes the tests' paths lead elsewhere: no test
can be trusted with these. Words in comments and strings do not count. All passes are linear on
every input.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from forgetest.rust.equality import bends_equality
from forgetest.rust.lexer import CLOSING, LITERAL, OPENING, tokenize
from forgetest.rust.stdlib import STD_CRATES, STD_MACROS


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


@dataclass(frozen=True, slots=True)
class Refusal:
    """Something that a sample may not contain."""

    name: str
    line: int
    reason: str
    file: str = ""  # of several

    def __str__(self) -> str:
        return f"`{self.name}` in {place(self.line, self.file)} is refused: {self.reason}"


def place(line: int | None, file: str) -> str:
    """Return `line 3`, and of which file where there are several."""
    return f"line {line} of {file}" if file else f"line {line}"


@dataclass(frozen=True, slots=True)
class Scan:
    """What the tokens of a sample show."""

    refused: tuple[Refusal, ...] = ()  # the first of them, in the file's order
    flags: tuple[Flag, ...] = ()  # in the order of `Flag`
    unsafe: int = 0  # how often the keyword occurs
    unsafe_line: int | None = None  # where it occurs first
    unsafe_file: str = ""
    words: frozenset[str] = frozenset()  # every identifier and keyword of the code
    mentions_clippy: bool = False  # other than to name lints: clippy may see other code
    own_memory: Refusal | None = None  # how it gets memory that no counting allocator sees


_HOLDS_ATTRIBUTES = frozenset({"unsafe", "cfg_attr"})
_SILENCES = frozenset({"allow", "expect"})
_CONDITIONS = frozenset({"cfg", "cfg_attr"})
_CONDITIONAL_MACROS = frozenset({"cfg", "cfg_select"})


class TokenGroup(NamedTuple):
    """The use of the tokens directly in a group of brackets."""

    names_attributes: bool = False  # `#[..]`, `#[unsafe(..)]`, `#[cfg_attr(..)]`
    condition: bool = False  # of `cfg`, at any depth
    silencing: bool = False  # the lints of `allow` or `expect`
    own_macro: bool = False  # goes to a macro of the file's own, or defines one; at any depth


_FILE = TokenGroup()
# By `own_macro`. Hostile text opens hundreds of thousands of groups.
_PLAIN = (_FILE, TokenGroup(own_macro=True))
_ATTRIBUTE = (TokenGroup(names_attributes=True), TokenGroup(names_attributes=True, own_macro=True))


def _opened(
    tokens: list[str], at: int, outer: TokenGroup, own_macros: Collection[str]
) -> TokenGroup:
    """Return the use of the group that the bracket at `at` opens inside of `outer`."""
    last = tokens[at - 1]
    own_macro = outer.own_macro or _is_of_own_macro(tokens, at, own_macros)
    if tokens[at] == "[":
        return _ATTRIBUTE[own_macro] if _opens_attribute(tokens, at) else _PLAIN[own_macro]
    if tokens[at] == "(" and outer.names_attributes:
        return TokenGroup(
            names_attributes=last in _HOLDS_ATTRIBUTES,
            condition=outer.condition or last in _CONDITIONS,
            silencing=last in _SILENCES,
            own_macro=own_macro,
        )
    inherited = outer.condition and tokens[at] == "("
    if inherited or (last == "!" and tokens[at - 2] in _CONDITIONAL_MACROS):
        return TokenGroup(condition=True, own_macro=own_macro)
    return _PLAIN[own_macro]


def _opens_attribute(tokens: list[str], at: int) -> bool:
    last = tokens[at - 1]
    return last == "#" or (last == "!" and tokens[at - 2] == "#")


def _is_of_own_macro(tokens: list[str], at: int, own_macros: Collection[str]) -> bool:
    """Tell whether `name!`, `$name!` or `macro_rules! name` comes before a group."""
    if tokens[at - 1] == "!":
        name = tokens[at - 2]
        return name in own_macros or (tokens[at - 3] == "$")
    return tokens[at - 2] == "!" and tokens[at - 3] == "macro_rules"


_STD_MODULES = {"process": Flag.PROCESS, "fs": Flag.FS, "env": Flag.ENV, "net": Flag.NET}
# Addresses live in `std::net`, too, and are harmless.
_SOCKETS = frozenset(
    {"TcpStream", "TcpListener", "TcpSocket", "UdpSocket", "ToSocketAddrs", "to_socket_addrs"}
    | {"lookup_host", "UnixStream", "UnixListener", "UnixDatagram"}
)
_FILE_MACROS = frozenset({"include", "include_str", "include_bytes"})
_ENV_MACROS = frozenset({"env", "option_env"})
_HOOKS = frozenset({"set_hook", "update_hook"})
_MODULE_ROOTS = frozenset({"std", "tokio"})
_OWN_TESTS_REACH = 40  # tokens between `#[cfg(test)]` and its `mod`
_BARE_CFG_TEST = ["#", "[", "cfg", "(", "test", ")", "]"]
_IN_TREES = frozenset({"::", "{", "}", ",", "*", "as"})


def _flag_at(texts: list[str], at: int, group: TokenGroup) -> Flag | None:
    """Return the flag that a watched token raises in its place."""
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
    """Tell whether `test` at `at` is in a bare `#[cfg(test)]` of a module."""
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
    **dict.fromkeys(_FILE_MACROS, _file_macro),
    **dict.fromkeys(_ENV_MACROS, _env_macro),
}
_FLAGGED = _IN_ATTRIBUTES | _ALONE.keys()


def _flags_of_names(names: frozenset[str], words: frozenset[str]) -> set[Flag]:
    """Return the flags raised by names of the standard library, given all words of the code."""
    flags = {flag for name, flag in _STD_MODULES.items() if name in names}
    if not _SOCKETS & words:
        flags.discard(Flag.NET)
    if Flag.PROCESS in flags:
        flags |= {flag for flag in (Flag.EXIT, Flag.ABORT) if flag in words}
    return flags | ({Flag.SET_HOOK} if _HOOKS & words else set())


def _names_of_std(texts: list[str], words: frozenset[str]) -> frozenset[str]:
    """Return the names in paths and imports that begin at std; all words where it has an alias."""
    names: set[str] = set()
    end = 0
    for at, text in enumerate(texts):
        if text not in _MODULE_ROOTS or at < end:
            continue
        if texts[at + 1] == "as" or texts[at + 1 : at + 3] == ["::", "*"]:
            return words
        end = _path_end(texts, at + 1)
        names.update(texts[at + 1 : end])
    return frozenset(names)


def _path_end(texts: list[str], at: int) -> int:
    """Return where the path or tree of imports ends that continues at `at`."""
    depth = 0
    for place in range(at, len(texts)):
        text, before = texts[place], texts[place - 1]
        depth += (text == "{" and before == "::") - (text == "}")
        within = depth > 0 and (text in _IN_TREES or before in _IN_TREES)
        if depth < 0 or not (within or text in ("::", "}") or before == "::"):
            return place
    return len(texts)


_LINKER = "it decides what the linker puts into the test program"
_MACHINE = "it is machine code, which no check of the sample can follow"
_RUNTIME = "it replaces a part of the runtime that the tests rely on"

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
# Refused wherever a macro of the sample's own can build an attribute from it. The others are
# everyday words.
_ATTRIBUTES_IN_MACROS = frozenset(ATTRIBUTES) - {"link", "linkage", "naked", "lang", "start"}
# The arguments of `link` as an attribute.
_LINK_KEYS = frozenset({"name", "kind", "modifiers"})

# Refused as macros in a file that names the module `arch`: they are imported from it.
_ASSEMBLERS = dict.fromkeys(("asm", "global_asm", "naked_asm"), _MACHINE)

_UNCOUNTED = "the memory that it takes could not be counted"
_REDIRECTION = "it makes paths of the tests lead into the sample"
_STD = "std"
_REFUSED = frozenset({*ATTRIBUTES, *_ASSEMBLERS, "extern", _STD})
_IMPORTABLE = "global_allocator"  # the one attribute that can be given another name
_DEFINES = frozenset({"mod", "as", "struct", "enum", "union", "trait", "type"})
_CRATE_CLAUSE = 5  # tokens behind `extern crate`: `$a as $b`


@dataclass(frozen=True, slots=True)
class _Rules:
    """Which words are refused, given the file as a whole; `crates` are those that tests rely on."""

    names_arch: bool  # assembly is only imported from the module `arch`
    crates: Collection[str]
    makes_attributes: bool  # a macro of the file may build one from its arguments
    std_is_in_root: bool  # in edition 2015 `::std` is what the crate's root calls `std`

    def refusal(self, texts: list[str], at: int, group: TokenGroup) -> tuple[str, str] | None:
        """Return what begins at a watched token and why it is refused; None if it is not."""
        text = texts[at]
        if text in ATTRIBUTES:
            hit = _is_attribute(texts, at, group, made=self.makes_attributes)
            return (text, ATTRIBUTES[text]) if hit else None
        if text in _ASSEMBLERS:
            hit = self.names_arch and _is_macro(texts, at, group)
            return (f"{text}!", _ASSEMBLERS[text]) if hit else None
        if text == _STD:
            hit = self.std_is_in_root and texts[at - 1] in _DEFINES
            return (f"{texts[at - 1]} std", _REDIRECTION) if hit else None
        return self._redirection(texts, at)

    def _redirection(self, texts: list[str], at: int) -> tuple[str, str] | None:
        """Refuse `extern crate a as b` where `b` is a crate of the tests, and any in a macro."""
        clause = texts[at + 2 : at + 2 + _CRATE_CLAUSE]
        old, word, new, *_ = [*(text for text in clause if text != "$"), "", "", ""]
        if texts[at + 1] != "crate" or word != "as":
            return None
        made = "$" in texts[at + 4 : at + 6]
        # `no_std` crates give one standard crate the name of another.
        hit = made or (new in self.crates and old not in STD_CRATES | {new})
        return (f"extern crate {old} as {new}", _REDIRECTION) if hit else None


def _is_attribute(texts: list[str], at: int, group: TokenGroup, *, made: bool) -> bool:
    text, before, after = texts[at], texts[at - 1], texts[at + 1]
    if group.names_attributes:
        return before in OPENING or before in (",", "::")
    if made and group.own_macro and before != "$":
        keyed = after == "(" and texts[at + 2] in _LINK_KEYS and texts[at + 3] == "="
        return text in _ATTRIBUTES_IN_MACROS or (text == "link" and keyed)
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


def scan(code: str, *, edition: str = "2021", crates: Collection[str] = ()) -> Scan:
    """Return what the tokens of any text show; `crates` are the dependencies' Rust names."""
    tokens = tokenize(code, edition=edition)
    texts = [*tokens.texts, *_PADDING]
    words = frozenset(text for text in frozenset(tokens.texts) if text.isidentifier())
    own_macros = _own_macros(texts, words)
    rules = _Rules(
        names_arch="arch" in words,
        crates=STD_CRATES.union(crates),
        makes_attributes=_gives_sign(texts, own_macros),
        std_is_in_root=edition == "2015",
    )
    names = _names_of_std(texts, words)
    flags = _flags_of_names(names, words) | _flags_of_text(code)
    if bends_equality(texts):
        flags.add(Flag.OWN_EQ)
    refused: list[Refusal] = []
    clippy = False
    for at, group in _watched(texts, own_macros, _WATCHED):
        if texts[at] in _FLAGGED and (flag := _flag_at(texts, at, group)):
            flags.add(flag)
        refusal = rules.refusal(texts, at, group) if texts[at] in _REFUSED else None
        if refusal and len(refused) < REFUSALS_KEPT:
            name, reason = refusal
            refused.append(Refusal(name, _line(code, tokens.starts[at]), reason))
        # A macro may take `clippy::all` apart and ask for the first word.
        clippy |= texts[at] == "clippy" and (texts[at + 1] != "::" or group.own_macro)
    unsafe = tokens.texts.count("unsafe")
    return Scan(
        refused=tuple(refused),
        flags=tuple(flag for flag in Flag if flag in flags),
        unsafe=unsafe,
        unsafe_line=_line(code, tokens.starts[texts.index("unsafe")]) if unsafe else None,
        words=words,
        mentions_clippy=clippy,
        own_memory=_own_memory(texts, tokens.starts, names, code)
        if words & {"extern", "System"}
        else None,
    )


def _own_memory(
    texts: list[str], starts: list[int], names: frozenset[str], code: str
) -> Refusal | None:
    """Return the first way past the global allocator: std's allocator itself, or foreign code."""
    watched = {"extern", "System"} if "alloc" in names else {"extern"}
    for at, start in enumerate(starts):
        if texts[at] in watched and (texts[at] == "System" or _opens_foreign_block(texts, at)):
            return Refusal(texts[at], _line(code, start), _UNCOUNTED)
    return None


def _opens_foreign_block(texts: list[str], at: int) -> bool:
    """Tell whether `extern` at `at` begins a block: `extern {`, `extern "C" {`."""
    return texts[at + 1 + (texts[at + 1] == LITERAL)] == "{"


def scan_files(
    files: Mapping[str, str], whole: str, *, edition: str, crates: Collection[str] = ()
) -> Scan:
    """Return what the files of one crate show; `whole` is all of them as one text.

    Each is read by itself, as rustc does, and all together, because a macro of one may be called
    in another.
    """
    scans = [
        _placed(scan(text, edition=edition, crates=crates), path) for path, text in files.items()
    ]
    every = (*scans, scan(whole, edition=edition, crates=crates))
    refused = tuple(refusal for found in scans for refusal in found.refused)
    unsafe = next((found for found in scans if found.unsafe), Scan())
    return Scan(
        refused=refused[:REFUSALS_KEPT] or every[-1].refused,
        flags=tuple(flag for flag in Flag if any(flag in found.flags for found in every)),
        unsafe=sum(found.unsafe for found in scans),
        unsafe_line=unsafe.unsafe_line,
        unsafe_file=unsafe.unsafe_file,
        words=frozenset().union(*(found.words for found in every)),
        mentions_clippy=any(found.mentions_clippy for found in every),
        own_memory=next((found.own_memory for found in every if found.own_memory), None),
    )


def _placed(found: Scan, path: str) -> Scan:
    """Return what one of several files shows, with its path."""
    return replace(
        found,
        refused=tuple(replace(refusal, file=path) for refusal in found.refused),
        unsafe_file=path,
        own_memory=found.own_memory and replace(found.own_memory, file=path),
    )


def _gives_sign(texts: list[str], own_macros: Collection[str]) -> bool:
    """Tell whether a macro of the file's own contains or is given a `#`.

    With that sign it may build an attribute from any other tokens; without it, it cannot.
    """
    return any(group.own_macro for _, group in _watched(texts, own_macros, _SIGN))


def _watched(
    texts: list[str], own_macros: Collection[str], words: Collection[str]
) -> Iterator[tuple[int, TokenGroup]]:
    """Yield the place of each of the given words, and the group that it is in."""
    groups = [_FILE]
    for at, text in enumerate(texts):
        if text in OPENING:
            groups.append(_opened(texts, at, groups[-1], own_macros))
        elif text in CLOSING and len(groups) > 1:
            groups.pop()
        elif text in words:
            yield at, groups[-1]


def _own_macros(texts: list[str], words: frozenset[str]) -> frozenset[str]:
    """Return the names of macros that the file defines, and the aliases that it may give them."""
    if "macro_rules" not in words:
        return frozenset()
    defined = {texts[at + 2] for at, text in enumerate(texts) if text == "macro_rules"}
    aliases = {after for text, after in pairwise(texts) if text == "as"}
    return frozenset(defined | aliases)


def _flags_of_text(code: str) -> set[Flag]:
    bidi = {Flag.BIDI} if _BIDI.search(code) else set[Flag]()
    return bidi | ({Flag.NUL} if "\0" in code else set())


def _line(code: str, at: int) -> int:
    return code.count("\n", 0, at) + 1
