"""One item of a source: a JSON object, and what its keys must hold."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from forgetest.evalset.schema import quoted

LANGUAGES = ("rs", "rust")


class ItemError(ValueError):
    """One item of a source can not be used; the text says why and begins in the middle."""


@dataclass(frozen=True, slots=True)
class Item:
    """One JSON object of a source and where it stands: `file:line`, or the file it fills."""

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
        """Return a string that must be there, whatever it holds; ItemError otherwise."""
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
