"""Sources as items: JSON, JSON Lines and folders of JSON, each also packed with gzip.

What is wrong with one item leaves that item out; a source of which nothing is left is an error.
Everything read here was written by others: sizes and depths are bounded.
"""

import codecs
import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from forgetest.errors import ForgetestError, Problem
from forgetest.evalset.forms import quoted
from forgetest.importers.types import SkippedItem

LANGUAGES = ("rs", "rust")


class ItemError(ValueError):
    """One item of a source cannot be used; the text says why and begins in the middle."""


@dataclass(frozen=True, slots=True)
class SourceItem:
    """One JSON object of a source and where it is: `file:line`, or the file it fills."""

    file: str
    line: int | None
    value: Mapping[str, Any]

    @property
    def place(self) -> str:
        """Where a person finds it."""
        return self.file if self.line is None else f"{self.file}:{self.line}"

    def text(self, key: str) -> str:
        """Return a string that must be there and hold something; ItemError otherwise."""
        value = self.string(key)
        if not value.strip():
            raise ItemError(f"{quoted(key)} is empty")
        if not _is_unicode(value):
            raise ItemError(f"{quoted(key)} holds half of a surrogate pair")
        return value

    def string(self, key: str) -> str:
        """Return a string that must be there, even if empty; ItemError otherwise."""
        if self.value.get(key) is None:
            raise ItemError(f"{quoted(key)} is missing")
        return self.maybe(key)

    def maybe(self, key: str) -> str:
        """Return a string, empty when it is absent or null; ItemError for another type."""
        value = self.value.get(key)
        if value is not None and not isinstance(value, str):
            raise ItemError(f"{quoted(key)} must be a string")
        return value or ""

    def flag(self, key: str) -> bool | None:
        """Return true, false, or None when it is absent or null; ItemError for another type."""
        value = self.value.get(key)
        if value is not None and not isinstance(value, bool):
            raise ItemError(f"{quoted(key)} must be true or false")
        return value

    def listed(self, key: str) -> tuple[Any, ...]:
        """Return an array, empty when it is absent or null; ItemError for another type."""
        value = self.value.get(key)
        if value is not None and not isinstance(value, list):
            raise ItemError(f"{quoted(key)} must be an array")
        return tuple(value or ())

    def demand_rust(self) -> None:
        """Raise ItemError when it says that it is in another language."""
        language = self.maybe("language")
        if language and language.lower() not in LANGUAGES:
            raise ItemError(f'"language" is {quoted(language)}, not "rs" or "rust"')


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in text)


__all__ = [
    "ItemError",
    "Reading",
    "SourceItem",
    "demand",
    "empty_source_error",
    "label",
    "make_each",
    "read_source",
    "try_each",
    "unpacked",
]

MAX_BYTES = 256 << 20  # of one file, unpacked
MAX_TOTAL = 1 << 30  # of all files of a folder
MAX_FILES = 20_000
MAX_TOLD = 20  # reasons in one error
SUFFIXES = (".json", ".jsonl", ".json.gz", ".jsonl.gz")

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Reading:
    """The items of a source in its order, and those that are not JSON objects."""

    items: tuple[SourceItem, ...]
    left_out: tuple[SkippedItem, ...] = ()


def read_source(path: Path) -> Reading:
    """Return the items of a file, or of a folder's own JSON files, sorted by name.

    ForgetestError when the path cannot be read or holds no item at all, with a line for each
    reason.
    """
    items: list[SourceItem] = []
    problems: list[Problem] = []
    total = 0
    for file in _files(path):
        try:
            data = unpacked(file)
        except ItemError as error:
            problems.append(Problem(str(file), None, str(error)))
            continue
        total += len(data)
        if total > MAX_TOTAL:
            raise ForgetestError(f"{path}: has more than {MAX_TOTAL >> 30} GiB unpacked; split it")
        for found in _objects(data, str(file)):
            (items if isinstance(found, SourceItem) else problems).append(found)  # type: ignore[arg-type]
    if not items:
        raise empty_source_error(path, problems)
    return Reading(tuple(items), tuple(map(_left_out, problems)))


def try_each(
    items: Iterable[SourceItem], make: Callable[[SourceItem], _T]
) -> Iterator[tuple[SourceItem, _T | SkippedItem]]:
    """Yield each item with what `make` gives for it, or with why it cannot be used."""
    for item in items:
        try:
            yield item, make(item)
        except ItemError as error:
            yield item, SkippedItem(label(item), str(error))
        except RecursionError:
            yield item, SkippedItem(label(item), "its code nests too deeply")


