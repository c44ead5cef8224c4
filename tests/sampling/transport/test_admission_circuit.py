"""Servers that accept and never answer, cut off, or are gone: who is asked, how often, how long."""

import asyncio
import socket
import threading
import time
from typing import Any

import pytest
from draws import Clock, ask_together, caught, completion, draw, endpoint, fault
from fake_llm import Ask, Cut, Fail, FakeLLM, Hang

from forgetest.errors import Fault
from forgetest.sampling.completion import Completion, Prompt
from forgetest.sampling.providers.presets import PROTOCOLS, Preset
from forgetest.sampling.transport import Endpoint, HttpSource, Pace, RetryPolicy

every_protocol = pytest.mark.parametrize("protocol", PROTOCOLS)


def asked(at: Endpoint, count: int, *models: str) -> tuple[list[Completion | Fault], list[str]]:
    """Return what so many draws of each model bring, all at once, and the lines that were said."""
    heard: list[str] = []
    at.listen(heard.append)
    draws = (draw(model, index=i, seed=i) for i in range(count) for model in models or ("tiny",))
    return ask_together(at, *draws), heard


@every_protocol
@pytest.mark.parametrize("concurrency", [1, 4, 20])
def test_a_server_that_never_answers_is_given_up_soon(protocol: Any, concurrency: int) -> None:
    with FakeLLM(Hang()) as fake:
        at = endpoint(fake, protocol, timeout_secs=0.2, concurrency=concurrency)
        begun = time.monotonic()
        outcomes, heard = asked(at, 100)
        took = time.monotonic() - begun

    assert all(fault(outcome).final for outcome in outcomes[-50:])
    assert "requests in a row (no reply within 0.2 s); given up" in fault(outcomes[-1]).message
    # three unanswered, or as many as were under way, two that left in the same moment, two probes
    assert len(fake.requests) <= max(3, concurrency) + 2 + 2
    assert took < 10
    assert len(heard) == 2
    assert heard[0].startswith("fake: no answer to 3 requests in a row (no reply within 0.2 s); ")
    assert heard[0].endswith("sending one request at a time until it answers")
    assert heard[1].endswith("given up, its samples stay unscored")


@every_protocol
def test_only_one_probe_is_under_way_while_a_server_is_silent(protocol: Any) -> None:
    lock, under_way, most = threading.Lock(), set[int](), list[int]()

    def reply(said: Ask) -> Any:
        if said.number <= 4:
            return Hang()
        with lock:
            under_way.add(said.number)
            most.append(len(under_way))
        time.sleep(0.05)
        with lock:
            under_way.discard(said.number)
        return Cut() if said.number <= 9 else "x"

    policy = RetryPolicy(silent=1)
    with FakeLLM(reply) as fake:
        at = endpoint(fake, protocol, timeout_secs=1.0, concurrency=4, policy=policy)
        outcomes, heard = asked(at, 12)

    assert most[:5] == [1] * 5
    assert max(most) > 1, "all are asked again once it has answered"
    assert [line.split(";")[-1].strip() for line in heard] == [
        "sending one request at a time until it answers",
        "fake answers again",
    ]
    assert [completion(outcome).text for outcome in outcomes[5:]] == ["x"] * 7


@every_protocol
@pytest.mark.parametrize("trouble", [Cut(), Cut(after=10)])
def test_a_server_that_cuts_every_connection_is_given_up_after_a_time(
    protocol: Any, trouble: Cut
) -> None:
    clock = Clock()
    with FakeLLM(lambda said: "x" if said.number == 1 else trouble) as fake:
        outcomes, heard = asked(endpoint(fake, protocol, pace=clock.pace), 300)

    answered = [outcome.text for outcome in outcomes if isinstance(outcome, Completion)]
    assert answered == ["x"]
    assert all("given up" in fault(outcome).message for outcome in outcomes[-200:])
    assert 300 <= clock.now - 1000 < 700
    assert len(fake.requests) < 40
    assert "given up" in heard[-1]


def test_a_server_that_comes_back_has_lost_few_samples() -> None:
    clock = Clock()
    down_until = 1000 + 120.0

    def reply(said: Ask) -> Any:
        return "x" if said.number <= 2 or clock.now > down_until else Cut()

    with FakeLLM(reply) as fake:
        outcomes, heard = asked(endpoint(fake, pace=clock.pace, concurrency=4), 60)

    lost = [outcome for outcome in outcomes if isinstance(outcome, Fault)]
    assert len(lost) <= 8
    assert not any(outcome.final for outcome in lost)
    assert heard[-1] == "fake answers again"


