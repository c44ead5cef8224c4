"""Eval sets to TOML that people like to read: code stays code, defaults are left out.

What all cases share goes into `[eval_set]`. Keys and their order are those of `schema`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from forgetest.evalset.forms import FROM_TOML, quoted
from forgetest.evalset.schema import INHERITED, CaseTable, Document, EvalSetTable
from forgetest.evalset.types import Case, EvalSet, UnsafeRule
from forgetest.rust.joined import split

_Table = Mapping[str, Any]

_WIDTH = 100
_LAST_SHORT = 0xFFFF  # the last character that `\\u` can spell
_SHORT_ESCAPES = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def dump(eval_set: EvalSet) -> str:
    """Return the TOML text: `parse(dump(x), file=x.file)` is x, apart from line numbers.

    ValueError when a value is none that an eval set may hold, or when the cases differ in edition
    or protocol, which TOML can only say of the whole set.
    """
    document = _document(eval_set).model_dump(exclude_defaults=True)
    head = {**document["eval_set"]}
    source = head.pop("source", None)
    lines = ["[eval_set]", *_pairs(head)]
    if source:
        lines += ["", "[eval_set.source]", *_pairs(source)]
    for case in document["cases"]:
        lines += _case_lines(case)
    return "\n".join(lines) + "\n"


def _document(eval_set: EvalSet) -> Document:
    head = EvalSetTable.model_validate(
        {
            **eval_set.model_dump(include={"id", "description", "version", "source"}),
            "name": None if eval_set.name == eval_set.id else eval_set.name,
            "edition": _common(eval_set, "edition"),
            "protocol": _common(eval_set, "protocol"),
            "default_timeout_secs": _shared(eval_set, "timeout_secs", None),
            "dependencies": [crate.model_dump() for crate in _shared(eval_set, "dependencies", ())],
            "unsafe": _shared(eval_set, "unsafe", UnsafeRule.ALLOW),
        },
        context=FROM_TOML,
    )
    cases = [_case_table(case, head) for case in eval_set.cases]
    return Document.model_validate({"eval_set": head, "cases": cases}, context=FROM_TOML)


def _common(eval_set: EvalSet, key: str) -> Any:
    values = {getattr(case, key) for case in eval_set.cases}
    if len(values) != 1:
        raise ValueError(f"the cases of eval set {eval_set.id} have no {key} in common")
    return values.pop()


def _shared(eval_set: EvalSet, key: str, default: Any) -> Any:
    """Return what all cases have at a key, the default when they differ."""
    values = {getattr(case, key) for case in eval_set.cases}
    return values.pop() if len(values) == 1 else default


def _case_table(case: Case, head: EvalSetTable) -> dict[str, Any]:
    """Return the keys of a case's table, without those that say what holds without them."""
    table = case.model_dump(include=set(CaseTable.model_fields))
    elsewhere = {key: getattr(head, head_key) for key, head_key in INHERITED.items()}
    for key, value in {"name": case.id, **elsewhere}.items():
        if table[key] == value:
            del table[key]
    if head.dependencies:
        del table["dependencies"]
    return table


def _case_lines(case: _Table) -> Iterator[str]:
    files = _reference_files(case)
    tables = ("context", "expectations", *(["reference_solution"] if files else []))
    own = {key: value for key, value in case.items() if key not in tables}
    yield from ("", "[[cases]]", *_pairs(own))
    for file in case.get("context", ()):
        yield from ("", "[[cases.context]]", *_pairs(file))
    if files:
        texts = {quoted(path): text for path, text in files.items()}
        yield from ("", "[cases.reference_solution]", *_pairs(texts))
    if expectations := dict(case.get("expectations", {})):
        uses = expectations.pop("compile_fail", ())
        yield from ("", "[cases.expectations]", *_pairs(expectations))
        for use in uses:
            yield from ("", "[[cases.expectations.compile_fail]]", *_pairs(use))


def _reference_files(case: _Table) -> Mapping[str, str]:
    """Return the files of a reference that has several."""
    files = split(case.get("reference_solution", ""), case.get("answer_files", ()))
    return files if len(files) > 1 else {}


def _pairs(table: _Table) -> Iterator[str]:
    for key, value in table.items():
        yield f"{key} = {_text(value) if isinstance(value, str) else _value(value)}"


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, str):
        return _line(value)
    if isinstance(value, tuple):
        return _array([_value(item) for item in value])
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {_value(item)}' for key, item in value.items())} }}"
    return str(value)


def _array(items: list[str]) -> str:
    line = f"[{', '.join(items)}]"
    if len(line) < _WIDTH - len("expected_error_codes = "):
        return line
    return "\n".join(("[", *(f"    {item}," for item in items), "]"))


def _text(text: str) -> str:
    """Write a string over several lines when it has them, raw when it can be."""
    if "\n" not in text:
        return _line(text)
    if "'''" in text or not _is_plain(text):
        body = _escaped(text, keep="\n").replace('"""', '""\\"')
        return f'"""\n{body}"""'
    return f"'''\n{text}'''"


def _line(text: str) -> str:
    if ('"' in text or "\\" in text) and "'" not in text and text.isprintable():
        return f"'{text}'"
    return '"' + _escaped(text).replace('"', '\\"') + '"'


def _is_plain(text: str) -> bool:
    return all(char.isprintable() or char in "\n\t" for char in text)


def _escaped(text: str, keep: str = "") -> str:
    """Return the text with backslashes doubled and everything invisible spelt out."""
    return "".join(
        char if char in keep or (char.isprintable() and char != "\\") else _escape(char)
        for char in text
    )


def _escape(char: str) -> str:
    if char == "\\":
        return "\\\\"
    code = ord(char)
    return _SHORT_ESCAPES.get(char, f"\\u{code:04x}" if code <= _LAST_SHORT else f"\\U{code:08x}")
