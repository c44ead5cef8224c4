"""The names of the sandboxes; a name is also that of the module in this folder that opens it.

A module of its own because the help of every command that grades lists them.
"""

from enum import StrEnum
from typing import Self


class Backend(StrEnum):
    """What builds the boxes."""

    auto_order: int | None  # its place among those that `auto` tries; None: only asked for by name

    def __new__(cls, name: str, auto_order: int | None = None) -> Self:
        """Make a backend of its row."""
        backend = str.__new__(cls, name)
        backend._value_, backend.auto_order = name, auto_order
        return backend

    BWRAP = "bwrap", 1
    LANDLOCK = "landlock", 3
    DOCKER = "docker", 2
    NONE = "none"


AUTO = "auto"  # the strongest that works here, never `none`
REQUESTS = (AUTO, *map(str, Backend))  # what --sandbox and forgetest.toml take


def backends_for(request: str) -> tuple[Backend, ...]:
    """Return the backends to try for one of `REQUESTS`, the strongest first."""
    if request != AUTO:
        return (Backend(request),)
    ordered = {backend.auto_order: backend for backend in Backend if backend.auto_order}
    return tuple(ordered[order] for order in sorted(ordered))
