"""Asking a model server in trouble: what is asked again, when, and what is given up."""

import asyncio
import dataclasses
import socket
from typing import Any

import pytest
from draws import Clock, ask, ask_together, completion, draw, endpoint, fault
from fake_llm import Ask, Cut, Fail, FakeLLM, Hang, Say, Slow, quota_spent, rate_limited

from forgetest.sampling.completion import Completion
from forgetest.sampling.plan import ModelSpec
from forgetest.sampling.providers.presets import PROTOCOLS, Preset
from forgetest.sampling.transport import Endpoint, HttpSource, RetryPolicy, Wait

KEY = "sk-very-secret-1234"

every_protocol = pytest.mark.parametrize("protocol", PROTOCOLS)


@every_protocol
@pytest.mark.parametrize(
    ("trouble", "secs"),
    [
        (rate_limited(7), 7.0),
        (rate_limited(7, "ms"), 7.0),
        (rate_limited(0.01), 0.5),
        (rate_limited(), 0.5),
        (Fail(408), 0.5),
        (Fail(500), 0.5),
        (Fail(503, headers={"retry-after": "4"}), 4.0),
        (Fail(503, html="<html><title>Service Unavailable</title></html>"), 0.5),
        (Fail(529), 0.5),
        (Fail(200, code=529), 0.5),
        (Say("", extra={"choices": [], "content": None, "message": None}), 0.5),
        (Cut(), 0.5),
        (Cut(after=0), 0.5),
        (Cut(after=20), 0.5),
    ],
)
def test_passing_trouble_is_waited_out(protocol: Any, trouble: Any, secs: float) -> None:
    clock = Clock()
    with FakeLLM("at last", script=[trouble]) as fake:
        (outcome,) = ask(endpoint(fake, protocol, pace=clock.pace), draw())

    assert (completion(outcome).text, completion(outcome).attempts) == ("at last", 2)
    assert clock.slept == [secs]
    assert len(fake.requests) == 2


def test_a_date_to_come_back_at_is_waited_for() -> None:
    clock = Clock()
    with FakeLLM("at last", script=[rate_limited(60, "date")]) as fake:
        (outcome,) = ask(endpoint(fake, pace=clock.pace), draw())

    assert completion(outcome).attempts == 2
    assert 55 <= clock.slept[0] <= 65  # the server's own clock ticks between the two headers


def test_trouble_after_trouble_is_waited_out_longer_and_longer() -> None:
    clock = Clock()
    with FakeLLM("at last", script=[Fail(500), Cut(), Fail(502), rate_limited()]) as fake:
        (outcome,) = ask(endpoint(fake, pace=clock.pace), draw())

    assert completion(outcome).attempts == 5
    assert clock.slept == [0.5, 1.0, 2.0, 4.0]


@every_protocol
def test_patience_ends_after_five_requests(protocol: Any) -> None:
    with FakeLLM(Fail(500, "the tubes are full")) as fake:
        (outcome,) = ask(endpoint(fake, protocol), draw())

    assert len(fake.requests) == 5
    assert fault(outcome).message.startswith("fake/tiny: 500")
    assert fault(outcome).message.endswith("the tubes are full (gave up after 5 attempts)")
    assert not fault(outcome).final


@every_protocol
@pytest.mark.parametrize(
    "trouble",
    [
        rate_limited(3600),
        Fail(503, headers={"retry-after": "3600"}),
        Fail(529, headers={"retry-after-ms": "130000"}),
    ],
)
def test_a_server_that_wants_too_long_a_wait_is_asked_by_nobody(
    protocol: Any, trouble: Fail
) -> None:
    clock, heard = Clock(), list[str]()
    with FakeLLM("x", script=[trouble]) as fake:
        at = endpoint(fake, protocol, pace=clock.pace)
        at.listen(heard.append)
        outcomes = ask(at, draw("a"), draw("a"), draw("b"))

    assert [fault(outcome).final for outcome in outcomes] == [True] * 3
    assert all(" (the server asks to wait " in fault(outcome).message for outcome in outcomes)
    assert [line.endswith("its remaining samples stay unscored") for line in heard] == [True]
    assert (len(fake.requests), clock.slept) == (1, [])


