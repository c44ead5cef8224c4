"""The messages protocol: versions, blocks, and an input count that must be summed."""

from datetime import date
from typing import Any

import pytest
from draws import call

from forgetest.sampling.completion import Completion, Finish, Prompt, Usage
from forgetest.sampling.providers import anthropic
from forgetest.sampling.providers.contract import ApiError, UnreadableError
from forgetest.sampling.providers.presets import PRESETS, Preset

MESSAGE = {
    "id": "msg_01",
    "type": "message",
    "role": "assistant",
    "model": "claude-x-20261021",
    "content": [
        {"type": "thinking", "thinking": "let me see", "signature": "s"},
        {"type": "text", "text": "```rust\n"},
        {"type": "redacted_thinking", "data": "zz"},
        {"type": "text", "text": "fn f() {}\n```"},
    ],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {
        "input_tokens": 100,
        "cache_creation_input_tokens": 20,
        "cache_read_input_tokens": 10,
        "cache_creation": {"ephemeral_5m_input_tokens": 20, "ephemeral_1h_input_tokens": 0},
        "output_tokens": 55,
        "output_tokens_details": {"thinking_tokens": 30},
        "service_tier": "standard",
    },
}


def test_the_request_is_the_one_the_official_client_sends() -> None:
    request = anthropic.build(call("anthropic", max_tokens=100))

    assert request.path == "/v1/messages"
    assert request.headers == {"anthropic-version": "2026-10-21"}
    assert request.body == {
        "model": "tiny",
        "max_tokens": 100,
        "system": "Answer in Rust.",
        "messages": [{"role": "user", "content": "Write is_even."}],
    }


def test_a_token_limit_is_always_sent() -> None:
    request = anthropic.build(call("anthropic", prompt=Prompt(system="", user="hi")))

    assert request.body == {
        "model": "tiny",
        "max_tokens": 16_000,
        "messages": [{"role": "user", "content": "hi"}],
    }


@pytest.mark.parametrize("sampling", [{"temperature": 0.8}, {"top_p": 0.9}])
def test_sampling_is_sent_under_the_last_version_that_takes_it(sampling: dict[str, Any]) -> None:
    request = anthropic.build(call("anthropic", **sampling))

    assert request.headers == {"anthropic-version": "2023-06-01"}
    assert request.body is not None
    assert sampling.items() <= request.body.items()
    assert request.optional == {name: name for name in sampling}


def test_sampling_in_the_users_extra_body_needs_the_old_version_too() -> None:
    preset = PRESETS["anthropic"].model_copy(update={"extra_body": {"top_k": 5}})

    request = anthropic.build(call(preset))

    assert request.headers == {"anthropic-version": "2023-06-01"}
    assert request.optional == {}


def test_a_seed_is_never_sent() -> None:
    mine = Preset(name="mine", protocol="anthropic", base_url="http://127.0.0.1")

    request = anthropic.build(call(mine, seed=7))

    assert request.body is not None
    assert "seed" not in request.body
    assert request.optional == {}


def test_a_recorded_message_reads_in_full() -> None:
    assert anthropic.read(MESSAGE) == Completion(
        text="```rust\nfn f() {}\n```",
        finish=Finish.STOP,
        native_finish="end_turn",
        usage=Usage(
            input_tokens=130,
            cache_read_tokens=10,
            cache_write_tokens=20,
            output_tokens=55,
            reasoning_tokens=30,
        ),
        request_id="msg_01",
        served_model="claude-x-20261021",
    )


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("end_turn", Finish.STOP),
        ("stop_sequence", Finish.STOP),
        ("max_tokens", Finish.LENGTH),
        ("model_context_window_exceeded", Finish.LENGTH),
        ("refusal", Finish.REFUSED),
        ("pause_turn", Finish.STOP),
        (None, Finish.STOP),
    ],
)
def test_why_the_model_stopped(reason: str | None, finish: Finish) -> None:
    completion = anthropic.read({**MESSAGE, "stop_reason": reason, "content": []})

    assert isinstance(completion, Completion)
    assert (completion.text, completion.finish, completion.native_finish) == ("", finish, reason)


