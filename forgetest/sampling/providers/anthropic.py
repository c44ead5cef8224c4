"""The messages protocol of Anthropic."""

import json
from http import HTTPStatus
from urllib.parse import quote

from forgetest.sampling.completion import Completion, Finish, Usage
from forgetest.sampling.plan import Sampling
from forgetest.sampling.providers.contract import (
    CODE_SCHEMA,
    CODE_TOOL,
    CODE_TOOL_SAYS,
    ApiError,
    Call,
    HttpRequest,
    ModelPage,
    UnreadableError,
    dig,
    end_of_sample,
    is_about_prompt,
    is_spent,
    list_at,
    messages,
    model_info,
    page_summary,
    text_at,
    text_of_parts,
    tokens_at,
    with_extra,
)

BASE_URL_IS_ROOT = True

VERSION = "2026-10-21"
# The last version that takes sampling parameters, for the older models that still heed them.
SAMPLING_VERSION = "2023-06-01"

FINISHES = {
    "max_tokens": Finish.LENGTH,
    "model_context_window_exceeded": Finish.LENGTH,
    "refusal": Finish.REFUSED,
}
STATUSES = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
}


def auth(key: str) -> dict[str, str]:
    """Return the headers that carry the key."""
    return {"x-api-key": key}


def build(call: Call) -> HttpRequest:
    """Return the request that asks for one completion; a seed has no place in this protocol."""
    sampling, extra = call.sampling, call.extra_body
    drawn = {"temperature": sampling.temperature, "top_p": sampling.top_p}
    sent = {name: value for name, value in drawn.items() if value is not None}
    sampled = bool(sent) or not extra.keys().isdisjoint({"temperature", "top_p", "top_k"})
    reasoning = _reasoning(sampling)
    stop = {"stop_sequences": list(sampling.stop)} if sampling.stop else {}
    tool = _tool(sampling) if sampling.answer else {}
    body = {
        "model": call.model,
        "max_tokens": sampling.max_tokens or call.max_tokens,
        **({"system": call.prompt.system} if call.prompt.system else {}),
        "messages": messages(call.prompt, with_system=False),
        **sent,
        **stop,
        **tool,
        **{wire: value for wire, (_, value) in reasoning.items()},
    }
    optional = {
        **{name: name for name in sent},
        **dict.fromkeys(stop, "stop"),
        **dict.fromkeys(tool, "answer"),
        **{wire: name for wire, (name, _) in reasoning.items()},
    }
    return HttpRequest(
        path="/v1/messages",
        body=with_extra(body, extra),
        headers={"anthropic-version": SAMPLING_VERSION if sampled else VERSION},
        optional={wire: name for wire, name in optional.items() if wire not in extra},
    )


def _tool(sampling: Sampling) -> dict[str, object]:
    """Return the one tool; a model that is told to think cannot be told to call it as well."""
    tool = {"name": CODE_TOOL, "description": CODE_TOOL_SAYS, "input_schema": CODE_SCHEMA}
    thinks = sampling.thinking_tokens is not None
    choice = {"type": "auto"} if thinks else {"type": "tool", "name": CODE_TOOL}
    return {"tools": [tool], "tool_choice": choice}


def _reasoning(sampling: Sampling) -> dict[str, tuple[str, object]]:
    """Return how much to think, by its name on the wire; a number of tokens wins over an effort."""
    effort, tokens = sampling.reasoning_effort, sampling.thinking_tokens
    if tokens is not None:
        return {"thinking": ("thinking_tokens", {"type": "enabled", "budget_tokens": tokens})}
    if effort == "none":
        return {"thinking": ("reasoning_effort", {"type": "disabled"})}
    return {"output_config": ("reasoning_effort", {"effort": effort})} if effort else {}


def read(body: object) -> Completion | ApiError:
    """Return what a 200 holds, which may still be an error; `UnreadableError` if neither."""
    if text_at(body, "type") == "error" or dig(body, "error"):
        return read_error(200, body)
    if not isinstance(dig(body, "content"), list):
        raise UnreadableError("no content")
    reason = text_at(body, "stop_reason")
    blocks = list_at(body, "content")
    return Completion(
        text=_called(blocks) or text_of_parts(blocks, "text"),
        finish=FINISHES.get(reason or "", Finish.STOP),
        native_finish=reason,
        usage=_usage(dig(body, "usage")),
        request_id=text_at(body, "id"),
        served_model=text_at(body, "model"),
    )


def _called(blocks: list[object]) -> str:
    """Return what the first tool call hands over as JSON; empty without a call."""
    inputs = (dig(block, "input") for block in blocks if text_at(block, "type") == "tool_use")
    return next((json.dumps(given, ensure_ascii=False) for given in inputs if given), "")


def _usage(usage: object) -> Usage:
    uncached = tokens_at(usage, "input_tokens")
    written = tokens_at(usage, "cache_creation_input_tokens") or 0
    reread = tokens_at(usage, "cache_read_input_tokens") or 0
    return Usage(
        input_tokens=None if uncached is None else uncached + written + reread,
        cache_read_tokens=reread,
        cache_write_tokens=written,
        output_tokens=tokens_at(usage, "output_tokens"),
        reasoning_tokens=tokens_at(usage, "output_tokens_details", "thinking_tokens") or 0,
    )


def read_error(status: int, body: object) -> ApiError:
    """Return what any other status means; the body is JSON, or text when it is not JSON."""
    error = dig(body, "error")
    kind = text_at(error, "type")
    reason = text_at(error, "details", "error_code")
    message = text_at(error, "message") or text_at(error) or page_summary(body)
    # llama.cpp and gateways add a code of their own to the type
    code = reason or text_at(error, "code")
    stated = status if status != HTTPStatus.OK else STATUSES.get(kind or "", 502)
    return ApiError(
        status=stated,
        message=message,
        code=reason or kind,
        spent=is_spent(message, reason, kind),
        about_prompt=is_about_prompt(message, code, kind),
        finish=end_of_sample(stated, message, code, kind),
    )


def list_request(after: str | None) -> HttpRequest:
    """Return the request for a page of the model list."""
    page = "/v1/models?limit=1000" + (f"&after_id={quote(after, safe='')}" if after else "")
    return HttpRequest(path=page, headers={"anthropic-version": VERSION})


def read_models(body: object) -> ModelPage:
    """Return the models of one page; `UnreadableError` if it is not a model list."""
    if not isinstance(dig(body, "data"), list):
        raise UnreadableError("no list of models")
    entries = list_at(body, "data")
    models = (model_info(entry, name="id", retires=("retires_at",)) for entry in entries)
    more = dig(body, "has_more") is True
    return ModelPage(
        models=tuple(filter(None, models)),
        after=text_at(body, "last_id") if more else None,
    )
