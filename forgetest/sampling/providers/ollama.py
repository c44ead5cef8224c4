"""The native protocol of Ollama.

Its compatible endpoint ignores token limits, so this one is used. Written from Ollama's own type
definitions and documentation: https://github.com/ollama/ollama/blob/main/docs/api.md
"""

from http import HTTPStatus

from forgetest.sampling.completion import Completion, Finish, Usage
from forgetest.sampling.providers.contract import (
    CODE_SCHEMA,
    ApiError,
    Call,
    HttpRequest,
    ModelPage,
    UnreadableError,
    dig,
    end_of_sample,
    estimated_tokens,
    is_about_prompt,
    is_spent,
    list_at,
    messages,
    model_info,
    page_summary,
    text_at,
    tokens_at,
    with_extra,
)

BASE_URL_IS_ROOT = True

SMALLEST_CONTEXT = 4096


def auth(key: str) -> dict[str, str]:
    """Return the headers that carry the key."""
    return {"authorization": f"Bearer {key}"}


def build(call: Call) -> HttpRequest:
    """Return the request that asks for one completion."""
    sampling, extra = call.sampling, call.extra_body
    drawn = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "seed": sampling.seed if call.seed_field else None,
        "stop": sampling.stop and list(sampling.stop),
    }
    sent = {name: value for name, value in drawn.items() if value is not None}
    limit = sampling.max_tokens or call.max_tokens
    effort = sampling.reasoning_effort
    # It is an error on models that cannot think, so it is sent only on request.
    think = {} if effort is None else {"think": effort != "none" and effort}
    schema = {"format": CODE_SCHEMA} if sampling.answer else {}
    body = {
        "model": call.model,
        "messages": messages(call.prompt),
        "stream": False,
        **think,
        **schema,
        "options": {
            **sent,
            "num_predict": limit,
            "num_ctx": context_size(estimated_tokens(call.prompt) + limit),
        },
    }
    return HttpRequest(
        path="/api/chat",
        body=with_extra(body, extra),
        optional={
            **{name: name for name in sent if dig(extra, "options", name) is None},
            **{name: "reasoning_effort" for name in think if name not in extra},
            **{name: "answer" for name in schema if name not in extra},
        },
    )


def context_size(tokens: int) -> int:
    """Return the `num_ctx` that holds the tokens: a power of two, at least 4,096.

    Ollama silently cuts a prompt beyond its context, and reloads the model whenever the size
    changes, so there are few sizes.
    """
    return max(SMALLEST_CONTEXT, 1 << (tokens - 1).bit_length())


def read(body: object) -> Completion | ApiError:
    """Return what a 200 holds, which may still be an error; `UnreadableError` if neither."""
    if dig(body, "error"):
        return read_error(200, body)
    if not isinstance(dig(body, "message"), dict):
        raise UnreadableError("no message")
    reason = text_at(body, "done_reason")
    return Completion(
        text=text_at(body, "message", "content") or "",
        finish=Finish.LENGTH if reason == "length" else Finish.STOP,
        native_finish=reason,
        usage=_usage(body),
        served_model=text_at(body, "model"),
    )


def _usage(body: object) -> Usage:
    prompt, reply = tokens_at(body, "prompt_eval_count"), tokens_at(body, "eval_count")
    if prompt is None and reply is None:
        return Usage()
    return Usage(input_tokens=prompt or 0, output_tokens=reply or 0)  # it leaves zeros out


def read_error(status: int, body: object) -> ApiError:
    """Return what any other status means; the body is JSON, or text when it is not JSON."""
    message = text_at(body, "error") or text_at(body, "error", "message") or page_summary(body)
    # what llama.cpp says below it comes through, with its own names
    codes = (text_at(body, "error", "code"), text_at(body, "error", "type"))
    stated = status if status != HTTPStatus.OK else HTTPStatus.INTERNAL_SERVER_ERROR
    return ApiError(
        status=stated,
        message=message,
        spent=is_spent(message),
        about_prompt=is_about_prompt(message, *codes),
        finish=end_of_sample(stated, message, *codes),
    )


def list_request(after: str | None) -> HttpRequest:
    """Return the request for the list of pulled models, which has one page."""
    del after
    return HttpRequest(path="/api/tags")


def read_models(body: object) -> ModelPage:
    """Return the pulled models; `UnreadableError` if it is not a model list."""
    if not isinstance(dig(body, "models"), list):
        raise UnreadableError("no list of models")
    models = (model_info(entry, name="name") for entry in list_at(body, "models"))
    return ModelPage(models=tuple(filter(None, models)))