def test_a_reply_that_does_not_come_is_asked_for_once_more_only() -> None:
    with FakeLLM(Hang()) as fake:
        (outcome,) = ask(endpoint(fake, timeout_secs=1.0), draw())

    assert len(fake.requests) == 2
    assert fault(outcome).message == "fake/tiny: no reply within 1 s (gave up after 2 attempts)"
    assert not fault(outcome).final


def test_the_time_limit_is_for_the_whole_reply() -> None:
    policy = RetryPolicy(timeouts=0)
    with FakeLLM(Slow("x", pieces=40, pause=0.1)) as fake:
        (outcome,) = ask(endpoint(fake, timeout_secs=0.4, policy=policy), draw())

    assert "no reply within 0.4 s" in fault(outcome).message


@every_protocol
@pytest.mark.parametrize(
    ("trouble", "told"),
    [
        (Fail(401, "who are you"), "the server requires a key"),
        (Fail(402, "pay first"), "the credit or quota is used up"),
        (Fail(403, "not here"), "not here"),
        (Fail(404, "no such model"), "`forgetest list-models --provider fake` lists"),
        (Fail(400, "odd request"), "odd request"),
        (Fail(302, headers={"location": "https://elsewhere.example/"}), "change base_url"),
    ],
)
def test_a_final_error_ends_the_model(protocol: Any, trouble: Fail, told: str) -> None:
    with FakeLLM("x", script=[trouble]) as fake:
        first, second = ask(endpoint(fake, protocol), draw(), draw())

    assert len(fake.requests) == 1
    assert told in fault(first).message
    assert fault(first).final
    assert fault(second).final
    assert fault(second).message == fault(first).message


def test_a_final_error_after_a_passing_one_does_not_tell_of_patience() -> None:
    with FakeLLM("x", script=[Fail(500), Fail(400, "odd request")]) as fake:
        (outcome,) = ask(endpoint(fake), draw())

    assert fault(outcome).message.endswith("odd request")


def test_a_spent_quota_is_told_from_a_rate_limit() -> None:
    clock = Clock()
    with FakeLLM("x", script=[quota_spent()]) as fake:
        (outcome,) = ask(endpoint(fake, pace=clock.pace), draw())

    assert fault(outcome).final
    assert "used up" in fault(outcome).message
    assert (len(fake.requests), clock.slept) == (1, [])


def test_a_spend_limit_of_anthropic_is_final_too() -> None:
    with FakeLLM(Fail(429, code="enforced_spend_limit_reached")) as fake:
        (outcome,) = ask(endpoint(fake, "anthropic"), draw())

    assert fault(outcome).final
    assert len(fake.requests) == 1


def test_a_402_that_says_when_to_come_back_is_waited_out() -> None:
    clock = Clock()
    with FakeLLM("x", script=[Fail(402, headers={"retry-after": "3"})]) as fake:
        (outcome,) = ask(endpoint(fake, pace=clock.pace), draw())

    assert completion(outcome).attempts == 2
    assert clock.slept == [3.0]


def test_the_server_may_forbid_asking_again() -> None:
    with FakeLLM("x", script=[Fail(500, headers={"x-should-retry": "false"})]) as fake:
        first, second = ask(endpoint(fake), draw(), draw())

    assert not fault(first).final
    assert completion(second).text == "x"
    assert len(fake.requests) == 2


