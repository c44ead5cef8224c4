"""Why a session asks for no more completions before its plan is done: --max-cost or --fail-fast.

One `Halt` is shared by all sources of a session and its conductor. Requests under way come to their
end, and what was answered is kept. What was not asked is unscored with the reason, and resumes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from forgetest.errors import Fault, FaultKind
from forgetest.sampling.completion import Cost

RECORDED = "recorded"  # the source of a cost that somebody paid in another run


@dataclass(slots=True)
class Halt:
    """What may end the asking; without a limit, nothing does."""

    max_cost_usd: Decimal | None = None  # of the whole run, earlier sessions included
    fail_fast: bool = False
    spent_usd: Decimal = Decimal(0)  # what is known of it
    too_dear: str | None = None  # why no more is paid for
    failed: str | None = None  # why nothing more is begun
    listen: Callable[[str], None] = lambda _: None  # hears of the halt, once

    def spend(self, cost: Cost) -> None:
        """Count what a completion cost; an unknown price counts nothing."""
        if cost.usd is None or cost.source == RECORDED:
            return
        self.spend_usd(cost.usd)

    def spend_usd(self, usd: Decimal) -> None:
        """Count what was paid."""
        self.spent_usd += usd
        limit = self.max_cost_usd
        if limit is not None and self.spent_usd >= limit and self.too_dear is None:
            self.too_dear = f"not asked: --max-cost {_usd(limit)} is reached"
            self.listen(
                f"--max-cost {_usd(limit)} is reached, {_usd(self.spent_usd)} is spent: the rest"
                " stays unscored until --resume with a higher --max-cost"
            )

    def fault(self, sample: str, fault: Fault) -> None:
        """Hear of a fault, which ends everything where the user asked for that."""
        if self.fail_fast and self.failed is None and fault.kind is not FaultKind.STOPPED:
            self.failed = f"stopped by --fail-fast after {sample}: {fault}"
            self.listen(f"--fail-fast stops the run after {sample}: {fault}")

    def demand_begin(self) -> None:
        """Raise `Fault` where no work is to begin any more."""
        if self.failed is not None:
            raise Fault(FaultKind.STOPPED, self.failed)

    def demand_ask(self, *, free: bool) -> None:
        """Raise `Fault` where no request is to be sent any more; `free` ones have no limit."""
        self.demand_begin()
        if self.too_dear is not None and not free:
            raise Fault(FaultKind.STOPPED, self.too_dear)


def _usd(amount: Decimal) -> str:
    return f"${round(amount, 4).normalize():f}"