def test_missing_usage_is_unknown_and_not_zero() -> None:
    completion = anthropic.read({"content": []})

    assert isinstance(completion, Completion)
    assert completion.usage == Usage()


@pytest.mark.parametrize("body", ["<html>", {}, {"content": "text"}, [], None])
def test_what_is_neither_message_nor_error_is_unreadable(body: object) -> None:
    with pytest.raises(UnreadableError):
        anthropic.read(body)


@pytest.mark.parametrize(
    ("status", "error", "expected"),
    [
        (
            429,
            {"type": "rate_limit_error", "message": "slow"},
            {"code": "rate_limit_error", "spent": False},
        ),
        (
            429,
            {
                "type": "rate_limit_error",
                "message": "limit",
                "details": {"error_code": "enforced_spend_limit_reached"},
            },
            {"code": "enforced_spend_limit_reached", "spent": True},
        ),
        (
            400,
            {
                "type": "invalid_request_error",
                "message": "Your credit balance is too low to access the Anthropic API.",
            },
            {"spent": True},
        ),
        (
            400,
            {
                "type": "invalid_request_error",
                "message": "prompt is too long: 210000 tokens > 200000 maximum",
            },
            {"about_prompt": True},
        ),
        (
            400,
            {
                "type": "invalid_request_error",
                "message": "input length and `max_tokens` exceed context limit: 190000 + 21333 > "
                "200000, decrease input length or `max_tokens` and try again",
            },
            {"about_prompt": True},
        ),
        (413, {"type": "request_too_large", "message": "big"}, {"about_prompt": True}),
        (529, {"type": "overloaded_error", "message": "Overloaded"}, {"message": "Overloaded"}),
    ],
)
def test_errors_read_by_type_and_by_detail(
    status: int, error: dict[str, Any], expected: dict[str, Any]
) -> None:
    body = {"type": "error", "error": error, "request_id": "req_1"}

    found = anthropic.read_error(status, body)

    assert found.status == status
    assert {name: getattr(found, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("kind", "status"), [("overloaded_error", 529), ("authentication_error", 401), ("odd", 502)]
)
def test_an_error_inside_a_200_has_the_status_of_its_type(kind: str, status: int) -> None:
    found = anthropic.read({"type": "error", "error": {"type": kind, "message": "m"}})

    assert isinstance(found, ApiError)
    assert found.status == status


def test_a_proxys_page_is_an_error_in_one_line() -> None:
    page = "<html><title>Just a\nmoment</title></html>"

    assert anthropic.read_error(503, page).message == "Just a moment"


def test_the_model_list_is_read_page_by_page() -> None:
    body = {
        "data": [
            {"type": "model", "id": "a", "display_name": "A", "retires_at": "2027-02-01T00:00:00Z"},
            {"type": "model", "id": "b/c", "max_tokens": 128000, "retires_at": None},
        ],
        "has_more": True,
        "last_id": "b/c",
    }

    page = anthropic.read_models(body)

    assert [(model.id, model.retires) for model in page.models] == [
        ("a", date(2027, 2, 1)),
        ("b/c", None),
    ]
    assert page.models[1].extras == {"type": "model", "max_tokens": 128000}
    assert anthropic.list_request(page.after).path == "/v1/models?limit=1000&after_id=b%2Fc"
    assert anthropic.read_models({**body, "has_more": False}).after is None


def test_a_list_request_names_the_version() -> None:
    assert anthropic.list_request(None).headers == {"anthropic-version": "2026-10-21"}


def test_what_is_no_model_list_is_unreadable() -> None:
    with pytest.raises(UnreadableError):
        anthropic.read_models({"models": []})


def test_the_key_goes_in_its_own_header() -> None:
    assert anthropic.auth("k") == {"x-api-key": "k"}
