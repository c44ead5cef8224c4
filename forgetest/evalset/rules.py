"""What no key of an eval set can say alone: rules across keys, tables and cases.

The rules read the parsed document before its types are known to be right, so that all problems
come out at once; a value of the wrong type is the schema's to report and passes here.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from forgetest.evalset.findings import Finding
from forgetest.evalset.forms import crate_key, quoted
from forgetest.evalset.positions import Path

LineOf = Callable[[Path], int | None]
_Table = Mapping[str, Any]


def rule_findings(document: _Table, line_of: LineOf) -> list[Finding]:
    """Return what is wrong between keys that may each be right."""
    return [
        *_no_cases(document),
        *_taken_ids(document, line_of),
        *_taken_crates(("eval_set",), _table(document, "eval_set"), line_of),
        *(finding for path, case in _cases(document) for finding in _in_case(path, case, line_of)),
    ]


def _in_case(path: Path, case: _Table, line_of: LineOf) -> Iterator[Finding]:
    yield from _taken_crates(path, case, line_of)
    yield from _taken_paths(path, case, line_of)
    yield from _listed_twice(path, case, line_of)
    yield from _without_reference(path, case)
    yield from _at_odds((*path, "expectations"), _table(case, "expectations"))


def _no_cases(document: _Table) -> Iterator[Finding]:
    if document.get("cases") == []:
        yield Finding(("cases",), "is empty; add a [[cases]] table")


def _taken_ids(document: _Table, line_of: LineOf) -> Iterator[Finding]:
    first: dict[str, Path] = {}
    for path, case in _cases(document):
        case_id = case.get("id")
        if not isinstance(case_id, str) or not case_id:
            continue
        here = (*path, "id")
        if first.setdefault(case_id, here) != here:
            yield _taken(here, case_id, line_of(first[case_id]))


def _taken_crates(path: Path, table: _Table, line_of: LineOf) -> Iterator[Finding]:
    first: dict[str, Path] = {}
    for index, dependency in _tables(table, "dependencies"):
        name = dependency.get("name")
        if not isinstance(name, str):
            continue
        here = (*path, "dependencies", index, "name")
        if first.setdefault(crate_key(name), here) != here:
            yield _taken(here, name, line_of(first[crate_key(name)]))


def _taken_paths(path: Path, case: _Table, line_of: LineOf) -> Iterator[Finding]:
    """Two files of one name, or a file where another has a folder, can not both be written."""
    seen: list[tuple[str, Path]] = []
    for index, file in _tables(case, "context"):
        name = file.get("path")
        if not isinstance(name, str):
            continue
        here = (*path, "context", index, "path")
        clash = next((there for other, there in seen if _clash(name.casefold(), other)), None)
        if clash:
            yield _taken(here, name, line_of(clash))
        seen.append((name.casefold(), here))


def _clash(path: str, other: str) -> bool:
    return path == other or path.startswith(f"{other}/") or other.startswith(f"{path}/")


def _listed_twice(path: Path, case: _Table, line_of: LineOf) -> Iterator[Finding]:
    first: dict[str, Path] = {}
    for index, listed in _tables(case, "equivalent_mutants"):
        mutant = listed.get("mutant")
        if not isinstance(mutant, str) or not mutant.strip():
            continue
        here = (*path, "equivalent_mutants", index, "mutant")
        if first.setdefault(mutant, here) != here:
            line = line_of(first[mutant])
            yield Finding(here, f"{quoted(mutant)} is listed already, in line {line}; remove one")


def _without_reference(path: Path, case: _Table) -> Iterator[Finding]:
    if case.get("equivalent_mutants") and "reference_solution" not in case:
        rest = "has no use without reference_solution, whose mutants it lists; remove it"
        yield Finding((*path, "equivalent_mutants"), rest)


def _taken(path: Path, value: str, line: int | None) -> Finding:
    return Finding(path, f"{quoted(value)} is taken, in line {line}; choose another")


def _at_odds(path: Path, expectations: _Table) -> Iterator[Finding]:
    """Refuse what would be read and then not looked at, and tests that are wanted but absent."""
    refused = expectations.get("should_compile", True) is False
    tested = expectations.get("should_pass_tests", True) is True
    if refused:
        for key in ("test_file", "max_clippy_warnings"):
            if key in expectations:
                yield Finding((*path, key), "has no use with should_compile = false; remove it")
        return
    if tested and "test_file" not in expectations:
        yield Finding(
            (*path, "test_file"), "is missing; add the tests, or set should_pass_tests = false"
        )
    if "expected_error_codes" in expectations:
        yield Finding((*path, "expected_error_codes"), "has no use without should_compile = false")


def _cases(document: _Table) -> Iterator[tuple[Path, _Table]]:
    for index, case in _tables(document, "cases"):
        yield ("cases", index), case


def _tables(table: _Table, key: str) -> Iterator[tuple[int, _Table]]:
    items = table.get(key)
    for index, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, dict):
            yield index, item


def _table(table: _Table, key: str) -> _Table:
    value = table.get(key)
    return value if isinstance(value, dict) else {}
