"""Findings in the lines of the author's own file."""

from dataclasses import dataclass
from pathlib import Path

from forgetest.check.types import CaseCheck, Excerpt, Finding, FindingKind, Row
from forgetest.evalset.positions import KeyPath, Positions, locate
from forgetest.evalset.shipped import local_path
from forgetest.evalset.types import Case
from forgetest.rust.joined import split

REFERENCE = "reference_solution"
TESTS = "expectations.test_file"
USES = "expectations.compile_fail."  # with index and text: "expectations.compile_fail.0.source"
DEPENDENCIES = "dependencies"  # with a crate: "dependencies.tokio"
# The key to look at, where a finding is about the whole of it.
_KEYS = {
    FindingKind.REFERENCE: REFERENCE,
    FindingKind.TESTS: TESTS,
    FindingKind.LINTS: REFERENCE,
    FindingKind.UNSTEADY: TESTS,
    FindingKind.ORDER: TESTS,
    FindingKind.STUB: TESTS,
    FindingKind.BLANK: TESTS,
    FindingKind.CONTRADICTION: TESTS,
    FindingKind.UNNAMED: "prompt",
    FindingKind.PROMPT_CODE: "prompt",
    FindingKind.TIME: "timeout_secs",
    FindingKind.NO_TESTS: TESTS,
    FindingKind.HALF_SCORE: "expectations.should_pass_tests",
    FindingKind.STRENGTH: TESTS,
    FindingKind.STALE: "equivalent_mutants",
}


class SetFiles:
    """The texts of eval sets, read again when a finding is to be shown in them."""

    def __init__(self) -> None:
        self._read: dict[str, Positions | None] = {}

    def positions(self, file: str) -> Positions | None:
        """Return where everything is in a file; None where it cannot be read any more."""
        if file not in self._read:
            self._read[file] = _positions(file)
        return self._read[file]


def _positions(file: str) -> Positions | None:
    try:
        return locate(Path(local_path(file)).read_bytes().decode("utf-8-sig"))
    except (OSError, UnicodeDecodeError):
        return None


def placed(check: CaseCheck, case: Case, files: SetFiles) -> CaseCheck:
    """Return the check of a case with its findings in the lines of the eval set's file.

    Those of a file that has changed meanwhile, or is gone, lose their excerpts.
    """
    text = _text_of(case, files.positions(case.file)) if check.findings else None

    def in_file(finding: Finding) -> Finding:
        excerpt = text.excerpt(finding) if text else None
        return finding.model_copy(update={"excerpt": excerpt})

    sound = tuple(map(in_file, check.soundness.findings))
    return check.model_copy(
        update={
            "findings": tuple(map(in_file, check.findings)),
            "soundness": check.soundness.model_copy(update={"findings": sound}),
        }
    )


@dataclass(frozen=True, slots=True)
class _CaseText:
    """A case in the text that it was read from."""

    case: Case
    table: KeyPath
    positions: Positions

    def excerpt(self, finding: Finding) -> Excerpt | None:
        """Return where a finding is to be seen, None if nowhere but at the case."""
        told = finding.excerpt
        if told and told.rows:
            return self._in_string(told, self._value(told.key))
        key = told.key if told else _KEYS.get(finding.kind, "")
        line = self.positions.line(self._path(key)) if key else None
        return Excerpt(key=key, line=line) if line else None

    def _value(self, key: str) -> str:
        expectations = self.case.expectations
        if key.startswith(USES):
            index, which = key.removeprefix(USES).split(".")
            use = expectations.compile_fail[int(index)]
            return use.source if which == "source" else use.compiles
        if key == TESTS:
            return expectations.test_file or ""
        reference = self.case.reference_solution or ""
        _, _, path = key.partition(".")
        return split(reference, self.case.answer_files)[path] if path else reference

    def _path(self, key: str) -> KeyPath:
        first, _, crate = key.partition(".")
        if first == REFERENCE and crate:
            return (*self.table, REFERENCE, crate)
        if first != DEPENDENCIES:
            parts = (int(part) if part.isdigit() else part for part in key.split("."))
            return (*self.table, *parts)
        named = (
            (*table, DEPENDENCIES, index, "name")
            for table in (self.table, ("eval_set",))
            for index in range(len(self.case.dependencies))
        )
        written = (path for path in named if self._is(path, crate))
        return next(written, (*self.table, DEPENDENCIES))

    def _is(self, path: KeyPath, value: str) -> bool:
        return self.positions.in_string(path, value, 1) is not None

    def _in_string(self, excerpt: Excerpt, value: str) -> Excerpt | None:
        """Return an excerpt of a string's lines in those of the file; None for another string."""
        path = self._path(excerpt.key)
        place = self.positions.in_string(path, value, excerpt.line, excerpt.column or 1)
        if place is None:
            return None
        line, column = place
        rows = tuple(self._row(row, path, value) for row in excerpt.rows)
        column_ = column if excerpt.column else None
        return Excerpt(key=excerpt.key, line=line, column=column_, rows=rows)

    def _row(self, row: Row, path: KeyPath, value: str) -> Row:
        if row.number is None:
            return row
        place = self.positions.in_string(path, value, row.number)
        return row.model_copy(update={"number": place[0] if place else None})


def _text_of(case: Case, positions: Positions | None) -> _CaseText | None:
    """Return the case in the text, found by its id; None where the text does not hold it."""
    if positions is None:
        return None
    ids = (path for path in positions.strings if path[:1] == ("cases",) and path[2:] == ("id",))
    of_case = (path for path in ids if positions.in_string(path, case.id, 1) is not None)
    return next((_CaseText(case, path[:2], positions) for path in of_case), None)
