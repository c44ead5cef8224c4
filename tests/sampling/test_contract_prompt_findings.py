"""What servers say of a prompt that they refuse or that is too long, and what only sounds so."""

from typing import Any

import pytest

from forgetest.sampling.completion import Finish
from forgetest.sampling.providers import anthropic, ollama, openai
from forgetest.sampling.providers.contract import ApiError, is_about_limit


def said(message: str, code: str | None = None, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "code": code, **more}}


FILTERED = {
    "openai": said("Your request was rejected by our safety system.", "content_policy_violation"),
    "openai, reasoning": said(
        "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
        "invalid_prompt",
    ),
    "azure": said(
        "The response was filtered due to the prompt triggering Azure OpenAI's content management "
        "policy. Please modify your prompt and retry.",
        "content_filter",
        param="prompt",
        innererror={
            "code": "ResponsibleAIPolicyViolation",
            "content_filter_result": {"violence": {"filtered": True, "severity": "medium"}},
        },
    ),
    "azure, without its code": said(
        "bad request", None, innererror={"code": "ResponsibleAIPolicyViolation"}
    ),
    "anthropic": {
        "type": "error",
        "error": {
            "type": "invalid_request_error",
            "message": "Output blocked by content filtering policy",
        },
    },
    "deepseek": said("Content Exists Risk", "invalid_request_error"),
    "alibaba": said("Input data may contain inappropriate content.", "data_inspection_failed"),
    "gemini": [said("The prompt was blocked due to safety reasons.", status="INVALID_ARGUMENT")],
    "any": said("The input was flagged.", None),
}
TOO_LONG = {
    "openai": said(
        "This model's maximum context length is 8192 tokens. However, your messages resulted in "
        "9001 tokens. Please reduce the length of the messages.",
        "context_length_exceeded",
    ),
    "openai, by its code alone": said("Too much.", "context_length_exceeded"),
    "openai, in characters": said(
        "Invalid 'messages[0].content': string too long. Expected a string with maximum length "
        "1048576, but got a string with length 2000000 instead.",
        "string_above_max_length",
    ),
    "azure": said(
        "This model's maximum context length is 8,192 tokens. However, you requested 10,000 tokens "
        "(9,000 in the messages, 1,000 in the completion).",
        "context_length_exceeded",
    ),
    "anthropic": said("prompt is too long: 210000 tokens > 200000 maximum"),
    "gemini": [
        said(
            "The input token count (1200000) exceeds the maximum number of tokens allowed "
            "(1048576).",
            status="INVALID_ARGUMENT",
        )
    ],
    "vllm": {
        "object": "error",
        "message": "This model's maximum context length is 2048 tokens. However, you requested "
        "3000 tokens in the messages. Please reduce the length of the messages.",
        "type": "BadRequestError",
        "code": 400,
    },
    "vllm, prompt alone": {
        "error": {
            "message": "The decoder prompt (length 4000) is longer than the maximum model length "
            "of 2048. Make sure that `max_model_len` is no smaller than the number of text tokens. "
            "This model's maximum context length is 2048.",
            "type": "BadRequestError",
            "code": 400,
        }
    },
    "llama.cpp": {
        "error": {
            "code": 400,
            "message": "request (9000 tokens) exceeds the available context size (2048 tokens)",
            "type": "exceed_context_size_error",
            "n_prompt_tokens": 9000,
            "n_ctx": 2048,
        }
    },
    "lm studio": {
        "error": "Trying to keep the first 5000 tokens when context the overflows. However, the "
        "model is loaded with context length of only 4096 tokens."
    },
    "mistral": {
        "object": "error",
        "message": "Prompt contains 40000 tokens and 0 draft tokens, too large for model with "
        "32768 maximum context length",
        "type": "invalid_request_error",
        "code": "3051",
    },
    "openrouter": said(
        "This endpoint's maximum context length is 8192 tokens. However, you requested about "
        "9500 tokens (9000 of text input, 500 in the output).",
    ),
    "groq": said(
        "Please reduce the length of the messages or completion.", "context_length_exceeded"
    ),
    "xai": said(
        "This model's maximum prompt length is 131072 but the request contains 140000 tokens."
    ),
    "sglang": said(
        "The input (9000 tokens) is longer than the model's context length (8192 tokens)."
    ),
}
LIMIT_AT_FAULT = {
    "openai": said(
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens "
        "(50 in the messages, 8950 in the completion).",
        "context_length_exceeded",
    ),
    "anthropic": said(
        "input length and `max_tokens` exceed context limit: 190000 + 21333 > 200000, decrease "
        "input length or `max_tokens` and try again"
    ),
    "vllm": said(
        "'max_tokens' or 'max_completion_tokens' is too large: 16000. This model's maximum context "
        "length is 2048 tokens and your request has 50 input tokens (16000 > 2048 - 50)."
    ),
    "together": said(
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 3000 "
        "`inputs` tokens and 2000 `max_new_tokens`"
    ),
    "sglang": said(
        "Requested token count exceeds the model's maximum context length of 8192 tokens. You "
        "requested a total of 9000 tokens: 100 tokens from the input messages and 8900 tokens for "
        "the completion."
    ),
    "openrouter": said(
        "This endpoint's maximum context length is 8192 tokens. However, you requested about "
        "17000 tokens (1000 of text input, 16000 in the output).",
    ),
}
NOT_THE_PROMPT = {
    "groq, tokens a minute": (
        413,
        said(
            "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested "
            "9000, please reduce your message size and try again.",
            "rate_limit_exceeded",
        ),
    ),
    "openai, tokens a minute": (
        429,
        said("Request too large: your input exceeds the context limit per min", "tokens"),
    ),
    "a flagged account": (
        403,
        said("Your organization has been flagged for suspicious activity.", "account_flagged"),
    ),
    "a blocked account": (
        400,
        said("This organization has been disabled for violating our usage policies."),
    ),
    "a proxy's size limit": (413, "<html><title>413 Request Entity Too Large</title></html>"),
    "a wrong parameter": (400, said("temperature: Input should be less than or equal to 1")),
    "the word alone": (400, said("context_window is not a known parameter")),
    "an overloaded server": (503, said("the input queue exceeds its limit; content was blocked")),
    "no key": (401, said("Your request was blocked by our content filter proxy")),
}


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize("host", FILTERED)
def test_a_filtered_prompt_is_a_refusal_whatever_the_host_calls_it(host: str, status: int) -> None:
    error = openai.read_error(status, FILTERED[host])

    assert error.finish is Finish.FILTERED


