"""Slots of one provider: never too many, fair between models, none lost."""

import asyncio
import statistics
import time
from collections import Counter
from typing import Any

import pytest
from draws import ask_together, completion, draw, endpoint
from fake_llm import Ask, Fail, FakeLLM
from hypothesis import given, settings
from hypothesis import strategies as st

from forgetest.sampling.providers.presets import PROTOCOLS
from forgetest.sampling.transport import Pace, RetryPolicy
from forgetest.sampling.transport.admission import Slots


@settings(max_examples=60)
@given(
    st.integers(1, 4),
    st.lists(
        st.tuples(st.sampled_from("abc"), st.integers(0, 6), st.integers(0, 5), st.booleans()),
        max_size=30,
    ),
)
def test_no_slot_is_lost_or_given_twice(
    count: int, wishes: list[tuple[str, int, int, bool]]
) -> None:
    async def holding() -> None:
        slots, held, most = Slots(count), Counter[str](), [0]

        async def hold(holder: str, before: int, work: int) -> None:
            for _ in range(before):
                await asyncio.sleep(0)
            async with slots.held_by(holder):
                held[holder] += 1
                most[0] = max(most[0], held.total())
                try:
                    for _ in range(work):
                        await asyncio.sleep(0)
                finally:
                    held[holder] -= 1

        tasks = [asyncio.create_task(hold(*wish[:3])) for wish in wishes]
        for turn, (task, wish) in enumerate(zip(tasks, wishes, strict=True)):
            if wish[3]:
                for _ in range(turn % 3):
                    await asyncio.sleep(0)
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert most[0] <= count
        async with asyncio.timeout(5):  # all of them are free again
            await asyncio.gather(*(hold("z", 0, 3) for _ in range(3 * count)))

    asyncio.run(holding())


def test_who_came_first_does_not_take_all() -> None:
    async def holding() -> list[str]:
        slots, order = Slots(4), list[str]()

        async def hold(holder: str) -> None:
            async with slots.held_by(holder):
                order.append(holder)
                await asyncio.sleep(0.01)

        await asyncio.gather(*(hold("a") for _ in range(20)), *(hold("b") for _ in range(20)))
        return order

    order = asyncio.run(holding())
    assert order.count("a") == order.count("b") == 20
    assert all(Counter(order[i : i + 4])["a"] == 2 for i in range(0, 40, 4))


def test_a_model_that_is_told_to_wait_leaves_its_slots_to_others() -> None:
    def reply(said: Ask) -> Any:
        return Fail(500) if said.model == "ill" else "x"

    policy = RetryPolicy(first_backoff_secs=0.2)
    with FakeLLM(reply) as fake:
        at = endpoint(fake, concurrency=2, pace=Pace(random=lambda: 1.0), policy=policy)
        draws = [draw(model, index=i, seed=i) for i in range(8) for model in ("ill", "tiny")]
        ask_together(at, *draws)

    times = [seen.time for seen in fake.requests]
    well = [seen.time for seen in fake.requests if seen.model == "tiny"]
    assert max(well) < max(times) - 1, "the last of the well ones waited for the ill ones"


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("together", [1, 8])
def test_latency_is_from_sending_and_knows_nothing_of_the_queue(
    protocol: Any, together: int
) -> None:
    def reply(said: Ask) -> str:
        time.sleep(0.1)
        return "x"

    with FakeLLM(reply) as fake:
        at = endpoint(fake, protocol, concurrency=together, pace=Pace())
        outcomes = ask_together(at, *(draw(index=i) for i in range(12 * together)))

    secs = [completion(outcome).latency_secs or 0.0 for outcome in outcomes]
    assert min(secs) >= 0.1
    assert statistics.median(secs) < 0.3, "the last of them waited for more than a second"


def test_two_hundred_at_once_are_answered_many_times_faster_than_one_by_one() -> None:
    def reply(said: Ask) -> str:
        time.sleep(0.1)
        return "x"

    with FakeLLM(reply) as fake:
        at = endpoint(fake, concurrency=100, pace=Pace())
        begun = time.monotonic()
        outcomes = ask_together(at, *(draw(index=i, seed=i) for i in range(400)))
        took = time.monotonic() - begun

    assert all(completion(outcome).text == "x" for outcome in outcomes)
    assert took < 400 * 0.1 / 4
