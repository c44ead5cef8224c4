"""The corpus of attacks: what each file does, and the verdict that it must get."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from program import ROOT

from forgetest.evalset.load import load
from forgetest.evalset.types import Case

FOLDER = ROOT / "tests" / "corpus" / "attacks"
PUBLIC, SPLICE = "public", "splice"
# What becomes of every test where the verdict alone says it.
_TESTS_OF = {"passed": "passed", "tests_failed": "failed", "test_build_failed": "not_built"}
# Verdicts that are settled before the layout matters.
_BEFORE_TESTS = frozenset({"policy", "compile_failed", "compile_timeout"})
# Who decides over an attack, where it is neither how it is laid out nor in which walls it runs.
ONCE = {
    "compiler": "rustc refuses it, a use or a twin of it, or is stopped, and needs nothing outside",
    "harness": "the test's own process ends or reports so, without a call that walls could refuse",
    "limits": "the launcher sets the limit, alike in all walls; tests/sandbox holds each in each",
}

_RIGHT = "{ s.chars().rev().collect() }"
_DEEP = 20_000


def _comment() -> str:
    return f"// {'x' * (10 << 20)}\npub fn rev(s: &str) -> String {_RIGHT}\n"


def _functions() -> str:
    many = "".join(f"pub fn f{n}() {{}}\n" for n in range(400_000))
    return f"{many}pub fn rev(s: &str) -> String {_RIGHT}\n"


def _parentheses() -> str:
    return f"pub fn rev(s: &str) -> String {{ {'(' * _DEEP}s{')' * _DEEP}.to_owned() }}\n"


def _long_line() -> str:
    return f"/*{'x' * ((1 << 20) - 100)}*/ pub fn rev(s: &str) -> String {_RIGHT}\n"


def _blocks() -> str:
    return f"pub fn rev(s: &str) -> String {'{ ' * _DEEP}s.to_owned(){' }' * _DEEP}\n"


def _name() -> str:
    return f"mod m{'x' * (1 << 19)};\npub fn rev(s: &str) -> String {_RIGHT}\n"


_MADE: Mapping[str, Callable[[], str]] = {
    "g01_has_a_comment_of_ten_megabytes": _comment,
    "g02_has_four_hundred_thousand_functions": _functions,
    "g03_opens_raw_strings": lambda: 'r#"' * 8000,
    "g04_is_deep_in_parentheses": _parentheses,
    "g05_opens_comments": lambda: "/*" * (1 << 19),
    "g06_has_half_a_character": lambda: f"// \ud800\npub fn rev(s: &str) -> String {_RIGHT}\n",
    "g07_is_one_long_line": _long_line,
    "g08_is_deep_in_blocks": _blocks,
    "g09_is_full_of_quotes": lambda: "'\"" * (1 << 15),
    "g10_has_a_name_of_a_megabyte": _name,
}


@dataclass(frozen=True)
class Attack:
    """One file of the corpus, or one that is made, and all that is expected of its verdict."""

    name: str
    case: Case
    does: str
    by: str
    verdict: tuple[str, ...]
    tests: Mapping[str, tuple[str, ...]]  # of each test, in their order; empty: none was reached
    flags: frozenset[str]
    level: tuple[str, ...]
    lints: tuple[str, ...] | None
    silenced: int
    limits: Mapping[str, Any]
    layouts: tuple[str, ...]
    once: str | None
    without: str | None
    only: str | None
    honest: bool
    open: bool

    @property
    def row(self) -> str:
        """The row of the table of attacks, such as f03 for f03a."""
        return self.name[:3]

    def code(self, places: Mapping[str, object]) -> str:
        """Return the sample; `places` are what stands between two at-signs in the file."""
        if self.name in _MADE:
            return _MADE[self.name]()
        text = (FOLDER / f"{self.name}.rs").read_bytes().decode()
        for word, value in places.items():
            text = text.replace(f"@{word}@", str(value))
        return text


def cases() -> dict[str, Case]:
    """Return the cases that the corpus answers, by their ids."""
    (eval_set,) = load([FOLDER / "cases.toml"])
    return {case.id: case for case in eval_set.cases}


def attacks() -> tuple[Attack, ...]:
    """Return the corpus in the order of its table."""
    by_id = cases()
    table = tomllib.loads((FOLDER / "attacks.toml").read_text())
    return tuple(
        _attack(name, entry, by_id[entry.get("case", "rev")]) for name, entry in table.items()
    )


def attack(name: str) -> Attack:
    """Return the one whose name begins so."""
    (found,) = (one for one in attacks() if one.name.startswith(f"{name}_"))
    return found


def _attack(name: str, entry: dict[str, Any], case: Case) -> Attack:
    honest = entry.get("honest", False)
    verdict = _words(entry.get("verdict", "passed" if honest else "tests_failed"))
    flags = frozenset(entry.get("flags", ()))
    flagged = flags or "policy" in verdict
    settled = _BEFORE_TESTS.issuperset(verdict)
    layouts = (PUBLIC,) if settled else tuple(entry.get("layouts", (PUBLIC, SPLICE)))
    lints = entry.get("lints")
    return Attack(
        name=name,
        case=case,
        does=entry["does"],
        by=entry["by"],
        verdict=verdict,
        tests=_tests(case, entry.get("tests"), verdict),
        flags=flags,
        level=_words(entry.get("level", "flagged" if flagged else "clean")),
        lints=None if lints is None else tuple(lints),
        silenced=entry.get("silenced", 0),
        limits=entry.get("limits", {}),
        layouts=layouts,
        once=entry.get("once"),
        without=entry.get("without"),
        only=entry.get("only"),
        honest=honest,
        open=entry.get("open", False),
    )


def _words(given: str | list[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _tests(case: Case, given: Any, verdict: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    if isinstance(given, dict):
        return {name: _words(words) for name, words in given.items()}
    words = _words(given) if given else tuple(_TESTS_OF[one] for one in verdict if one in _TESTS_OF)
    return dict.fromkeys(_names(case), words) if words else {}


def _names(case: Case) -> list[str]:
    source = case.expectations.test_file or ""
    return [
        *(
            line.split("fn ")[1].split("(")[0]
            for line in source.splitlines()
            if line.startswith("    fn ")
        ),
        *(use.name for use in case.expectations.compile_fail),
    ]