@every_protocol
@pytest.mark.parametrize(
    ("found", "finish"),
    [
        (
            Fail(400, "maximum context length is 2048 tokens", code="context_length_exceeded"),
            "length",
        ),
        (Fail(400, "prompt is too long: 210000 tokens > 200000 maximum"), "length"),
        (
            Fail(400, "Output blocked by content filtering policy", code="content_filter"),
            "filtered",
        ),
    ],
)
def test_a_finding_about_the_prompt_is_the_end_of_its_sample_only(
    protocol: Any, found: Fail, finish: str
) -> None:
    with FakeLLM("x", script=[found]) as fake:
        first, second = ask(endpoint(fake, protocol), draw(), draw())

    assert (completion(first).text, completion(first).finish) == ("", finish)
    assert completion(first).request_id == "req-1"
    assert completion(second).text == "x"
    assert len(fake.requests) == 2


def test_a_token_limit_without_room_is_told_and_not_scored() -> None:
    told = "'max_tokens' is too large: 16000. This model's maximum context length is 2048 tokens"
    with FakeLLM("x", script=[Fail(400, told)]) as fake:
        first, second = ask(endpoint(fake), draw(), draw())

    assert fault(first).message.endswith("lower --max-tokens")
    assert not fault(first).final
    assert completion(second).text == "x"


def test_a_finding_holds_no_secret() -> None:
    found = Fail(400, "too long", code="context_length_exceeded")
    with FakeLLM(found, key="context_length") as fake:
        (outcome,) = ask(endpoint(fake, key="context_length"), draw())

    assert completion(outcome).native_finish == "[hidden]_exceeded"


def test_a_rejection_after_an_answer_costs_its_own_sample_only() -> None:
    with FakeLLM("x", script=["x", Fail(400, "odd request")]) as fake:
        first, second, third = ask(endpoint(fake), draw(), draw(), draw())

    assert completion(first).text == completion(third).text == "x"
    assert not fault(second).final


def test_one_models_end_is_not_anothers() -> None:
    with FakeLLM("x", models=["tiny"]) as fake:
        lost, found = ask(endpoint(fake), draw("lost"), draw("tiny"))

    assert fault(lost).final
    assert completion(found).text == "x"


@every_protocol
def test_a_page_where_completions_should_be_ends_a_model_that_never_answered(protocol: Any) -> None:
    page = Fail(200, html="<html><title>Welcome to nginx!</title></html>")
    with FakeLLM("x", script=[page] * 5) as fake:
        first, second = ask(endpoint(fake, protocol), draw(), draw())

    unreadable = "unreadable reply: Welcome to nginx! (gave up after 5 attempts)"
    assert fault(first).message == f"fake/tiny: {unreadable}"
    assert fault(first).final
    assert fault(second).final
    assert len(fake.requests) == 5


def test_a_page_after_an_answer_costs_its_own_sample_only() -> None:
    page = Fail(200, html="<html><title>Maintenance</title></html>")
    with FakeLLM("x", script=["x", *[page] * 5]) as fake:
        first, second, third = ask(endpoint(fake), draw(), draw(), draw())

    assert not fault(second).final
    assert completion(first).text == completion(third).text == "x"


def test_a_server_that_is_not_there_ends_the_model() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    preset = Preset(name="fake", base_url=f"http://127.0.0.1:{port}/v1", local=True)
    clock = Clock()

    (outcome,) = ask(Endpoint(preset, pace=clock.pace), draw())

    assert fault(outcome).final
    assert f"cannot connect to http://127.0.0.1:{port}/v1" in fault(outcome).message
    assert len(clock.slept) == 4


@every_protocol
@pytest.mark.parametrize(
    "told",
    [
        Fail(500, f"what is {'.' * 255} {KEY} {KEY}?"),
        Fail(200, html=f"<title>no JSON {'.' * 247} {KEY} {KEY}</title>"),
        Fail(500, f"{KEY} is", code=KEY),
    ],
)
def test_a_key_that_a_server_repeats_is_hidden(protocol: Any, told: Fail) -> None:
    with FakeLLM(told, key=KEY) as fake:
        at = endpoint(fake, protocol, key=KEY, policy=RetryPolicy(attempts=1))
        (outcome,) = ask(at, draw())

    shown = f"{fault(outcome)!s} {fault(outcome)!r} {at!r} {at.secrets!r} {at.preset!r}"
    assert KEY[:8] not in shown
    assert "[hidden]" in fault(outcome).message


