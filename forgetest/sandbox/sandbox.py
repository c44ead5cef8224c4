"""A chosen sandbox: compiler calls and tests go in, how they ended comes out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from forgetest.sandbox.backends import Backend
from forgetest.sandbox.plan import Boxes, CompilerCall, TestPlan, TestRan
from forgetest.sandbox.types import Guarantees
from forgetest.system.process import CommandLimits, Exit


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Runs commands in boxes of one backend; safe to use for several at once."""

    backend: Backend
    version: str
    guarantees: Guarantees
    boxes: Boxes
    fix: str = ""  # the command that may help where its boxes do not work

    async def compile(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        limits: CommandLimits,
        reads: Sequence[Path],
        writes: Sequence[Path],
    ) -> Exit:
        """Run a compiler in a box of its own and return how it ended.

        The sysroot and what linking needs are always readable, and every path is seen at its own
        place. Raises `Fault` when the box or the command cannot be started.
        """
        return await self.boxes.compile(CompilerCall(argv, cwd, env, limits, reads, writes))

    async def run_tests(self, plan: TestPlan) -> tuple[TestRan, ...]:
        """Run the tests of a plan in one box and return what became of each, in their order.

        Raises `Fault` when the box or the program cannot be started.
        """
        return await self.boxes.run_tests(plan)
