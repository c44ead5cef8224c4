"""TOML text to eval sets, with every problem of every file at once.

This is the one reader of eval sets. What a key may hold is in `schema`, what keys must agree on in
`rules`; here they meet the file's lines and the set's defaults.
"""

from collections.abc import Iterator, Sequence
from os.path import realpath
from pathlib import Path
from typing import Any

import tomli

from forgetest.errors import EvalSetError, Problem
from forgetest.evalset.findings import validated
from forgetest.evalset.forms import crate_key, quoted
from forgetest.evalset.positions import Positions, locate
from forgetest.evalset.rules import rule_findings
from forgetest.evalset.schema import CaseTable, DependencyTable, Document, EvalSetTable
from forgetest.evalset.types import (
    Case,
    ContextFile,
    Dependency,
    EquivalentMutant,
    EvalSet,
    Expectations,
    Provenance,
)
from forgetest.words import is_readable, readable


def parse(text: str, *, file: str) -> EvalSet:
    """Return the eval set of one TOML text; EvalSetError carries every problem, by line."""
    raw = _raw(text, file)
    positions = locate(text)
    document = validated(raw)
    findings = [
        *(document if isinstance(document, list) else ()),
        *rule_findings(raw, positions.line),
    ]
    problems = [
        Problem(file, positions.line(finding.path), finding.message(raw)) for finding in findings
    ]
    if isinstance(document, list) or problems:
        raise EvalSetError(tuple(sorted(problems, key=lambda problem: problem.line or 0)))
    return _eval_set(document, file, positions)


def load(paths: Sequence[Path]) -> tuple[EvalSet, ...]:
    """Return the eval sets of files and folders in order; a file named twice counts once.

    A folder gives all its visible .toml files, sorted by name, without those of its sub-folders.
    EvalSetError carries the problems of all files.
    """
    problems: list[Problem] = []
    eval_sets: list[EvalSet] = []
    for file in _files(paths, problems):
        try:
            eval_sets.append(parse(_text(file), file=str(file)))
        except EvalSetError as error:
            problems.extend(error.problems)
    problems.extend(_taken_ids(eval_sets))
    if problems:
        raise EvalSetError(tuple(problems))
    return tuple(eval_sets)


def _files(paths: Sequence[Path], problems: list[Problem]) -> list[Path]:
    files: dict[str, Path] = {}
    for path in paths:
        try:
            found = _in_folder(path) if path.is_dir() else [path]
        except OSError as error:
            problems.append(_unreadable(path, error))
            continue
        if not found:
            problems.append(Problem(str(path), None, "the folder holds no .toml file"))
        for file in found:
            files.setdefault(realpath(file), file)
    return list(files.values())


def _in_folder(folder: Path) -> list[Path]:
    return sorted(
        path
        for path in folder.iterdir()
        if path.suffix == ".toml" and not path.name.startswith(".") and path.is_file()
    )


def _text(file: Path) -> str:
    if not is_readable(str(file)):  # it would stand in manifests and reports
        message = "its path is not UTF-8; rename the file, or the folder that it is in"
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
    reason = error.strerror or str(error)
    return Problem(str(path), None, f"can not be read: {reason}; give a .toml file or a folder")


def _raw(text: str, file: str) -> dict[str, Any]:
    """Return the document as plain values, whatever the ways in which tomli gives up."""
    try:
        document = tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        message = error.msg[:1].lower() + error.msg[1:]
        raise _error(file, error.lineno, f"is not TOML: {message}") from error
    except RecursionError as error:
        raise _error(file, None, "nests arrays or tables too deeply") from error
    except ValueError as error:  # Python bounds the digits of an integer
        raise _error(file, None, "holds an integer with too many digits") from error
    if not document.keys() & {"eval_set", "cases"}:
        raise _error(file, None, "is no eval set; it needs [eval_set] and [[cases]]")
    return document


def _error(file: str, line: int | None, message: str) -> EvalSetError:
    return EvalSetError((Problem(file, line, message),))


def _taken_ids(eval_sets: Sequence[EvalSet]) -> Iterator[Problem]:
    first: dict[str, str] = {}
    for eval_set in eval_sets:
        if first.setdefault(eval_set.id, eval_set.file) != eval_set.file:
            rest = f"is the eval set of {first[eval_set.id]}, too; give one of them another id"
            yield Problem(eval_set.file, None, f"{quoted(eval_set.id)} {rest}")


def _eval_set(document: Document, file: str, positions: Positions) -> EvalSet:
    table = document.eval_set
    return EvalSet(
        id=table.id,
        name=table.name or table.id,
        description=table.description,
        version=table.version,
        source=Provenance(**table.source.model_dump()) if table.source else None,
        file=file,
        cases=tuple(
            _case(case, table, file=file, line=positions.line(("cases", index)))
            for index, case in enumerate(document.cases)
        ),
    )


def _case(case: CaseTable, eval_set: EvalSetTable, *, file: str, line: int | None) -> Case:
    return Case(
        id=case.id,
        eval_set=eval_set.id,
        name=case.name or case.id,
        description=case.description,
        prompt=case.prompt,
        language=case.language or eval_set.default_language,
        edition=eval_set.edition,
        protocol=eval_set.protocol,
        tags=tuple(dict.fromkeys(case.tags)),
        difficulty=case.difficulty,
        unsafe=case.unsafe or eval_set.unsafe,
        timeout_secs=case.timeout_secs or eval_set.default_timeout_secs,
        max_tokens=case.max_tokens,
        dependencies=_dependencies(eval_set.dependencies, case.dependencies),
        context=tuple(ContextFile(**file.model_dump()) for file in case.context),
        reference_solution=case.reference_solution,
        equivalent_mutants=tuple(
            EquivalentMutant(**listed.model_dump()) for listed in case.equivalent_mutants
        ),
        expectations=Expectations(**case.expectations.model_dump()),
        file=file,
        line=line,
    )


def _dependencies(*tables: Sequence[DependencyTable]) -> tuple[Dependency, ...]:
    """Return the crates of all tables; a later table wins, at the place of the first."""
    crates: dict[str, Dependency] = {}
    for table in tables:
        for dependency in table:
            crates[crate_key(dependency.name)] = Dependency(**dependency.model_dump())
    return tuple(crates.values())