def test_a_wrong_key_names_the_variable_to_mend() -> None:
    with FakeLLM("x", key=KEY) as fake:
        (outcome,) = ask(endpoint(fake, key="sk-wrong-key-9876"), draw())

    assert "401 invalid_api_key" in fault(outcome).message
    assert "set FAKE_KEY to a valid key" in fault(outcome).message
    assert "sk-wrong-key" not in fault(outcome).message


def test_one_rate_limit_keeps_the_other_workers_from_asking() -> None:
    sleepers, awake = asyncio.Semaphore(0), asyncio.Event()
    clock = Clock()

    async def sleep(secs: float) -> None:
        del secs
        sleepers.release()
        await awake.wait()

    async def asking(fake: FakeLLM) -> tuple[Completion, Completion]:
        async with endpoint(fake, pace=dataclasses.replace(clock.pace, sleep=sleep)) as at:
            source = HttpSource(ModelSpec(provider="fake", model="tiny"), at)
            limited = asyncio.create_task(source.complete(draw(seed=1)))
            await sleepers.acquire()
            other = asyncio.create_task(source.complete(draw(seed=2)))
            await sleepers.acquire()
            assert [seen.seed for seen in fake.requests] == [1]
            clock.now += 30
            awake.set()
            return await asyncio.gather(limited, other)

    with FakeLLM("x", script=[rate_limited(30)]) as fake:
        limited, other = asyncio.run(asking(fake))

    assert (limited.attempts, other.attempts) == (2, 1)


def test_the_longest_of_several_cool_downs_counts() -> None:
    clock = Clock()
    waits: list[Wait] = []

    async def cool(at: Endpoint) -> None:
        at.listen(print, waits.append)
        async with at:
            at.cool_down(30, "429")
            at.cool_down(5)
            await at.cooled()

    with FakeLLM("x") as fake:
        asyncio.run(cool(endpoint(fake, pace=clock.pace)))

    assert clock.now == 1030.0
    assert waits == [Wait("fake", "429", 30)]


def test_what_a_limited_server_answered_is_told_with_the_wait() -> None:
    clock, waits = Clock(), list[Wait]()
    with FakeLLM("x", script=[rate_limited(7)]) as fake:
        at = endpoint(fake, pace=clock.pace)
        at.listen(print, waits.append)
        ask(at, draw())

    assert [(wait.provider, wait.why) for wait in waits] == [("fake", "429")]
    assert 7 <= waits[0].secs < 10


def test_nothing_that_was_answered_is_asked_twice() -> None:
    def reply(said: Ask) -> Any:
        faults: list[Any] = [Cut(after=10), rate_limited(1), Fail(529), Cut()]
        trouble = faults[(said.seed or 0) % 4]
        return trouble if said.nth == 1 else f"reply {said.seed}"

    with FakeLLM(reply) as fake:
        outcomes = ask_together(endpoint(fake), *(draw(index=i, seed=i) for i in range(12)))

    assert [completion(o).text for o in outcomes] == [f"reply {seed}" for seed in range(12)]
    assert fake.answered() == {("tiny", "Write is_even.", seed): 1 for seed in range(12)}
    assert len(fake.requests) == 24


def test_a_reply_without_end_is_not_read_to_the_end() -> None:
    endless = Say("x", extra={"padding": "y" * (33 * 2**20)})
    with FakeLLM(endless) as fake:
        (outcome,) = ask(endpoint(fake, policy=RetryPolicy(attempts=1)), draw())

    assert "the reply is larger than any completion" in fault(outcome).message
