"""No sandbox: limits, a session of its own and a clean environment, for code that you trust.

On Linux the guard sets the limits (`NoWalls`); elsewhere commands are started directly
(`PlainBoxes`).
"""

import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

from forgetest.sandbox.backends import Backend
from forgetest.sandbox.guarded import GuardedBoxes
from forgetest.sandbox.guardprogram import guard_program
from forgetest.sandbox.plan import (
    REPORT_KEPT,
    Boxes,
    CompilerCall,
    Launch,
    PlannedTest,
    TestPlan,
    TestRan,
    scratch_fields,
)
from forgetest.sandbox.sandbox import Sandbox
from forgetest.sandbox.types import Guarantees, Held
from forgetest.system.process import Exit, run
from forgetest.system.toolchain import Toolchain

_NOTE = "without a sandbox generated code has all rights of the user who runs forgetest"


@dataclass(frozen=True, slots=True)
class PlainBoxes:
    """Starts every command itself, within its limits."""

    async def compile(self, call: CompilerCall) -> Exit:
        """Run a compiler and return how it ended; `Fault` when it cannot be started."""
        return await run(call.argv, cwd=call.cwd, env=call.env, limits=call.limits)

    async def run_tests(self, plan: TestPlan) -> tuple[TestRan, ...]:
        """Run the tests of a plan; `Fault` when the program cannot be started."""
        left = plan.all_secs
        ran: list[TestRan] = []
        for test in plan.tests:
            started = time.monotonic()
            first = await _run(plan, test, f"{test.nonce} report\n", left) if left > 0 else None
            left -= time.monotonic() - started
            trap = None
            reported = first is not None and first.code == 0 and bool(first.stdout)
            if plan.until_failure:
                left = left if reported else 0
            elif reported:
                trap = await _run(plan, test, f"{test.trap_nonce} trap\n", plan.limits.wall_secs)
            ran.append(TestRan(test.name, first, trap))
        return tuple(ran)


async def _run(plan: TestPlan, test: PlannedTest, stdin: str, left: float) -> Exit:
    limits = replace(plan.limits, wall_secs=min(plan.limits.wall_secs, left))
    argv = [str(plan.program), "--only", test.name]
    ended = await run(argv, cwd=plan.cwd, env=plan.env, limits=limits, stdin=stdin.encode())
    return replace(ended, stdout=ended.stdout[:REPORT_KEPT])


@dataclass(frozen=True, slots=True)
class NoWalls:
    """Starts the guard without any rule."""

    guard: Path

    def compile_box(self, call: CompilerCall) -> Launch:  # noqa: ARG002 - nothing is closed
        """Return the launcher alone."""
        return Launch((str(self.guard),), (("calls", "all"), ("mark",)))

    def test_box(self, plan: TestPlan, scratch: Path) -> Launch:
        """Return the launcher alone, with the program at its own place."""
        program = ("arg", str(plan.program))
        fields = (("calls", "all"), ("mark",), program, *scratch_fields(str(scratch)))
        return Launch((str(self.guard),), fields)


async def none_sandbox(toolchain: Toolchain, cache: Path) -> Sandbox:
    """Return the guard without walls on Linux, and single commands elsewhere."""
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
