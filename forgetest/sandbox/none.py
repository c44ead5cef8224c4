"""No sandbox: limits, a session of its own and a clean environment, for code that you trust."""

import sys
from dataclasses import dataclass
from pathlib import Path

from forgetest.sandbox.box import Boxes, Launch
from forgetest.sandbox.guarded import GuardedBoxes
from forgetest.sandbox.guardprogram import guard_program
from forgetest.sandbox.plain import PlainBoxes
from forgetest.sandbox.plan import Compilation, TestPlan, scratch_fields
from forgetest.sandbox.sandbox import Sandbox
from forgetest.sandbox.types import Backend, Guarantees, Held
from forgetest.toolchain import Toolchain

_NOTE = "without a sandbox generated code has all rights of the user who runs forgetest"


@dataclass(frozen=True, slots=True)
class NoWalls:
    """Starts the guard without any rule."""

    guard: Path

    def compile_box(self, call: Compilation) -> Launch:  # noqa: ARG002 - nothing is closed
        """Return the launcher alone."""
        return Launch((str(self.guard),), (("calls", "all"), ("mark",)))

    def test_box(self, plan: TestPlan, scratch: Path) -> Launch:
        """Return the launcher alone, with the program at its own place."""
        program = ("arg", str(plan.program))
        fields = (("calls", "all"), ("mark",), program, *scratch_fields(str(scratch)))
        return Launch((str(self.guard),), fields)


async def no_sandbox(toolchain: Toolchain, cache: Path) -> Sandbox:
    """Return the launcher without walls, or single commands where it is not at home."""
    boxes: Boxes = PlainBoxes()
    if sys.platform == "linux":
        boxes = GuardedBoxes(NoWalls(await guard_program(toolchain, cache)))
    return Sandbox(Backend.NONE, "", _guarantees(), boxes)


def _guarantees() -> Guarantees:
    """Return what holds: the launcher sets the limits, but hostile code may kill it."""
    return Guarantees(
        read=Held.ABSENT,
        write=Held.ABSENT,
        network=Held.ABSENT,
        environment=Held.BEST_EFFORT,  # clean, but that of forgetest can be read in /proc
        process_tree=Held.BEST_EFFORT,
        memory=Held.BEST_EFFORT if sys.platform == "linux" else Held.ABSENT,
        processes=Held.ABSENT,
        disk=Held.BEST_EFFORT,  # each file, not their number
        output=Held.BEST_EFFORT,
        time=Held.BEST_EFFORT,
        notes=(_NOTE,),
    )
