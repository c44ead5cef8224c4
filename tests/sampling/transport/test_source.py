"""Asking a model server over a real socket, when all goes well or as well as can be."""

import asyncio
import threading
from decimal import Decimal
from typing import Any

import pytest
from draws import ask, ask_together, caught, completion, draw, endpoint, fault
from fake_llm import Ask, FakeLLM, Hang, Say, Slow

from forgetest import __version__
from forgetest.errors import ProviderSetupError
from forgetest.sampling.completion import Completion, Cost, Finish, Prompt, Usage
from forgetest.sampling.plan import ModelSpec
from forgetest.sampling.providers.presets import PROTOCOLS, Preset, Price
from forgetest.sampling.transport import Endpoint, HttpSource, fetch_models

KEY = "sk-very-secret-1234"

every_protocol = pytest.mark.parametrize("protocol", PROTOCOLS)


@every_protocol
def test_a_completion_comes_with_everything_known_about_it(protocol: Any) -> None:
    with FakeLLM("fn is_even() {}") as fake:
        (outcome,) = ask(endpoint(fake, protocol), draw(seed=None))

    found = completion(outcome)
    assert found.text == "fn is_even() {}"
    assert found.finish is Finish.STOP
    assert found.cost == Cost(usd=Decimal(0), source="local")
    assert (found.attempts, found.request_id, found.served_model) == (1, "req-1", "tiny")
    assert found.dropped_params == ()
    assert found.usage.output_tokens == 3
    assert found.usage.input_tokens == (37 if protocol == "anthropic" else 7)
    assert found.latency_secs == 0.0  # the injected clock stands still while a request is out


@every_protocol
@pytest.mark.parametrize(
    ("say", "text", "finish"),
    [
        (Say("", shape="null"), "", Finish.STOP),
        (Say("in parts", shape="parts"), "in parts", Finish.STOP),
        (Say("cut", finish="length"), "cut", Finish.LENGTH),
        (Say("x" * 1000), "x" * 400, Finish.LENGTH),
        (Slow("piece by piece"), "piece by piece", Finish.STOP),
    ],
)
def test_replies_of_every_shape_read_alike(
    protocol: Any, say: Say | Slow, text: str, finish: Finish
) -> None:
    with FakeLLM(say) as fake:
        (outcome,) = ask(endpoint(fake, protocol), draw())

    assert (completion(outcome).text, completion(outcome).finish) == (text, finish)


@pytest.mark.parametrize(
    ("protocol", "finish", "meaning"),
    [
        ("openai", "refusal", Finish.REFUSED),
        ("openai", "filtered", Finish.FILTERED),
        ("anthropic", "refusal", Finish.REFUSED),
    ],
)
def test_a_refusal_is_a_completion_and_no_fault(
    protocol: Any, finish: Any, meaning: Finish
) -> None:
    with FakeLLM(Say("No.", finish=finish)) as fake:
        (outcome,) = ask(endpoint(fake, protocol), draw())

    assert completion(outcome).finish is meaning


@every_protocol
def test_missing_usage_leaves_tokens_and_price_unknown(protocol: Any) -> None:
    with FakeLLM(Say("x", usage=False)) as fake:
        (outcome,) = ask(endpoint(fake, protocol, local=False), draw())

    assert completion(outcome).usage == Usage()
    assert completion(outcome).cost == Cost()


def test_the_charged_amount_and_the_server_behind_the_gateway_are_kept() -> None:
    extra = {"usage": {"cost": 0.25}, "provider": "Groq"}
    with FakeLLM(Say("x", extra=extra)) as fake:
        (outcome,) = ask(endpoint(fake, local=False), draw())

    assert completion(outcome).cost == Cost(usd=Decimal("0.25"), source="provider")
    assert completion(outcome).served_by == "Groq"


def test_the_users_price_is_applied_to_the_usage() -> None:
    prices = {"tiny": Price(input=Decimal(1_000_000), output=Decimal(0))}
    with FakeLLM("x") as fake:
        (outcome,) = ask(endpoint(fake, local=False, prices=prices), draw())

    assert completion(outcome).cost == Cost(usd=Decimal(7), source="config")


