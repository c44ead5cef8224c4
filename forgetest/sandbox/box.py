"""What a backend answers when it is asked for a box."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from forgetest.process import Exit
from forgetest.sandbox.plan import Compilation, Field, TestPlan, TestRan


class Unusable(Exception):  # noqa: N818 - no error yet: another backend may do
    """A backend does not work on this machine; `fix` is what a user can do about it."""

    def __init__(self, why: str, fix: str = "") -> None:
        self.fix = fix
        super().__init__(why)


@dataclass(frozen=True, slots=True)
class Launch:
    """How a box is entered: the command whose last program is the guard, and its part of the work.

    `undo` removes what a killed command leaves; it is run only then. `env` is that of the command
    itself, of which the box sees nothing.
    """

    argv: tuple[str, ...]
    fields: tuple[Field, ...]
    undo: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)


class Walls(Protocol):
    """A backend: it builds the two boxes."""

    def compile_box(self, call: Compilation) -> Launch:
        """Return the box of one compiler call; all paths are seen at their own places."""

    def test_box(self, plan: TestPlan, scratch: Path) -> Launch:
        """Return the box of one sample's tests; its fields name the program and scratch folder.

        `scratch` is an empty folder of the host, for backends that can not make one.
        """


class Boxes(Protocol):
    """What runs commands, guarded or not."""

    async def compile(self, call: Compilation) -> Exit:
        """Run a compiler and return how it ended; `Fault` when it can not be started."""

    async def run_tests(self, plan: TestPlan) -> tuple[TestRan, ...]:
        """Run the tests of a plan; `Fault` when the box or the program can not be started."""
