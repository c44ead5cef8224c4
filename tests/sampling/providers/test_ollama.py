"""Ollama's native protocol: no stream, a context that holds the prompt, plain-text errors."""

import pytest
from draws import call

from forgetest.sampling.completion import Completion, Finish, Prompt, Usage
from forgetest.sampling.providers import ollama
from forgetest.sampling.providers.contract import ApiError, UnreadableError
from forgetest.sampling.providers.presets import PRESETS

CHAT = {
    "model": "qwen3:8b",
    "created_at": "2026-11-20T10:00:00.123Z",
    "message": {"role": "assistant", "content": "fn f() {}", "thinking": "hm"},
    "done": True,
    "done_reason": "stop",
    "total_duration": 5191566416,
    "load_duration": 2154458,
    "prompt_eval_count": 26,
    "prompt_eval_duration": 383809000,
    "eval_count": 298,
    "eval_duration": 4799921000,
}


def test_the_request_is_the_one_the_official_client_sends() -> None:
    request = ollama.build(call("ollama", max_tokens=200, temperature=0.8, top_p=0.9, seed=7))

    assert request.path == "/api/chat"
    assert request.body == {
        "model": "tiny",
        "messages": [
            {"role": "system", "content": "Answer in Rust."},
            {"role": "user", "content": "Write is_even."},
        ],
        "stream": False,
        "options": {
            "temperature": 0.8,
            "top_p": 0.9,
            "seed": 7,
            "num_predict": 200,
            "num_ctx": 4096,
        },
    }
    assert request.optional == {"temperature": "temperature", "top_p": "top_p", "seed": "seed"}


def test_the_limit_is_the_presets_when_none_is_wanted() -> None:
    request = ollama.build(call("ollama", prompt=Prompt(system="", user="hi")))

    assert request.body is not None
    assert request.body["options"] == {"num_predict": 1024, "num_ctx": 4096}
    assert request.body["messages"] == [{"role": "user", "content": "hi"}]


@pytest.mark.parametrize(
    ("prompt_bytes", "limit", "context"),
    [(30, 200, 4096), (9_000, 1_024, 4096), (9_000, 2_048, 8192), (90_000, 1_024, 32_768)],
)
def test_the_context_holds_prompt_and_limit(prompt_bytes: int, limit: int, context: int) -> None:
    prompt = Prompt(system="", user="x" * prompt_bytes)

    request = ollama.build(call("ollama", prompt=prompt, max_tokens=limit))

    assert request.body is not None
    assert request.body["options"]["num_ctx"] == context


@pytest.mark.parametrize(
    ("tokens", "size"), [(0, 4096), (4096, 4096), (4097, 8192), (8192, 8192), (100_000, 131_072)]
)
def test_there_are_few_context_sizes(tokens: int, size: int) -> None:
    assert ollama.context_size(tokens) == size


def test_the_users_options_win_one_by_one() -> None:
    extra = {"options": {"num_ctx": 512, "temperature": 0}, "keep_alive": "5m"}
    preset = PRESETS["ollama"].model_copy(update={"extra_body": extra})

    request = ollama.build(call(preset, temperature=0.8, top_p=0.5, max_tokens=9))

    assert request.body is not None
    assert request.body["keep_alive"] == "5m"
    assert request.body["options"] == {
        "temperature": 0,
        "top_p": 0.5,
        "num_predict": 9,
        "num_ctx": 512,
    }
    assert request.optional == {"top_p": "top_p"}


def test_a_recorded_reply_reads_in_full() -> None:
    assert ollama.read(CHAT) == Completion(
        text="fn f() {}",
        finish=Finish.STOP,
        native_finish="stop",
        usage=Usage(input_tokens=26, output_tokens=298),
        served_model="qwen3:8b",
    )


@pytest.mark.parametrize(
    ("counts", "usage"),
    [
        ({"prompt_eval_count": 26}, Usage(input_tokens=26, output_tokens=0)),
        ({"eval_count": 3}, Usage(input_tokens=0, output_tokens=3)),
        ({}, Usage()),
    ],
)
def test_a_count_that_is_left_out_is_zero_if_the_other_is_there(
    counts: dict[str, int], usage: Usage
) -> None:
    completion = ollama.read({"message": {"content": None}, "done_reason": "length", **counts})

    assert completion == Completion(
        text="", finish=Finish.LENGTH, native_finish="length", usage=usage
    )


@pytest.mark.parametrize("body", ["{}\n{}\n", {}, {"message": "x"}, [], None])
def test_what_is_neither_reply_nor_error_is_unreadable(body: object) -> None:
    with pytest.raises(UnreadableError):
        ollama.read(body)


def test_an_error_inside_a_200_is_the_servers() -> None:
    assert ollama.read({"error": "llama runner died"}) == ApiError(500, "llama runner died")


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (404, {"error": "model 'x' not found"}, "model 'x' not found"),
        (503, {"error": "server busy, please try again"}, "server busy, please try again"),
        (
            400,
            {"error": {"message": "as the compatible api says it"}},
            "as the compatible api says it",
        ),
        (502, "<html><body>Bad Gateway</body></html>", "Bad Gateway"),
        (500, {}, "no message"),
    ],
)
def test_errors_are_plain_text(status: int, body: object, message: str) -> None:
    assert ollama.read_error(status, body) == ApiError(status, message)


def test_a_prompt_that_is_too_long_is_about_the_prompt() -> None:
    body = {"error": "the input length exceeds the context length"}

    assert ollama.read_error(400, body).about_prompt


def test_the_pulled_models_are_listed_with_size_and_quantisation() -> None:
    details = {"parameter_size": "8.2B", "quantization_level": "Q4_K_M", "families": ["qwen3"]}
    body = {"models": [{"name": "qwen3:8b", "size": 5225388164, "details": details}, {}]}

    (model,) = ollama.read_models(body).models

    assert model.id == "qwen3:8b"
    assert model.extras == {
        "size": 5225388164,
        "details.parameter_size": "8.2B",
        "details.quantization_level": "Q4_K_M",
    }
    assert ollama.list_request(None).path == "/api/tags"


def test_what_is_no_model_list_is_unreadable() -> None:
    with pytest.raises(UnreadableError):
        ollama.read_models({"data": []})


def test_a_key_goes_as_a_bearer() -> None:
    assert ollama.auth("k") == {"authorization": "Bearer k"}