def test_a_server_that_refuses_connections_after_an_answer_is_given_up() -> None:
    clock = Clock()
    with FakeLLM("x") as fake:
        at = endpoint(fake, pace=clock.pace)

        async def asking() -> list[Completion | Fault]:
            async with at:
                first = draw()
                source = HttpSource(first.sample.model, at)
                outcomes = [await caught(source, first)]
                await asyncio.to_thread(fake.__exit__)
                rest = (caught(source, draw(index=i)) for i in range(1, 200))
                return outcomes + await asyncio.gather(*rest)

        outcomes = asyncio.run(asking())

    assert completion(outcomes[0]).text == "x"
    assert "cannot connect" in fault(outcomes[-1]).message
    assert fault(outcomes[-1]).final
    assert clock.now - 1000 < 900


@every_protocol
@pytest.mark.parametrize("answer", [Fail(500), Fail(429), Fail(400, "odd"), "x"])
def test_any_answer_ends_the_silence(protocol: Any, answer: Any) -> None:
    script = [Cut(), Cut(), answer, Cut(), Cut(), "x"]
    with FakeLLM("x", script=script) as fake:
        _, heard = asked(endpoint(fake, protocol, concurrency=1), 4)

    assert heard == []


def test_one_silent_model_ends_alone_and_keeps_nobody_waiting() -> None:
    def reply(said: Ask) -> Any:
        time.sleep(0.05)
        return Hang() if said.model == "mute" else "x"

    with FakeLLM(reply) as fake:
        at = endpoint(fake, timeout_secs=0.5, concurrency=4, pace=Pace())
        outcomes, heard = asked(at, 100, "mute", "tiny")

    assert all(completion(outcome).text == "x" for outcome in outcomes[1::2])
    assert all(isinstance(outcome, Fault) for outcome in outcomes[::2])
    assert "fake/mute" in heard[0]
    assert fault(outcomes[-2]).final
    times = [seen.time for seen in fake.requests if seen.model == "tiny"]
    assert max(times) - min(times) < 6, "the model that answers waited for the one that does not"


def test_a_cancelled_probe_lets_another_one_go() -> None:
    async def asking(at: Endpoint, fake: FakeLLM) -> Completion | Fault:
        async with at:
            source = HttpSource(draw().sample.model, at)
            await source.complete(draw(seed=8))
            silent = [asyncio.create_task(caught(source, draw(seed=i))) for i in range(3)]
            async with asyncio.timeout(20):
                while not at.circuit.is_open or len(fake.requests) < 5:  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
            other = asyncio.create_task(caught(source, draw(seed=9)))
            await asyncio.sleep(0.05)
            for task in silent:
                task.cancel()
            return await other

    def reply(said: Ask) -> Any:
        return Hang() if said.seed in range(3) else "x"

    with FakeLLM(reply) as fake:
        at = endpoint(fake, timeout_secs=2.0, concurrency=3, pace=Pace(random=lambda: 0.0))
        assert completion(asyncio.run(asking(at, fake))).text == "x"


def test_the_first_contact_that_hangs_is_no_longer_asked_in_vain() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=100) as server:  # accepts, never reads
        preset = Preset(
            name="fake",
            base_url=f"http://127.0.0.1:{server.getsockname()[1]}/v1",
            local=True,
            timeout_secs=0.3,
        )
        at = Endpoint(preset, policy=RetryPolicy(timed_out_probes=1), pace=Clock().pace)
        outcomes, heard = asked(at, 50)

    assert all(isinstance(outcome, Fault) for outcome in outcomes)
    assert len(heard) == 2


def test_prompts_of_all_kinds_wait_behind_one_probe() -> None:
    prompts = [Prompt(system="", user=f"prompt {i}") for i in range(10)]
    with FakeLLM(Hang()) as fake:
        at = endpoint(fake, timeout_secs=0.2, concurrency=2)
        outcomes = ask_together(at, *(draw(prompt=prompt) for prompt in prompts))

    assert all(isinstance(outcome, Fault) for outcome in outcomes)
    assert len(fake.requests) <= 8