@pytest.mark.parametrize("host", TOO_LONG)
def test_a_prompt_that_no_context_holds_is_too_long_whatever_the_host_calls_it(host: str) -> None:
    assert openai.read_error(400, TOO_LONG[host]).finish is Finish.LENGTH


@pytest.mark.parametrize("host", LIMIT_AT_FAULT)
def test_a_token_limit_without_room_is_no_finding_about_the_prompt(host: str) -> None:
    error = openai.read_error(400, LIMIT_AT_FAULT[host])

    assert error.finish is None
    assert is_about_limit(error.message)


@pytest.mark.parametrize("case", NOT_THE_PROMPT)
def test_what_only_sounds_like_it_is_never_scored(case: str) -> None:
    status, body = NOT_THE_PROMPT[case]

    assert openai.read_error(status, body).finish is None
    assert anthropic.read_error(status, body).finish is None


@pytest.mark.parametrize("kind", ["context_length_exceeded", "content_filter"])
def test_the_finding_may_stand_in_a_200(kind: str) -> None:
    error = openai.read({"error": {"message": "no", "code": kind}})

    assert isinstance(error, ApiError)
    assert error.finish is (Finish.LENGTH if kind.startswith("context") else Finish.FILTERED)


@pytest.mark.parametrize(
    "message",
    [
        "the input length exceeds the context length",
        "input exceeds maximum context length and cannot be truncated further",
        "prompt is too long",
    ],
)
def test_ollama_says_it_in_plain_text(message: str) -> None:
    assert ollama.read_error(400, {"error": message}).finish is Finish.LENGTH


def test_ollama_passes_on_what_its_runner_says() -> None:
    body = {"error": {"type": "exceed_context_size_error", "message": "too large"}}

    assert ollama.read_error(500, body).finish is Finish.LENGTH


def test_anthropic_names_its_filter() -> None:
    assert anthropic.read_error(400, FILTERED["anthropic"]).finish is Finish.FILTERED


@pytest.mark.parametrize("host", ["anthropic", "llama.cpp", "openai", "openrouter"])
def test_gateways_pass_it_on_in_the_protocol_of_anthropic(host: str) -> None:
    assert anthropic.read_error(400, TOO_LONG[host]).finish is Finish.LENGTH


def test_anthropics_limit_of_a_body_is_too_long() -> None:
    body = {"type": "error", "error": {"type": "request_too_large", "message": "Request exceeds"}}

    assert anthropic.read_error(413, body).finish is Finish.LENGTH


@pytest.mark.parametrize("reason", ["content_filter", "content_filter: PROHIBITED_CONTENT"])
def test_a_filter_that_ends_a_reply_is_named_in_two_ways(reason: str) -> None:
    body = {"choices": [{"message": {"content": ""}, "finish_reason": reason}]}

    found = openai.read(body)

    assert not isinstance(found, ApiError)
    assert (found.finish, found.native_finish) == (Finish.FILTERED, reason)