def make_each(
    items: Iterable[SourceItem], make: Callable[[SourceItem], _T], name: Callable[[_T], str]
) -> tuple[list[_T], list[SkippedItem]]:
    """Return what `make` gives for each item, and the items that it raises ItemError for.

    A second item of the same name is left out, too.
    """
    made: dict[str, _T] = {}
    places: dict[str, str] = {}
    left_out: list[SkippedItem] = []
    for item, value in try_each(items, make):
        if isinstance(value, SkippedItem):
            left_out.append(value)
        elif name(value) in made:
            reason = f"{quoted(name(value))} is already in {places[name(value)]}"
            left_out.append(SkippedItem(label(item), reason))
        else:
            made[name(value)] = value
            places[name(value)] = item.place
    return list(made.values()), left_out


def demand(made: Sequence[_T], path: Path, left_out: Iterable[SkippedItem]) -> Sequence[_T]:
    """Return what was made of a source; ForgetestError with the reasons when that is nothing."""
    if not made:
        raise empty_source_error(
            path, [Problem(skipped.item, None, skipped.reason) for skipped in left_out]
        )
    return made


def empty_source_error(path: Path, problems: Sequence[Problem]) -> ForgetestError:
    """Return the error for a source that gives nothing, with at most `MAX_TOLD` reasons."""
    lines = [str(problem) for problem in problems[:MAX_TOLD]]
    if len(problems) > MAX_TOLD:
        lines.append(f"{path}: and {len(problems) - MAX_TOLD} more")
    return ForgetestError("\n".join(lines) or f"{path}: is empty")


def unpacked(file: Path) -> bytes:
    """Return a file's bytes, unpacked when its name ends in .gz; ItemError says why it cannot."""
    try:
        with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as opened:
            data = opened.read(MAX_BYTES + 1)
    except gzip.BadGzipFile:
        raise ItemError("ends in .gz, but is not gzip") from None
    except (EOFError, zlib.error):
        raise ItemError("is truncated or damaged: its gzip data does not end") from None
    except OSError as error:
        raise ItemError(f"cannot be read: {error.strerror or error}") from None
    if len(data) > MAX_BYTES:
        raise ItemError(f"is larger than {MAX_BYTES >> 20} MiB unpacked; split it")
    return data.removeprefix(codecs.BOM_UTF8)


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    try:
        found = sorted(
            file
            for file in path.iterdir()
            if file.name.endswith(SUFFIXES) and not file.name.startswith(".") and file.is_file()
        )
    except OSError as error:
        raise ForgetestError(f"{path}: cannot be read: {error.strerror}") from None
    if not found:
        raise ForgetestError(f"{path}: the folder has no file ending in {', '.join(SUFFIXES)}")
    if len(found) > MAX_FILES:
        raise ForgetestError(f"{path}: holds more than {MAX_FILES} files; split it")
    return found


def _objects(data: bytes, file: str) -> Iterator[SourceItem | Problem]:
    """Yield the objects of one file: of its one value, or of its lines."""
    first = next(filter(bytes.strip, data.split(b"\n")), b"")
    if ".jsonl" in file or isinstance(_value(first), dict):
        yield from _lines(data, file)
        return
    whole = _value(data)
    if isinstance(whole, list):
        for number, value in enumerate(whole, start=1):
            yield _item(value, f"{file} item {number}", None)
    else:
        yield _item(whole, file, None)


def _lines(data: bytes, file: str) -> Iterator[SourceItem | Problem]:
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip():
            yield _item(_value(line), file, number)


def _item(value: Any, file: str, line: int | None) -> SourceItem | Problem:
    if isinstance(value, dict):
        return SourceItem(file, line, value)
    return Problem(
        file, line, value.reason if isinstance(value, _NoJson) else "is not a JSON object"
    )


@dataclass(frozen=True, slots=True)
class _NoJson:
    reason: str


def _value(data: bytes) -> Any:
    """Return the JSON value of some bytes, or `_NoJson` with why they are none."""
    try:
        return json.loads(data.decode())
    except UnicodeDecodeError:
        return _NoJson("is not UTF-8")
    except json.JSONDecodeError as error:
        place = f"column {error.colno}" if error.lineno == 1 else f"line {error.lineno}"
        return _NoJson(f"is not JSON: {error.msg} in {place}")
    except RecursionError:
        return _NoJson("nests arrays or objects too deeply")
    except ValueError:  # Python bounds the digits of an integer
        return _NoJson("holds a number with too many digits")


def _left_out(problem: Problem) -> SkippedItem:
    place = problem.file if problem.line is None else f"{problem.file}:{problem.line}"
    return SkippedItem(place, problem.message)


def label(item: SourceItem) -> str:
    """Return how a person finds an item: its name, if it has one, and its place."""
    for key in ("uid", "name", "case_id", "task_id"):  # a uid is of one row alone
        value = item.value.get(key)
        if isinstance(value, str) and value.strip():
            return f"{value} ({item.place})"
    return item.place
