"""The chat completions protocol: what is sent, and how its many hosts' replies read."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from draws import call

from forgetest.sampling.completion import Completion, Cost, Finish, Prompt, Usage
from forgetest.sampling.providers import openai
from forgetest.sampling.providers.contract import UnreadableError
from forgetest.sampling.providers.presets import PRESETS, Preset

# llama.cpp build 11549, as it came over the wire
LLAMACPP = {
    "choices": [
        {
            "finish_reason": "length",
            "index": 0,
            "message": {"role": "assistant", "content": "Here is the", "reasoning_content": "hm"},
        }
    ],
    "created": 1792000000,
    "model": "smollm2-135m",
    "system_fingerprint": "b11549-0d2e1f",
    "object": "chat.completion",
    "usage": {
        "completion_tokens": 8,
        "prompt_tokens": 31,
        "total_tokens": 39,
        "prompt_tokens_details": {"cached_tokens": 30},
    },
    "id": "chatcmpl-Tq7",
    "timings": {"prompt_n": 1, "predicted_per_second": 110.2},
}


def reply(message: dict[str, Any], finish: str | None = "stop", **body: Any) -> dict[str, Any]:
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return {"id": "x", "model": "m", "choices": [choice], **body}


def read(body: object) -> Completion:
    found = openai.read(body)
    assert isinstance(found, Completion)
    return found


def test_the_request_is_the_one_the_official_client_sends() -> None:
    request = openai.build(call("openai", max_tokens=100, temperature=0.8, top_p=0.9, seed=7))

    assert request.path == "/chat/completions"
    assert request.body == {
        "model": "tiny",
        "messages": [
            {"role": "system", "content": "Answer in Rust."},
            {"role": "user", "content": "Write is_even."},
        ],
        "max_completion_tokens": 100,
        "temperature": 0.8,
        "top_p": 0.9,
        "seed": 7,
    }


def test_what_is_not_wanted_is_not_sent() -> None:
    request = openai.build(call("groq", prompt=Prompt(system="", user="hi")))

    assert request.body == {"model": "tiny", "messages": [{"role": "user", "content": "hi"}]}
    assert request.optional == {}


@pytest.mark.parametrize(
    ("preset", "field"),
    [("xai", "seed"), ("mistral", "random_seed"), ("gemini", None), ("deepseek", None)],
)
def test_a_seed_goes_by_the_hosts_own_name_or_not_at_all(preset: str, field: str | None) -> None:
    request = openai.build(call(preset, seed=7))

    assert ({} if field is None else {field: "seed"}) == request.optional
    assert request.body is not None
    assert {"seed", "random_seed"} & set(request.body) == {field} - {None}


@pytest.mark.parametrize(
    ("preset", "sampling", "sent"),
    [
        ("openai", {"reasoning_effort": "high", "stop": ("//",)}, {"reasoning_effort": "high"}),
        ("openai", {"thinking_tokens": 2048}, {}),
        ("openrouter", {"reasoning_effort": "high"}, {"reasoning": {"effort": "high"}}),
        ("openrouter", {"thinking_tokens": 2048}, {"reasoning": {"max_tokens": 2048}}),
        (
            "openrouter",
            {"thinking_tokens": 2048, "reasoning_effort": "high"},
            {"reasoning": {"max_tokens": 2048}},
        ),
    ],
)
def test_how_much_to_think_goes_by_the_hosts_own_name_or_not_at_all(
    preset: str, sampling: dict[str, Any], sent: dict[str, Any]
) -> None:
    request = openai.build(call(preset, **sampling))

    stop = {"stop": list(sampling["stop"])} if "stop" in sampling else {}
    assert request.body is not None
    own = {name: request.body[name] for name in request.body.keys() - {"model", "messages"}}
    assert own == {**sent, **stop}
    assert set(request.optional.values()) <= sampling.keys()


def test_the_users_extra_body_wins_and_is_not_negotiable() -> None:
    preset = Preset(
        name="mine",
        base_url="http://127.0.0.1",
        extra_body={"temperature": 0, "provider": {"sort": "price"}},
    )

    request = openai.build(call(preset, temperature=0.8, max_tokens=5))

    assert request.body is not None
    assert request.body["temperature"] == 0
    assert request.body["provider"] == {"sort": "price"}
    assert request.optional == {"max_tokens": "max_tokens"}


def test_a_recorded_llamacpp_reply_reads_in_full() -> None:
    assert read(LLAMACPP) == Completion(
        text="Here is the",
        finish=Finish.LENGTH,
        native_finish="length",
        usage=Usage(input_tokens=31, cache_read_tokens=30, output_tokens=8),
        request_id="chatcmpl-Tq7",
        served_model="smollm2-135m",
        served_by="b11549-0d2e1f",
    )


@pytest.mark.parametrize(
    ("message", "finish", "text", "meaning"),
    [
        ({"content": "fn f() {}"}, "stop", "fn f() {}", Finish.STOP),
        ({"content": None}, "stop", "", Finish.STOP),
        ({}, None, "", Finish.STOP),
        ({"content": ""}, "length", "", Finish.LENGTH),
        ({"content": "fn f() {"}, "model_length", "fn f() {", Finish.LENGTH),
        ({"content": None}, "content_filter", "", Finish.FILTERED),
        ({"content": "x"}, "eos", "x", Finish.STOP),
        ({"content": None, "refusal": "I cannot."}, "stop", "I cannot.", Finish.REFUSED),
        ({"content": [{"type": "refusal", "refusal": "No."}]}, "stop", "No.", Finish.REFUSED),
        ({"content": "a", "reasoning": "b", "reasoning_content": "c"}, "stop", "a", Finish.STOP),
        ({"content": "<think>b</think>a"}, "stop", "<think>b</think>a", Finish.STOP),
        ({"content": "lone \ud800"}, "stop", "lone ?", Finish.STOP),
        (
            {
                "content": [
                    {"type": "text", "text": "fn "},
                    {"type": "thinking", "text": "hm"},
                    {"type": "text", "text": "f() {}"},
                    "odd",
                ]
            },
            "stop",
            "fn f() {}",
            Finish.STOP,
        ),
    ],
)
def test_text_and_finish_of_a_message(
    message: dict[str, Any], finish: str | None, text: str, meaning: Finish
) -> None:
    completion = read(reply(message, finish))

    assert (text, meaning, finish) == (
        completion.text,
        completion.finish,
        completion.native_finish,
    )


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (None, Usage()),
        ({}, Usage()),
        ({"prompt_tokens": "9", "completion_tokens": None}, Usage()),
        ({"prompt_tokens": -1, "completion_tokens": True}, Usage()),
        (
            {
                "prompt_tokens": 100,
                "completion_tokens": 50,
                "total_tokens": 150,
                "prompt_tokens_details": {"cached_tokens": 64, "cache_write_tokens": 3},
                "completion_tokens_details": {"reasoning_tokens": 40},
            },
            Usage(
                input_tokens=100,
                cache_read_tokens=64,
                cache_write_tokens=3,
                output_tokens=50,
                reasoning_tokens=40,
            ),
        ),
        # xAI: reasoning beside the completion, both in the total
        (
            {
                "prompt_tokens": 32,
                "completion_tokens": 9,
                "total_tokens": 135,
                "completion_tokens_details": {"reasoning_tokens": 94},
            },
            Usage(input_tokens=32, output_tokens=103, reasoning_tokens=94),
        ),
        # Gemini: the same, without saying how much of it was reasoning
        (
            {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 40},
            Usage(input_tokens=10, output_tokens=30),
        ),
    ],
)
def test_usage_is_a_total_of_input_and_of_output(usage: object, expected: Usage) -> None:
    assert expected == read(reply({"content": "x"}, usage=usage)).usage


@pytest.mark.parametrize(
    ("usage", "usd"),
    [
        ({}, None),
        ({"cost": 0.00014}, "0.00014"),
        ({"cost": 0}, "0"),
        ({"cost": "cheap"}, None),
        ({"cost": float("inf")}, None),
        ({"cost": 0.01, "is_byok": True}, None),
        (
            {
                "cost": 0.01,
                "is_byok": True,
                "cost_details": {"upstream_inference_cost": 0.2},
            },
            "0.21",
        ),
        ({"cost_in_usd_ticks": 232856000}, "0.0232856"),
    ],
)
def test_cost_is_what_the_provider_says_it_charged(usage: dict[str, Any], usd: str | None) -> None:
    cost = read(reply({"content": "x"}, usage=usage)).cost

    assert cost == (Cost() if usd is None else Cost(usd=Decimal(usd), source="provider"))


def test_a_gateway_says_who_served_the_reply() -> None:
    body = reply({"content": "x"}, provider="Groq", system_fingerprint="fp")

    assert read(body).served_by == "Groq"


@pytest.mark.parametrize(
    "body",
    ["", "<html>", None, [], {}, {"choices": []}, {"choices": [{}]}, {"choices": "x"}, {"a": 1}],
)
def test_what_is_neither_completion_nor_error_is_unreadable(body: object) -> None:
    with pytest.raises(UnreadableError):
        openai.read(body)


def test_a_model_list_gives_ids_retirement_days_and_facts() -> None:
    body = {
        "object": "list",
        "data": [
            {"id": "gpt-x", "object": "model", "owned_by": "o", "shutdown_date": "2026-12-11"},
            {"id": "models/gemini-x", "object": "model"},
            {"id": "open/x", "expiration_date": 1798761600, "context_length": 8192},
            {
                "id": "m",
                "deprecation": None,
                "score": float("nan"),
                "can": {"a": {"b": 1}},
            },
            {
                "id": "llama",
                "meta": {"n_params": 135, "vocab": [1]},
                "pricing": {"prompt": "1"},
            },
            {"object": "model"},
            "odd",
        ],
    }

    models = openai.read_models(body).models

    assert [(m.id, m.retires) for m in models] == [
        ("gpt-x", date(2026, 12, 11)),
        ("gemini-x", None),
        ("open/x", date(2027, 1, 1)),
        ("m", None),
        ("llama", None),
    ]
    assert models[0].extras == {"owned_by": "o"}
    assert models[2].extras == {"context_length": 8192}
    assert models[3].extras == {}
    assert models[4].extras == {"meta.n_params": 135, "pricing.prompt": "1"}


def test_a_bare_list_of_models_is_a_model_list() -> None:
    assert [model.id for model in openai.read_models([{"id": "a"}]).models] == ["a"]


@pytest.mark.parametrize("body", ["<html>", {}, {"data": {}}, None])
def test_what_is_no_model_list_is_unreadable(body: object) -> None:
    with pytest.raises(UnreadableError):
        openai.read_models(body)


def test_the_key_goes_as_a_bearer() -> None:
    assert openai.auth("k") == {"authorization": "Bearer k"}
    assert "k" not in openai.build(call(PRESETS["openai"])).headers.values()
