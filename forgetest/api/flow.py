"""Much work in little room: an input that may be endless, a few tasks, results as they come."""

import asyncio
from collections import deque
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
)
from contextlib import suppress
from typing import Any, TypeVar

In = TypeVar("In")
Out = TypeVar("Out")


async def mapped(
    inputs: Iterable[In] | AsyncIterable[In],
    work: Callable[[int, In], Coroutine[Any, Any, Out]],
    *,
    room: int,
    ordered: bool,
) -> AsyncGenerator[Out, None]:
    """Yield `work(index, input)` of each input, in order or as it is done.

    At most `room` are under way, and one more is read. A result does not wait for the next input.
    Stopping early, or a cancellation, stops what is under way and waits until it is clean.
    """
    source = _numbered(inputs)
    under_way: deque[asyncio.Task[Out]] = deque()
    reading: asyncio.Task[tuple[int, In] | None] | None = asyncio.create_task(_read(source))
    try:
        while reading is not None or under_way:
            first = under_way[0] if ordered and under_way else None
            waited = {first} if first is not None else set(under_way)
            more = {reading} if reading is not None and len(under_way) < room else set()
            await asyncio.wait(waited | more, return_when=asyncio.FIRST_COMPLETED)
            for task in [task for task in under_way if task in waited and task.done()]:
                under_way.remove(task)
                yield task.result()
            if reading in more and reading is not None and reading.done():
                item = reading.result()
                reading = None
                if item is not None:
                    under_way.append(asyncio.create_task(work(*item)))
                    reading = asyncio.create_task(_read(source))
    finally:
        await ended([*under_way, *([] if reading is None else [reading])])
        await source.aclose()


async def _read(source: AsyncGenerator[tuple[int, In], None]) -> tuple[int, In] | None:
    """Return the next input with its number; None at the end."""
    return await anext(source, None)


async def _numbered(
    inputs: Iterable[In] | AsyncIterable[In],
) -> AsyncGenerator[tuple[int, In], None]:
    index = 0
    if isinstance(inputs, AsyncIterable):
        async for item in inputs:
            yield index, item
            index += 1
        return
    for item in inputs:
        yield index, item
        index += 1


async def ended(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel tasks and wait until they have cleaned up."""
    left: list[Awaitable[Any]] = []
    for task in tasks:
        if not task.done():
            task.cancel()
            left.append(task)
    with suppress(asyncio.CancelledError):
        await asyncio.gather(*left, return_exceptions=True)
