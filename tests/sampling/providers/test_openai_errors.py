"""Errors of the chat completions protocol: each host has its own way to say them."""

from typing import Any

import pytest

from forgetest.sampling.providers import openai
from forgetest.sampling.providers.contract import ApiError


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ({"error": {"code": 429, "message": "slow down"}}, 429, "slow down"),
        ({"error": {"code": "odd", "message": "broken"}}, 502, "broken"),
        ({"error": {"code": 17, "message": "broken"}}, 502, "broken"),
        ({"error": "upstream died", "choices": []}, 502, "upstream died"),
        (
            {"choices": [{"message": {"content": ""}, "finish_reason": "error"}]},
            502,
            "no message",
        ),
        (
            {"choices": [{"error": {"code": 503, "message": "gone"}, "finish_reason": "error"}]},
            503,
            "gone",
        ),
    ],
)
def test_an_error_inside_a_200_is_an_error(body: object, status: int, message: str) -> None:
    error = openai.read(body)

    assert isinstance(error, ApiError)
    assert (status, message) == (error.status, error.message)


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (
            400,
            {
                "error": {
                    "message": "Unsupported parameter: 'max_tokens' is not supported with this "
                    "model. Use 'max_completion_tokens' instead.",
                    "type": "invalid_request_error",
                    "param": "max_tokens",
                    "code": "unsupported_parameter",
                }
            },
            {"code": "unsupported_parameter", "param": "max_tokens"},
        ),
        # llama.cpp: a number for a code
        (
            400,
            {
                "error": {
                    "code": 400,
                    "message": "request (9000 tokens) exceeds the available context size",
                    "type": "exceed_context_size_error",
                    "n_prompt_tokens": 9000,
                    "n_ctx": 2048,
                }
            },
            {"code": "exceed_context_size_error", "about_prompt": True},
        ),
        # Gemini: a list of one, and the wait in its details
        (
            429,
            [
                {
                    "error": {
                        "code": 429,
                        "message": "quota per minute",
                        "status": "RESOURCE_EXHAUSTED",
                        "details": [
                            {"@type": "type.googleapis.com/google.rpc.Help"},
                            {
                                "@type": "type.googleapis.com/google.rpc.RetryInfo",
                                "retryDelay": "17.5s",
                            },
                        ],
                    }
                }
            ],
            {"code": "RESOURCE_EXHAUSTED", "retry_secs": 17.5, "message": "quota per minute"},
        ),
        # Mistral: validation errors of its framework
        (
            422,
            {
                "detail": [
                    {
                        "type": "extra_forbidden",
                        "loc": ["body", "seed"],
                        "msg": "Extra inputs are not permitted",
                    }
                ]
            },
            {"param": "seed", "message": "Extra inputs are not permitted"},
        ),
        (
            429,
            {"error": {"message": "no money", "type": "insufficient_quota", "code": None}},
            {"spent": True},
        ),
        (
            429,
            {"error": {"message": "stop", "code": "project_spend_limit_exceeded"}},
            {"spent": True, "code": "project_spend_limit_exceeded"},
        ),
        (429, {"error": {"message": "wait", "code": "slow_down"}}, {"spent": False}),
        (402, {"error": {"message": "Insufficient Balance"}}, {"spent": True}),
        (
            403,
            {
                "error": {
                    "code": 403,
                    "message": "moderation",
                    "metadata": {"reasons": ["x"], "flagged_input": "y"},
                }
            },
            {"about_prompt": True},
        ),
        (
            400,
            {"error": {"message": "This model's maximum context length is 8192 tokens."}},
            {"about_prompt": True},
        ),
        (
            502,
            "<html><head><title>502 Bad\n Gateway</title></head><body>nginx</body></html>",
            {"message": "502 Bad Gateway"},
        ),
        (500, "<b>oh</b> no", {"message": "oh no"}),
        (500, "", {"message": "no message"}),
        (500, {"message": "plain"}, {"message": "plain"}),
        (500, {"detail": "Not Found"}, {"message": "Not Found"}),
        (500, [], {"message": "no message"}),
        (500, None, {"message": "no message"}),
    ],
)
def test_errors_of_many_hosts_read_alike(
    status: int, body: object, expected: dict[str, Any]
) -> None:
    error = openai.read_error(status, body)

    assert error.status == status
    assert {name: getattr(error, name) for name in expected} == expected
