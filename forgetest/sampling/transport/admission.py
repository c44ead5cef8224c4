"""When a request may be sent: a circuit breaker for silent servers, and fairly shared slots.

Without `Circuit` a server that accepts and never answers would cost every sample its time limit,
twice. `Slots` limits the requests to one provider at a time, and shares them between its models.
`RequestLimit` is the rule by which a model's share follows what the server allows: pure.
"""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from enum import Enum

from forgetest.sampling.transport.policy import Pace, RetryPolicy, Silence


class Passage(Enum):
    """How a request was admitted: as one of many, or alone, to see whether the server answers."""

    ORDINARY = "ordinary"
    PROBE = "probe"


class Circuit:
    """Counts requests in a row without any answer: those of a provider, or of one model.

    Closed, all requests are sent. Open, one at a time is sent as a probe. Ended, none is sent any
    more. Any answer, an error too, closes it.
    """

    def __init__(
        self, name: str, policy: RetryPolicy, pace: Pace, say: Callable[[str], None]
    ) -> None:
        self.ended: str | None = None  # why no more requests are sent
        self._name, self._policy, self._pace, self._say = name, policy, pace, say
        self._silence = Silence()
        self._probing = False
        self._announced = False
        self._not_before = 0.0
        self._changed = asyncio.Event()

    @property
    def is_open(self) -> bool:
        """Whether so many requests in a row went unanswered that only probes are sent."""
        return self._silence.count >= self._policy.silent

    def admits(self) -> bool:
        """Return whether a request may be sent at this moment."""
        if self.ended is not None or not self.is_open:
            return self.ended is None
        return not self._probing and self._pace.monotonic() >= self._not_before

    async def passable(self) -> None:
        """Return when a request may be sent, or none will be any more."""
        while self.ended is None and not self.admits():
            wait = self._not_before - self._pace.monotonic()
            if self._probing or wait <= 0:
                await self._changed.wait()
            else:
                await self._pace.sleep(wait)

    def enter(self) -> Passage:
        """Note that a request is sent, and return how; only after `admits`."""
        if not self.is_open:
            return Passage.ORDINARY
        self._probing = True
        return Passage.PROBE

    def withdraw(self, passage: Passage) -> None:
        """Note that a request came to nothing, for a reason that is not the server's."""
        if passage is Passage.PROBE:
            self._probing = False
        self._change()

    def answered(self, passage: Passage) -> None:
        """Note that the server answered a request."""
        self._silence = Silence()
        if self._announced:
            self._announced = False
            self._say(f"{self._name} answers again")
        self.withdraw(passage)

    def unanswered(self, passage: Passage, *, timed_out: bool, why: str, quiet: bool) -> None:
        """Note that a request got no answer; `quiet`: the user has been told already."""
        now, probe = self._pace.monotonic(), passage is Passage.PROBE
        self._silence = self._silence.longer(now, probe=probe, timed_out=probe and timed_out)
        silence, policy = self._silence, self._policy
        if probe:
            self._not_before = now + policy.backoff(silence.probes)
        if self.is_open and self.ended is None:
            self._tell(now, why, quiet=quiet)
        self.withdraw(passage)

    def _tell(self, now: float, why: str, *, quiet: bool) -> None:
        count = self._silence.count
        silence = f"no answer to {count} requests in a row ({why})"
        if self._silence.is_final(now, self._policy):
            self.ended = f"{silence}; given up"
            if not quiet:
                self._say(f"{self._name}: {silence}; given up, its samples stay unscored")
        elif not self._announced and not quiet:
            self._announced = True
            self._say(f"{self._name}: {silence}; sending one request at a time until it answers")

    def _change(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


PATIENCE = 8  # times as many answers before as much is tried again as was refused


@dataclass(frozen=True, slots=True)
class RequestLimit:
    """How many requests of a model may be under way at once; it follows what the server answers.

    A refusal halves it, once for all requests that were sent before. As many answers as requests
    are allowed raise it by half of its distance to what was refused last: fast at first, then one
    by one, and beyond it faster and faster. It never exceeds `most`.
    """

    now: int
    most: int
    refused_at: int = 0  # what it was before it was halved last
    answers: int = 0  # since the limit changed
    cuts: int = 0  # how often it was halved

    def answered(self, under_way: int, cuts: int) -> "RequestLimit":
        """Return the limit after an answer to one of so many requests, sent after so many cuts.

        One from before the last cut, or of fewer than are allowed, says nothing of more.
        """
        if self.now >= self.most or under_way < self.now or cuts < self.cuts:
            return self
        step = max(1, abs(self.refused_at - self.now) // 2)
        is_next = self.now < self.refused_at <= self.now + step
        if self.answers + 1 < self.now * (PATIENCE if is_next else 1):
            return replace(self, answers=self.answers + 1)
        return replace(self, now=min(self.most, self.now + step), answers=0)

    def refused(self, cuts: int) -> "RequestLimit":
        """Return the limit after a refusal, which halves it unless it was halved meanwhile."""
        if cuts < self.cuts:
            return self
        half = max(1, self.now // 2)
        return replace(self, now=half, refused_at=self.now, answers=0, cuts=self.cuts + 1)


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot in use: how many its holder held then, and how often its limit had been halved."""

    holder: str
    under_way: int
    cuts: int


class Slots:
    """A limited number of slots; a free one goes to the holder with the fewest, then to the oldest.

    So a model whose requests hang keeps no more than its share while another one waits. Each holder
    begins with `first` at most, and all slots unless it is given; what the server answers moves the
    limit of the holder alone.
    """

    def __init__(self, count: int, first: int | None = None) -> None:
        self._free = count
        self._first = RequestLimit(min(first or count, count), count)
        self._limits: dict[str, RequestLimit] = {}
        self._held: Counter[str] = Counter()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}  # who waits the longest first
        self._soon: asyncio.Handle | None = None

    def limit(self, holder: str) -> RequestLimit:
        """Return how many slots a holder may have by now."""
        return self._limits.get(holder, self._first)

    def answered(self, slot: Slot) -> None:
        """Note that the server did what was asked of it."""
        self._limits[slot.holder] = self.limit(slot.holder).answered(slot.under_way, slot.cuts)
        self._hand_out_soon(asyncio.get_running_loop())

    def refused(self, slot: Slot) -> bool:
        """Note that the server has too much to do; return whether its holder now gets less."""
        before = self.limit(slot.holder)
        after = self._limits[slot.holder] = before.refused(slot.cuts)
        return after.now < before.now

    @asynccontextmanager
    async def held_by(self, holder: str) -> AsyncIterator[Slot]:
        """Hold a slot while the context lasts."""
        loop = asyncio.get_running_loop()
        turn = loop.create_future()
        self._waiting.setdefault(holder, deque()).append(turn)
        self._hand_out_soon(loop)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._forget(holder, turn)
            else:  # it was handed out in the same moment
                self._give_back(holder)
            raise
        try:
            yield Slot(holder, self._held[holder], self.limit(holder).cuts)
        finally:
            self._give_back(holder)

    def _give_back(self, holder: str) -> None:
        self._free += 1
        self._held[holder] -= 1
        self._hand_out_soon(asyncio.get_running_loop())

    def _hand_out_soon(self, loop: asyncio.AbstractEventLoop) -> None:
        # not at once: requests that start in the same moment must be seen before the slots are gone
        if self._soon is None and self._free and self._waiting:
            self._soon = loop.call_soon(self._hand_out)

    def _hand_out(self) -> None:
        self._soon = None
        while self._free and (holder := self._next()) is not None:
            turn = self._waiting[holder].popleft()
            left = self._waiting.pop(holder)
            if left:
                self._waiting[holder] = left  # behind all others
            if not turn.done():
                self._free -= 1
                self._held[holder] += 1
                turn.set_result(None)

    def _next(self) -> str | None:
        """Return who is to have a slot; None when nobody waits who may have more."""
        allowed = (name for name in self._waiting if self._held[name] < self.limit(name).now)
        return min(allowed, key=self._held.__getitem__, default=None)

    def _forget(self, holder: str, turn: asyncio.Future[None]) -> None:
        waiting = self._waiting.get(holder)
        if waiting is not None and turn in waiting:
            waiting.remove(turn)
            if not waiting:
                del self._waiting[holder]
