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
from contextlib import aclosing, suppress
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

    At most `room` are under way: no more of the input is read than that. Whoever stops early, or is
    cancelled, stops what is under way, and waits until it has cleaned up.
    """
    under_way: deque[asyncio.Task[Out]] = deque()
    try:
        async with aclosing(_numbered(inputs)) as numbered:
            async for index, item in numbered:
                under_way.append(asyncio.create_task(work(index, item)))
                if len(under_way) >= room:
                    yield await _next(under_way, ordered=ordered)
        while under_way:
            yield await _next(under_way, ordered=ordered)
    finally:
        await ended(under_way)


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


async def _next(under_way: deque[asyncio.Task[Out]], *, ordered: bool) -> Out:
    """Take the first task, or the first that is done; return its result."""
    waited = [under_way[0]] if ordered else list(under_way)
    # Not `await task`: it would hand on a cancellation, and `ended` would disturb the cleanup.
    done, _ = await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
    task = next(task for task in waited if task in done)
    under_way.remove(task)
    return task.result()


async def ended(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel tasks and wait until they have cleaned up."""
    left: list[Awaitable[Any]] = []
    for task in tasks:
        if not task.done():
            task.cancel()
            left.append(task)
    with suppress(asyncio.CancelledError):
        await asyncio.gather(*left, return_exceptions=True)
