"""What the journal of an open run adds up to so far, without any answer or verdict being held.

A sample that is not settled is known by the places of its lines, from which its record is read when
it is its turn.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal

from forgetest.run.events import Completed, Event, Graded, SampleRecord
from forgetest.run.rounds import may_be_asked, settled_rounds
from forgetest.sampling.halt import RECORDED
from forgetest.sampling.plan import Plan
from forgetest.sampling.variant import DEFAULT, Variant

Lines = tuple[int, ...]  # the offsets at which lines of a journal begin
ReadRecord = Callable[[Sequence[int]], SampleRecord]


class RunProgress:
    """Which samples of a plan are settled, and where the others stand."""

    def __init__(self, plan: Plan, read: ReadRecord) -> None:
        """Begin without any event; `read` returns the record that some lines make."""
        self.plan = plan
        self.settled: set[str] = set()
        self.begun: dict[str, Lines] = {}  # those that are not settled
        self.spent_usd = Decimal(0)  # on answers that were paid for in this run
        self._read = read
        self._variants = {str(model): plan.variant(model) for model in plan.models}

    def add(self, event: Event, offset: int) -> None:
        """Count an event whose line begins at an offset of the journal."""
        key = event.sample
        match event:
            case Completed():
                self._answered(event, offset)
            case Graded() if key not in self.settled:
                self.begun[key] = lines = (*self.begun.get(key, ()), offset)
                if self._is_settled(event, lines):
                    del self.begun[key]
                    self.settled.add(key)
            case _:
                pass  # a fault changes nothing of what the sample needs next

    def record(self, key: str) -> SampleRecord:
        """Return what is known of a sample that is not settled."""
        return self._read(self.begun.get(key, ()))

    def may_be_asked(self, key: str) -> bool:
        """Tell whether a sample may still need an answer: now, or after the next verdict."""
        if key in self.settled or key not in self.begun:
            return key not in self.settled
        variant = self._variant_of(key)
        return variant.rounds > 1 and may_be_asked(self.record(key), variant)

    def _variant_of(self, key: str) -> Variant:
        return self._variants.get(key.rsplit("|", 2)[0], DEFAULT)

    def _answered(self, event: Completed, offset: int) -> None:
        """Note an answer; one of the first round begins the sample anew."""
        key, cost = event.sample, event.completion.cost
        if cost.usd is not None and cost.source != RECORDED:
            self.spent_usd += cost.usd
        self.settled.discard(key)
        self.begun[key] = (offset,) if event.round == 1 else (*self.begun.get(key, ()), offset)

    def _is_settled(self, event: Graded, lines: Lines) -> bool:
        variant = self._variant_of(event.sample)
        if variant.rounds == 1 or event.verdict.passed:
            return True
        return settled_rounds(self._read(lines), variant) is not None
