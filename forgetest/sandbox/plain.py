"""No box at all, and no guard: for systems that have neither, when no sandbox was asked for."""

import time
from dataclasses import dataclass, replace

from forgetest.process import Exit, run
from forgetest.sandbox.plan import REPORT_KEPT, Compilation, PlannedTest, TestPlan, TestRan


@dataclass(frozen=True, slots=True)
class PlainBoxes:
    """Starts every command itself, within its limits."""

    async def compile(self, call: Compilation) -> Exit:
        """Run a compiler and return how it ended; `Fault` when it can not be started."""
        return await run(call.argv, cwd=call.cwd, env=call.env, limits=call.limits)

    async def run_tests(self, plan: TestPlan) -> tuple[TestRan, ...]:
        """Run the tests of a plan; `Fault` when the program can not be started."""
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
