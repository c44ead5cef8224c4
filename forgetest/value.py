"""The base of every value that crosses a file or the wire; how counts and file names are written.

A value is frozen, and strict about its keys.
"""

import os

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """A frozen pydantic model that refuses unknown keys, NaN and infinity."""

    # The validator of a model is built when it is first used: a command uses few of them.
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)


def count(number: int, noun: str, plural: str = "") -> str:
    """Return `1 case`, `2 cases`, `3,000 cases`."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def readable(name: str) -> str:
    """Return the name of a file as text that UTF-8 can hold, with other bytes as escapes."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def is_readable(name: str) -> bool:
    """Tell whether UTF-8 can hold the name of a file as it is."""
    return not any("\ud800" <= character <= "\udfff" for character in name)
