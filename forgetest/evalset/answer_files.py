"""The key `answer_files` of a case: answers, and the reference solution, of several files.

A reference of several files is a table of path and text in TOML and `joined` text from here on, as
the code of every answer is. A file that `context` gives and the reference leaves alone is part of
it, too.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from forgetest.evalset.context_dir import ContextFolders, asks_for_library
from forgetest.evalset.findings import KeyProblem
from forgetest.evalset.forms import clashes, context_path, listed, quoted
from forgetest.evalset.positions import KeyPath
from forgetest.rust.joined import LIBRARY, joined

ANSWER_FILES = "answer_files"
REFERENCE = "reference_solution"
_WRONG = "//"  # a reference that is reported, and is not looked at again
_Table = Mapping[str, Any]


def with_references(
    document: dict[str, Any], folders: ContextFolders
) -> tuple[dict[str, Any], list[KeyProblem]]:
    """Return a document with each reference of several files joined, and what is wrong with them.

    What is wrong with the values by themselves is left to the schema.
    """
    cases = document.get("cases")
    findings: list[KeyProblem] = []
    read: list[Any] = []
    for index, case in enumerate(cases if isinstance(cases, list) else ()):
        given = _given(case, folders, index) if isinstance(case, dict) else {}
        findings += _findings(("cases", index), case, given) if isinstance(case, dict) else ()
        read.append({**case, **_reference(case, given)} if isinstance(case, dict) else case)
    return ({**document, "cases": read} if isinstance(cases, list) else document), findings


def _given(case: _Table, folders: ContextFolders, index: int) -> dict[str, str]:
    """Return the files of a case's context by path."""
    own = case.get("context")
    entries = [entry for entry in own if isinstance(entry, dict)] if isinstance(own, list) else []
    written = {entry.get("path"): entry.get("content") for entry in entries}
    files = {file.path: file.content for file in folders.files_of(index)}
    texts = {path: text for path, text in written.items() if isinstance(text, str)}
    return {**files, **{path: text for path, text in texts.items() if isinstance(path, str)}}


def _reference(case: _Table, given: Mapping[str, str]) -> dict[str, str]:
    """Return the key of a case's reference that is a table, as the text that it becomes."""
    table = case.get(REFERENCE)
    if not isinstance(table, dict):
        return {}
    files = {**given, **table}
    try:
        return {REFERENCE: joined({path: files[path] for path in _asked(case)}) or _WRONG}
    except (KeyError, TypeError, ValueError):
        return {REFERENCE: _WRONG}


def _asked(case: _Table) -> list[str]:
    """Return the paths of a case's `answer_files`, as far as they are texts."""
    value = case.get(ANSWER_FILES)
    return [path for path in value if isinstance(path, str)] if isinstance(value, list) else []


def _findings(path: KeyPath, case: _Table, given: Mapping[str, str]) -> Iterator[KeyProblem]:
    asked = _asked(case)
    if isinstance(case.get(ANSWER_FILES), list):
        yield from _taken(path, asked)
        if LIBRARY not in asked:
            rest = f"must name {quoted(LIBRARY)}, the root of the crate; add it"
            yield KeyProblem((*path, ANSWER_FILES), rest)
    if not asks_for_library(case):
        yield from _library_in_context(path, case)
    yield from _of_reference(path, case.get(REFERENCE), asked, given)


def _taken(path: KeyPath, asked: Sequence[str]) -> Iterator[KeyProblem]:
    for index, name in enumerate(asked):
        other = next((other for other in asked[:index] if clashes(name, other)), None)
        if other is not None:
            rest = f"{quoted(name)} is already used by {quoted(other)}; remove one of them"
            yield KeyProblem((*path, ANSWER_FILES, index), rest)


def _library_in_context(path: KeyPath, case: _Table) -> Iterator[KeyProblem]:
    """Refuse the crate's root as context of a case whose answers are that file alone."""
    context = case.get("context")
    for index, entry in enumerate(context if isinstance(context, list) else ()):
        if isinstance(entry, dict) and entry.get("path") == LIBRARY:
            try:
                context_path(LIBRARY)
            except ValueError as error:
                yield KeyProblem((*path, "context", index, "path"), str(error))


def _of_reference(
    path: KeyPath, reference: object, asked: Sequence[str], given: Mapping[str, str]
) -> Iterator[KeyProblem]:
    here = (*path, REFERENCE)
    if isinstance(reference, str) and len(asked) > 1:
        rest = f"must be a table of the files {listed(asked)}; write [cases.{REFERENCE}]"
        yield KeyProblem(here, rest)
    elif isinstance(reference, dict) and not asked:
        yield KeyProblem(here, f"is a table; write a string, or name its files in {ANSWER_FILES}")
    elif isinstance(reference, dict):
        yield from _of_table(here, reference, asked, given)


def _of_table(
    here: KeyPath, reference: _Table, asked: Sequence[str], given: Mapping[str, str]
) -> Iterator[KeyProblem]:
    for name, text in reference.items():
        if name not in asked:
            yield KeyProblem((*here, name), f"is not in {ANSWER_FILES}; add it there, or remove it")
        elif not isinstance(text, str):
            yield KeyProblem((*here, name), "must be a string: the text of the file")
    files = {**given, **reference}
    if missing := [name for name in asked if name not in files]:
        yield KeyProblem(here, f"lacks {listed(missing)}, which context does not give; add it")
        return
    try:
        joined({name: text for name, text in files.items() if isinstance(text, str)})
    except ValueError as error:
        yield KeyProblem(here, f"cannot be used: {error}")
