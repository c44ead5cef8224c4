"""TOML text to eval sets, with every problem of every file at once.

This is the only reader of eval sets. `types` and `schema` describe what a key may hold; here are
the rules across keys, tables and cases, the lines of the file, and the defaults of the set.

The rules read the parsed document before its types are checked, so that all problems come out at
once; a value of the wrong type passes here, since the schema reports it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from os.path import realpath
from pathlib import Path
from typing import Any

import tomli

from forgetest.errors import EvalSetError, Problem
from forgetest.evalset.answer_files import with_references
from forgetest.evalset.context_dir import CONTEXT_DIR, ContextFolders, read_context_dirs
from forgetest.evalset.findings import KeyProblem, validated
from forgetest.evalset.forms import clashes, crate_key, quoted, suggestion
from forgetest.evalset.positions import KeyPath, Positions, StringToken, locate, unclosed_string
from forgetest.evalset.schema import INHERITED, CaseTable, Document, EvalSetTable
from forgetest.evalset.shipped import shipped_file, shipped_files, shipped_name
from forgetest.evalset.types import Case, ContextFile, Dependency, EvalSet, Protocol, Table
from forgetest.value import is_readable, readable

LineOf = Callable[[KeyPath], int | None]
_Table = Mapping[str, Any]


def rule_findings(document: _Table, line_of: LineOf) -> list[KeyProblem]:
    """Return what is wrong between keys that may each be right."""
    return [
        *_no_cases(document),
        *_duplicate_ids(document, line_of),
        *_taken_crates(("eval_set",), _table(document, "eval_set"), line_of),
        *_files_to_continue(document),
        *(finding for path, case in _cases(document) for finding in _in_case(path, case, line_of)),
    ]


def _in_case(path: KeyPath, case: _Table, line_of: LineOf) -> Iterator[KeyProblem]:
    yield from _taken_crates(path, case, line_of)
    yield from _taken_paths(path, case, line_of)
    yield from _listed_twice(path, case, line_of)
    yield from _without_reference(path, case)
    expectations = (*path, "expectations")
    yield from _at_odds(expectations, _table(case, "expectations"))
    yield from _same_tests(expectations, _table(case, "expectations"), line_of)


def _files_to_continue(document: _Table) -> Iterator[KeyProblem]:
    if _table(document, "eval_set").get("protocol") == Protocol.COMPLETION:
        for path, case in _cases(document):
            if "answer_files" in case:
                rest = 'has no effect with protocol = "completion"; remove one of them'
                yield KeyProblem((*path, "answer_files"), rest)


def _no_cases(document: _Table) -> Iterator[KeyProblem]:
    if document.get("cases") == []:
        yield KeyProblem(("cases",), "is empty; add a [[cases]] table")


def _duplicate_ids(document: _Table, line_of: LineOf) -> Iterator[KeyProblem]:
    first: dict[str, KeyPath] = {}
    for path, case in _cases(document):
        case_id = case.get("id")
        if not isinstance(case_id, str) or not case_id:
            continue
        here = (*path, "id")
        if first.setdefault(case_id, here) != here:
            yield _taken(here, case_id, line_of(first[case_id]))


def _taken_crates(path: KeyPath, table: _Table, line_of: LineOf) -> Iterator[KeyProblem]:
    first: dict[str, KeyPath] = {}
    for index, dependency in _tables(table, "dependencies"):
        name = dependency.get("name")
        if not isinstance(name, str):
            continue
        here = (*path, "dependencies", index, "name")
        if first.setdefault(crate_key(name), here) != here:
            yield _taken(here, name, line_of(first[crate_key(name)]))


def _taken_paths(path: KeyPath, case: _Table, line_of: LineOf) -> Iterator[KeyProblem]:
    """Two files of one name, or a file where another has a folder, cannot both be written."""
    seen: list[tuple[str, KeyPath]] = []
    for index, file in _tables(case, "context"):
        name = file.get("path")
        if not isinstance(name, str):
            continue
        here = (*path, "context", index, "path")
        clash = next((there for other, there in seen if clashes(name, other)), None)
        if clash:
            yield _taken(here, name, line_of(clash))
        seen.append((name, here))


def _listed_twice(path: KeyPath, case: _Table, line_of: LineOf) -> Iterator[KeyProblem]:
    first: dict[str, KeyPath] = {}
    for index, listed in _tables(case, "equivalent_mutants"):
        mutant = listed.get("mutant")
        if not isinstance(mutant, str) or not mutant.strip():
            continue
        here = (*path, "equivalent_mutants", index, "mutant")
        if first.setdefault(mutant, here) != here:
            line = line_of(first[mutant])
            yield KeyProblem(here, f"{quoted(mutant)} is already listed in line {line}; remove one")


def _without_reference(path: KeyPath, case: _Table) -> Iterator[KeyProblem]:
    if case.get("equivalent_mutants") and "reference_solution" not in case:
        rest = "has no effect without reference_solution; remove it, or add the reference"
        yield KeyProblem((*path, "equivalent_mutants"), rest)


def _taken(path: KeyPath, value: str, line: int | None) -> KeyProblem:
    return KeyProblem(path, f"{quoted(value)} is already used in line {line}; choose another")


_COUNTED = ("max_allocations", "max_peak_bytes")


def _at_odds(path: KeyPath, expectations: _Table) -> Iterator[KeyProblem]:
    """Refuse what would be read and then not looked at, and tests that are wanted but absent."""
    refused = expectations.get("should_compile", True) is False
    tested = expectations.get("should_pass_tests", True) is True
    if refused:
        keys = ("test_file", "compile_fail", "max_clippy_warnings", "allowed_lints", *_COUNTED)
        for key in keys:
            if key in expectations:
                yield KeyProblem(
                    (*path, key), "has no effect with should_compile = false; remove it"
                )
        return
    if tested and "test_file" not in expectations:
        yield KeyProblem(
            (*path, "test_file"), "is missing; add the tests, or set should_pass_tests = false"
        )
    for key in () if tested else ("compile_fail", *_COUNTED):
        if key in expectations:
            rest = "has no effect with should_pass_tests = false; remove it"
            yield KeyProblem((*path, key), rest)
    if "expected_error_codes" in expectations:
        yield KeyProblem(
            (*path, "expected_error_codes"),
            "has no effect unless should_compile = false; remove it",
        )


def _same_tests(path: KeyPath, expectations: _Table, line_of: LineOf) -> Iterator[KeyProblem]:
    """Two tests of one name could not be told apart."""
    first: dict[str, KeyPath] = {}
    for index, use in _tables(expectations, "compile_fail"):
        name = use.get("name")
        here = (*path, "compile_fail", index, "name")
        if isinstance(name, str) and first.setdefault(name, here) != here:
            yield _taken(here, name, line_of(first[name]))
    tests = expectations.get("test_file")
    if first and isinstance(tests, str) and _OWN_MODULE.search(tests):
        rest = "must not define a module compile_fail beside the key of that name; rename it"
        yield KeyProblem((*path, "test_file"), rest)


_OWN_MODULE = re.compile(r"\bmod\s+compile_fail\b")


def _cases(document: _Table) -> Iterator[tuple[KeyPath, _Table]]:
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


def parse(text: str, *, file: str, path: Path | None = None) -> EvalSet:
    """Return the eval set of one TOML text; EvalSetError carries every problem, by line.

    `path` is the text's file on this machine, beside which the folders of `context_dir` are read.
    """
    raw = _raw(text, file)
    positions = locate(text)
    folders = read_context_dirs(raw, path, file)
    read, of_answers = with_references(raw, folders)
    document = validated(read)
    findings = [
        *(document if isinstance(document, list) else ()),
        *rule_findings(raw, positions.line),
        *folders.findings,
        *of_answers,
    ]
    problems = [
        Problem(file, positions.line(finding.path), finding.message(raw)) for finding in findings
    ]
    if isinstance(document, list) or problems or folders.problems:
        in_order = sorted(problems, key=lambda problem: problem.line or 0)
        raise EvalSetError((*in_order, *folders.problems))
    return _eval_set(document, file, positions, folders)


def load(paths: Sequence[Path]) -> tuple[EvalSet, ...]:
    """Return the eval sets of files and folders in order; a file named twice counts once.

    A folder gives all its visible .toml files, sorted by name, without those of its sub-folders.
    What is neither file nor folder may be the name of a shipped set.
    EvalSetError carries the problems of all files.
    """
    problems: list[Problem] = []
    eval_sets: list[EvalSet] = []
    for file, name in _files(paths, problems):
        try:
            eval_sets.append(parse(_text(file), file=name, path=file))
        except EvalSetError as error:
            problems.extend(error.problems)
    problems.extend(_taken_ids(eval_sets))
    if problems:
        raise EvalSetError(tuple(problems))
    return tuple(eval_sets)


def context_dirs(text: str) -> tuple[str, ...]:
    """Return the folders beside it that the cases of a valid eval set name, each once."""
    folders = (case.get(CONTEXT_DIR) for _, case in _cases(tomli.loads(text)))
    return tuple(dict.fromkeys(folder for folder in folders if folder is not None))


def _files(paths: Sequence[Path], problems: list[Problem]) -> list[tuple[Path, str]]:
    """Return each file once, with the name that reports give it."""
    files: dict[str, tuple[Path, str]] = {}
    for path in paths:
        try:
            found = _in_folder(path) if path.is_dir() else [path]
        except OSError as error:
            problems.append(_unreadable(path, error))
            continue
        if not found:
            problems.append(Problem(str(path), None, "the folder has no .toml files"))
        for file in found:
            shipped = None if file.exists() else shipped_file(file)
            name = str(file) if shipped is None else shipped_name(shipped)
            files.setdefault(realpath(shipped or file), (shipped or file, name))
    return list(files.values())


def _in_folder(folder: Path) -> list[Path]:
    return sorted(
        path
        for path in folder.iterdir()
        if path.suffix == ".toml" and not path.name.startswith(".") and path.is_file()
    )


def _text(file: Path) -> str:
    if not is_readable(str(file)):  # it would be written to manifests and reports
        message = "its path is not UTF-8; rename the file or its folder"
        raise _error(readable(str(file)), None, message)
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise EvalSetError((_unreadable(file, error),)) from error
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise _error(str(file), line, "is not UTF-8; save the file in that encoding") from error


def _unreadable(path: Path, error: OSError) -> Problem:
    if isinstance(error, FileNotFoundError):
        hint = (
            suggestion(path.stem, shipped_files(), most=1) or "forgetest sets lists those that ship"
        )
        return Problem(str(path), None, f"no such file, folder or shipped eval set; {hint}")
    reason = error.strerror or str(error)
    return Problem(str(path), None, f"cannot be read: {reason}; give a .toml file or a folder")


def _raw(text: str, file: str) -> dict[str, Any]:
    """Return the document as plain values, in whichever way tomli gives up."""
    try:
        document = tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        if (token := unclosed_string(text)) is not None:
            raise _error(file, token.line, _unclosed(text, token)) from error
        message = error.msg[:1].lower() + error.msg[1:]
        raise _error(file, error.lineno, f"is not valid TOML: {message}") from error
    except RecursionError as error:
        raise _error(file, None, "nests arrays or tables too deeply") from error
    except ValueError as error:  # Python bounds the digits of an integer
        raise _error(file, None, "holds an integer with too many digits") from error
    if not document.keys() & {"eval_set", "cases"}:
        raise _error(file, None, "is not an eval set: it needs [eval_set] and [[cases]]")
    return document


def _unclosed(text: str, token: StringToken) -> str:
    """Say of a string without an end where it was opened, and how far it runs."""
    match token.path:
        case ("cases", int(index), *keys):
            id_ = locate(text).strings.get(("cases", index, "id"))
            label = f"case {quoted(text[id_.start + 1 : id_.end - 1]) if id_ else index + 1}: "
        case ("eval_set", *keys):
            label = "eval_set: "
        case keys:
            label = ""
    quote = text[token.start]
    quotes = 3 * quote if text.startswith(3 * quote, token.start) else quote
    said = f"{label}{quoted('.'.join(map(str, keys)))}: the string that {quotes} opens here"
    if token.end > token.start:
        last = text.count("\n", 0, token.end) + 1
        return f"{said} is not closed before line {last}; add {quotes} where it ends"
    if len(quotes) == 1:
        return f"{said} is not closed in its line; for several lines, use {3 * quote}"
    return f"{said} is not closed; add {quotes} where it ends"


def _error(file: str, line: int | None, message: str) -> EvalSetError:
    return EvalSetError((Problem(file, line, message),))


def _taken_ids(eval_sets: Sequence[EvalSet]) -> Iterator[Problem]:
    first: dict[str, str] = {}
    for eval_set in eval_sets:
        if first.setdefault(eval_set.id, eval_set.file) != eval_set.file:
            rest = f"is also the id of {first[eval_set.id]}; give one of them another id"
            yield Problem(eval_set.file, None, f"{quoted(eval_set.id)} {rest}")


def _eval_set(
    document: Document, file: str, positions: Positions, folders: ContextFolders
) -> EvalSet:
    head = document.eval_set
    return EvalSet(
        id=head.id,
        name=head.name or head.id,
        description=head.description,
        version=head.version,
        source=head.source,
        file=file,
        cases=tuple(
            _case(
                table,
                head,
                folders.files_of(index),
                file=file,
                line=positions.line(("cases", index)),
            )
            for index, table in enumerate(document.cases)
        ),
    )


def _case(
    table: Table,
    head: EvalSetTable,
    files: Sequence[ContextFile],
    *,
    file: str,
    line: int | None,
) -> Case:
    """Return a case: the keys of its table, the defaults of `[eval_set]`, the files of a folder."""
    names = CaseTable.model_fields.keys() & Case.model_fields.keys()
    keys = {key: getattr(table, key) for key in names}
    for key, head_key in INHERITED.items():
        keys[key] = keys[key] or getattr(head, head_key)
    return Case(
        **{
            **keys,
            "eval_set": head.id,
            "name": keys["name"] or keys["id"],
            "edition": head.edition,
            "context": (*files, *keys["context"]),
            "protocol": head.protocol,
            "tags": tuple(dict.fromkeys(keys["tags"])),
            "dependencies": _dependencies(head.dependencies, keys["dependencies"]),
            "file": file,
            "line": line,
        }
    )


def _dependencies(*tables: Sequence[Dependency]) -> tuple[Dependency, ...]:
    """Return the crates of all tables; a later table wins, at the place of the first."""
    crates = {crate_key(crate.name): crate for table in tables for crate in table}
    return tuple(crates.values())
