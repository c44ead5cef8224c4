"""What is wrong with single keys of a document, in the words of TOML.

A problem names its place in the document; `load` adds the line in the file, and checks the rules
across several keys.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from forgetest.evalset.forms import FROM_TOML, listed, quoted
from forgetest.evalset.positions import KeyPath
from forgetest.evalset.schema import Document, choices_by_key, keys_of, tables_by_key


@dataclass(frozen=True, slots=True)
class KeyProblem:
    """One thing wrong at one place: the message is `lead`, the key in quotes, then `rest`."""

    path: KeyPath
    rest: str
    lead: str = ""

    def message(self, document: Mapping[str, Any]) -> str:
        """Return the whole line after `file:line: `, with the case and the key."""
        label, key = _split(self.path, document)
        gap = "" if self.rest.startswith(";") else " "
        return f"{label}{self.lead}{key}{gap}{self.rest}"


_TABLES = tables_by_key()  # by the key that holds them; the document's own is ""
_CHOICES = choices_by_key()
_HEADERS = {
    "eval_set": "[eval_set]",
    "cases": "[[cases]]",
    "expectations": "[cases.expectations]",
}
_ORDINALS = {
    "cases": "case",
    "dependencies": "dependency",
    "context": "context file",
    "equivalent_mutants": "equivalent mutant",
    "compile_fail": "compile-fail test",
}
_WRITE = {
    "eval_set": "[eval_set]",
    "cases": "[[cases]]",
    "expectations": "[cases.expectations]",
    "dependencies": 'dependencies = [{ name = "tokio", version = "1" }]',
    "context": "[[cases.context]]",
    "equivalent_mutants": 'equivalent_mutants = [{ mutant = "...", reason = "..." }]',
    "source": "[eval_set.source]",
    "compile_fail": "[[cases.expectations.compile_fail]]",
    "code": 'code = "E0499"',
    "path": 'path = "src/..."',
    "content": "content = '''...'''",
}
_USES = frozenset({"source", "compiles"})  # the Rust texts of a compile-fail test
_TYPES: tuple[tuple[type, str], ...] = (
    (str, "a string"),
    (bool, "a boolean"),
    (int, "an integer"),
    (float, "a float"),
    (list, "an array"),
    (dict, "a table"),
    (datetime, "a date-time"),
    (date, "a date"),
    (time, "a time"),
)


def validated(document: Mapping[str, Any]) -> Document | list[KeyProblem]:
    """Return the document in its schema's types, or what is wrong with each key by itself."""
    try:
        return Document.model_validate(document, context=FROM_TOML)
    except ValidationError as error:
        return [_finding(details) for details in error.errors(include_url=False)]


def _finding(details: ErrorDetails) -> KeyProblem:
    path = details["loc"]
    if details["type"] == "extra_forbidden":
        return KeyProblem(path, _advice(path), lead="unknown key ")
    say = _SENTENCES.get(details["type"])
    return KeyProblem(path, say(details) if say else details["msg"])


def _wrong_type(expected: str) -> Callable[[ErrorDetails], str]:
    def say(details: ErrorDetails) -> str:
        wanted = f"must be {expected}, got {_type_name(details['input'])}"
        hint = _repair(_key(details), details["input"], expected)
        return f"{wanted}; write {hint}" if hint else wanted

    return say


def _repair(key: str, given: Any, expected: str) -> str | None:
    """Show the commonest slips put right: a bare `edition = 2021`, a dependency without braces."""
    if expected == "a table":
        return _WRITE.get(key)
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    return quoted(str(given)) if expected == "a string" and is_number else None


def _wrong_array(details: ErrorDetails) -> str:
    key = _key(details)
    items = "tables" if key in _TABLES else "strings"
    hint = f"; write {_WRITE[key]}" if key in _WRITE else ""
    return f"must be an array of {items}, got {_type_name(details['input'])}{hint}"


def _wrong_number(details: ErrorDetails) -> str:
    if type(details["input"]) is int:
        return "is too large"
    return f"must be a number, got {_type_name(details['input'])}"


def _wrong_choice(details: ErrorDetails) -> str:
    given = details["input"]
    shown = quoted(given) if isinstance(given, str) else _type_name(given)
    return f"must be one of {listed(_CHOICES[_key(details)])}, got {shown}"


def _missing(details: ErrorDetails) -> str:
    key = _key(details)
    example = _WRITE.get(key, f'{key} = "..."')
    if "compile_fail" in details["loc"] and key in _USES:
        example = f"{key} = '''...'''"
    return f"is missing; add {example}"


_SENTENCES: dict[str, Callable[[ErrorDetails], str]] = {
    "missing": _missing,
    "string_type": _wrong_type("a string"),
    "bool_type": _wrong_type("true or false"),
    "int_type": _wrong_type("an integer"),
    "float_type": _wrong_number,
    "tuple_type": _wrong_array,
    "model_type": _wrong_type("a table"),
    "enum": _wrong_choice,
    "finite_number": lambda _: "must be a finite number",
    "greater_than": lambda details: f"must be more than {details['ctx']['gt']:g}",
    "greater_than_equal": lambda details: f"must be at least {details['ctx']['ge']:g}",
    "less_than_equal": lambda details: f"must be at most {details['ctx']['le']:g}",
    "value_error": lambda details: str(details["ctx"]["error"]),
}


def _key(details: ErrorDetails) -> str:
    """Return the key that the value belongs to, also for an item of the key's array."""
    return next(part for part in reversed(details["loc"]) if isinstance(part, str))


def _type_name(value: Any) -> str:
    return next(name for kind, name in _TYPES if isinstance(value, kind))


def _advice(path: KeyPath) -> str:
    """Say which key was meant, or which table it belongs to, or which keys there are."""
    key = str(path[-1])
    names = [part for part in path[:-1] if isinstance(part, str)]
    table = _TABLES[names[-1] if names else ""]
    if close := get_close_matches(key, keys_of(table), n=1, cutoff=0.7):
        return f"; did you mean {quoted(close[0])}?"
    for name, header in _HEADERS.items():
        if key in _TABLES[name].model_fields:
            return f"; it belongs in {header}"
    return f"; the keys here are {', '.join(keys_of(table))}"


def _split(path: KeyPath, document: Mapping[str, Any]) -> tuple[str, str]:
    """Return the label of the tables that the path goes through, and the key in quotes."""
    match path:
        case (str(name), int(index), _, *_) if name in _ORDINALS:
            label, key = _split(path[2:], document)
            return f"{_nth(name, index, document)}: {label}", key
        case ("expectations", "compile_fail" as name, int(index), _, *_):
            label, key = _split(path[3:], document)
            return f"{_nth(name, index, document)}: {label}", key
        case ("eval_set" | "source" as name, _, *_):
            label, key = _split(path[1:], document)
            return f"{name}: {label}", key
        case (*keys, int(index)):
            return "", f"item {index + 1} of {quoted('.'.join(map(str, keys)))}"
    return "", quoted(".".join(map(str, path)))


def _nth(name: str, index: int, document: Mapping[str, Any]) -> str:
    """Name a case by its id when it has one, everything else by its place."""
    case_id = document["cases"][index].get("id") if name == "cases" else None
    if isinstance(case_id, str) and case_id.strip():
        return f"case {quoted(case_id)}"
    return f"{_ORDINALS[name]} {index + 1}"
