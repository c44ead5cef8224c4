"""So many requests at once to one provider, shared fairly between those who want to ask."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Slots:
    """A free slot goes to the holder with the fewest; among equals, to who waits the longest.

    So a model whose requests hang takes its own share and no more, as long as another one waits.
    """

    def __init__(self, count: int) -> None:
        self._free = count
        self._held: Counter[str] = Counter()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}  # who waits the longest first
        self._soon: asyncio.Handle | None = None

    @asynccontextmanager
    async def one(self, holder: str) -> AsyncIterator[None]:
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
            yield
        finally:
            self._give_back(holder)

    def _give_back(self, holder: str) -> None:
        self._free += 1
        self._held[holder] -= 1
        self._hand_out_soon(asyncio.get_running_loop())

    def _hand_out_soon(self, loop: asyncio.AbstractEventLoop) -> None:
        # not at once: whoever starts in the same moment is to be seen before the slots are gone
        if self._soon is None and self._free and self._waiting:
            self._soon = loop.call_soon(self._hand_out)

    def _hand_out(self) -> None:
        self._soon = None
        while self._free and self._waiting:
            holder = min(self._waiting, key=self._held.__getitem__)
            turn = self._waiting[holder].popleft()
            left = self._waiting.pop(holder)
            if left:
                self._waiting[holder] = left  # behind all others
            if not turn.done():
                self._free -= 1
                self._held[holder] += 1
                turn.set_result(None)

    def _forget(self, holder: str, turn: asyncio.Future[None]) -> None:
        waiting = self._waiting.get(holder)
        if waiting is not None and turn in waiting:
            waiting.remove(turn)
            if not waiting:
                del self._waiting[holder]
