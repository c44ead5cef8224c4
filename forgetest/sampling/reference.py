"""The upper and the lower anchor of every eval set: its reference solutions, and stubs of them.

`reference/solution` and `reference/stub` go through the same pipe as any model: the code comes
back as a reply, and is extracted, graded and scored like one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from forgetest.errors import Fault, FaultKind, ForgetestError
from forgetest.evalset.forms import quoted, some
from forgetest.evalset.types import Case
from forgetest.sampling.completion import Completion, Cost, Draw
from forgetest.sampling.prompt import answer_text

MODELS = ("solution", "stub")


@dataclass(frozen=True, slots=True)
class ReferenceSource:
    """Answers each case with its reference solution, or with what `stub` makes of it."""

    model: str
    stub: Callable[[str], str]

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise ForgetestError(
                f"reference/{self.model}: no such model; use reference/solution or reference/stub"
            )

    @property
    def concurrency(self) -> int:
        """How many draws may be under way at once: nothing waits, so one after the other."""
        return 1

    def check(self, cases: Sequence[Case]) -> None:
        """Raise ForgetestError when a case has no reference solution to answer with."""
        without = [case.key for case in cases if case.reference_solution is None]
        if without:
            raise ForgetestError(
                f"reference/{self.model}: no reference_solution in {some(without)}; "
                "add one, or skip the case with --filter or --case"
            )

    async def complete(self, draw: Draw) -> Completion:
        """Return the code in a Rust block, at no cost; Fault for a case that `check` refuses."""
        solution = draw.case.reference_solution
        if solution is None:
            raise Fault(
                FaultKind.INTERNAL, f"case {quoted(draw.case.key)} has no reference_solution"
            )
        code = self.stub(solution) if self.model == "stub" else solution
        return Completion(
            text=answer_text(code, draw.case.answer_files) + "\n",
            cost=Cost(usd=Decimal(0), source="local"),
            served_model=f"reference/{self.model}",
        )