@pytest.mark.parametrize(
    ("protocol", "header", "value"),
    [
        ("openai", "authorization", f"Bearer {KEY}"),
        ("anthropic", "x-api-key", KEY),
        ("ollama", "authorization", f"Bearer {KEY}"),
    ],
)
def test_the_key_is_sent_as_the_protocol_wants_it(protocol: Any, header: str, value: str) -> None:
    with FakeLLM("x", key=KEY) as fake:
        at = endpoint(fake, protocol, key=KEY, extra_headers={"X-Title": "evals"})
        (outcome,) = ask(at, draw())

    sent = fake.requests[0].headers
    assert completion(outcome).text == "x"
    assert (sent[header], sent["x-title"]) == (value, "evals")
    assert sent["user-agent"] == f"forgetest/{__version__}"


def test_without_a_key_variable_no_key_is_sent() -> None:
    with FakeLLM("x") as fake:
        ask(endpoint(fake), draw())

    assert not {"authorization", "x-api-key"} & set(fake.requests[0].headers)


def test_a_missing_key_is_told_before_anything_is_asked() -> None:
    preset = Preset(name="mine", base_url="https://api.example/v1", key_env="MINE_KEY")

    with pytest.raises(ProviderSetupError, match="MINE_KEY"):
        Endpoint(preset)


def test_a_proxy_of_the_environment_does_not_see_what_stays_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)

    with FakeLLM("x") as fake:
        (outcome,) = ask(endpoint(fake), draw())

    assert completion(outcome).text == "x"


def test_every_draw_is_one_request_with_its_own_seed() -> None:
    with FakeLLM(lambda said: f"seed {said.seed}") as fake:
        outcomes = ask_together(endpoint(fake), *(draw(index=i, seed=40 + i) for i in range(6)))

    assert [completion(outcome).text for outcome in outcomes] == [
        f"seed {40 + i}" for i in range(6)
    ]
    assert set(fake.answered().values()) == {1}


def test_no_more_requests_are_under_way_than_the_endpoint_allows() -> None:
    lock, pairs = threading.Lock(), threading.Barrier(2)
    under_way: set[int] = set()
    most: list[int] = []

    def reply(said: Ask) -> str:
        with lock:
            under_way.add(said.number)
            most.append(len(under_way))
        pairs.wait(timeout=10)
        with lock:
            under_way.discard(said.number)
        return "x"

    with FakeLLM(reply) as fake:
        at = endpoint(fake, concurrency=2)
        models = [draw("a"), draw("b"), draw("a"), draw("b"), draw("a"), draw("b")]
        outcomes = ask_together(at, *models)

    assert [completion(outcome).text for outcome in outcomes] == ["x"] * 6
    assert max(most) == 2
    assert HttpSource(ModelSpec(provider="fake", model="a"), at).concurrency == 2


def test_a_cancelled_draw_gives_its_slot_back() -> None:
    arrived = threading.Event()

    def reply(said: Ask) -> str | Hang:
        if said.prompt == "hang":
            arrived.set()
            return Hang()
        return "x"

    async def cancel_then_ask(fake: FakeLLM) -> Completion:
        async with endpoint(fake, concurrency=1) as at:
            source = HttpSource(ModelSpec(provider="fake", model="tiny"), at)
            hanging = asyncio.create_task(
                source.complete(draw(prompt=Prompt(system="", user="hang")))
            )
            await asyncio.to_thread(arrived.wait, 10)
            hanging.cancel()
            await asyncio.wait([hanging])
            assert hanging.cancelled()
            return completion(await caught(source, draw()))

    with FakeLLM(reply) as fake:
        assert asyncio.run(cancel_then_ask(fake)).text == "x"


@pytest.mark.parametrize(("protocol", "pages"), [("openai", 1), ("anthropic", 2), ("ollama", 1)])
def test_all_pages_of_the_model_list_are_read(protocol: Any, pages: int) -> None:
    async def listed(at: Endpoint) -> list[str]:
        async with at:
            return [model.id for model in await fetch_models(at)]

    with FakeLLM(models=["a", "b", "c"], key=KEY) as fake:
        assert asyncio.run(listed(endpoint(fake, protocol, key=KEY))) == ["a", "b", "c"]

    assert len(fake.requests) == pages


def test_a_list_that_can_not_be_had_is_a_fault() -> None:
    async def listed(at: Endpoint) -> Any:
        async with at:
            with pytest.raises(Exception, match="set FAKE_KEY to a valid key") as told:
                await fetch_models(at)
            return told.value

    with FakeLLM(key=KEY) as fake:
        assert fault(asyncio.run(listed(endpoint(fake, key="wrong-key")))).final
