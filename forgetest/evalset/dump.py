"""Eval sets to TOML that people like to read: code stays code, defaults stay unsaid.

What all cases share goes into `[eval_set]`. Keys and their order are those of `schema`.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from forgetest.evalset.schema import (
    CaseTable,
    ContextTable,
    DependencyTable,
    Document,
    EquivalentMutantTable,
    EvalSetTable,
    ExpectationsTable,
    SourceTable,
)
from forgetest.evalset.types import Case, Dependency, EvalSet, UnsafeRule

_T = TypeVar("_T")
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
    timeouts = {case.timeout_secs for case in eval_set.cases}
    dependencies = {case.dependencies for case in eval_set.cases}
    rules = {case.unsafe for case in eval_set.cases}
    head = EvalSetTable(
        id=eval_set.id,
        name=_unless(eval_set.name, eval_set.id),
        description=eval_set.description,
        version=eval_set.version,
        edition=_only(eval_set, "edition"),
        default_timeout_secs=timeouts.pop() if len(timeouts) == 1 else None,
        dependencies=_crates(dependencies.pop()) if len(dependencies) == 1 else (),
        unsafe=rules.pop() if len(rules) == 1 else UnsafeRule.ALLOW,
        protocol=_only(eval_set, "protocol"),
        source=SourceTable(**eval_set.source.model_dump()) if eval_set.source else None,
    )
    return Document(eval_set=head, cases=tuple(_case(case, head) for case in eval_set.cases))


def _only(eval_set: EvalSet, key: str) -> Any:
    values = {getattr(case, key) for case in eval_set.cases}
    if len(values) != 1:
        raise ValueError(f"the cases of eval set {eval_set.id} have no {key} in common")
    return values.pop()


def _case(case: Case, head: EvalSetTable) -> CaseTable:
    return CaseTable(
        id=case.id,
        name=_unless(case.name, case.id),
        description=case.description,
        prompt=case.prompt,
        language=_unless(case.language, head.default_language),
        tags=case.tags,
        difficulty=case.difficulty,
        unsafe=_unless(case.unsafe, head.unsafe),
        timeout_secs=_unless(case.timeout_secs, head.default_timeout_secs),
        max_tokens=case.max_tokens,
        dependencies=() if head.dependencies else _crates(case.dependencies),
        context=tuple(ContextTable(**file.model_dump()) for file in case.context),
        reference_solution=case.reference_solution,
        equivalent_mutants=tuple(
            EquivalentMutantTable(**listed.model_dump()) for listed in case.equivalent_mutants
        ),
        expectations=ExpectationsTable(**case.expectations.model_dump()),
    )


def _unless(value: _T, default: object) -> _T | None:
    return None if value == default else value


def _crates(dependencies: Iterable[Dependency]) -> tuple[DependencyTable, ...]:
    return tuple(DependencyTable(**dependency.model_dump()) for dependency in dependencies)


def _case_lines(case: _Table) -> Iterator[str]:
    own = {key: value for key, value in case.items() if key not in ("context", "expectations")}
    yield from ("", "[[cases]]", *_pairs(own))
    for file in case.get("context", ()):
        yield from ("", "[[cases.context]]", *_pairs(file))
    if expectations := case.get("expectations"):
        yield from ("", "[cases.expectations]", *_pairs(expectations))


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
