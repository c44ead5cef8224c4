"""The chat completions protocol of OpenAI and of every host that speaks it.

Written for how hosts really differ: content may be null or a list of parts, errors may be lists,
texts or numbers, a 200 may hold an error, and reasoning may be outside the output count.
"""

import re
from decimal import Decimal
from http import HTTPStatus

from forgetest.sampling.completion import Completion, Cost, Finish, Usage
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

BASE_URL_IS_ROOT = False  # it ends in /v1 or what a host has instead

ERROR_STATUSES = range(400, 600)

FINISHES = {
    "stop": Finish.STOP,
    "length": Finish.LENGTH,
    "model_length": Finish.LENGTH,  # Mistral: the context is full
    "content_filter": Finish.FILTERED,
}
RETIRES = ("shutdown_date", "expiration_date", "deprecation")  # OpenAI, OpenRouter, Mistral
TICKS_PER_USD = Decimal(10**10)  # xAI counts what it charged in ticks


def auth(key: str) -> dict[str, str]:
    """Return the headers that carry the key."""
    return {"authorization": f"Bearer {key}"}


def build(call: Call) -> HttpRequest:
    """Return the request that asks for one completion."""
    sampling = call.sampling
    fields: dict[str, tuple[str, object]] = {
        call.limit_field: ("max_tokens", sampling.max_tokens),
        "temperature": ("temperature", sampling.temperature),
        "top_p": ("top_p", sampling.top_p),
        call.seed_field or "": ("seed", sampling.seed),
        "stop": ("stop", sampling.stop and list(sampling.stop)),
        **_reasoning(call),
        **(_tool() if sampling.answer else {}),
    }
    sent = {wire: pair for wire, pair in fields.items() if wire and pair[1] is not None}
    body = {
        "model": call.model,
        "messages": messages(call.prompt),
        **{wire: value for wire, (_, value) in sent.items()},
    }
    return HttpRequest(
        path="/chat/completions",
        body=with_extra(body, call.extra_body),
        optional={wire: name for wire, (name, _) in sent.items() if wire not in call.extra_body},
    )


def _tool() -> dict[str, tuple[str, object]]:
    """Return the one tool, which the model must call."""
    function = {
        "name": CODE_TOOL,
        "description": CODE_TOOL_SAYS,
        "parameters": CODE_SCHEMA,
        "strict": True,
    }
    choice = {"type": "function", "function": {"name": CODE_TOOL}}
    return {
        "tools": ("answer", [{"type": "function", "function": function}]),
        "tool_choice": ("answer", choice),
    }


def _reasoning(call: Call) -> dict[str, tuple[str, object]]:
    """Return how much to think, by its name on the wire; OpenRouter takes a number of tokens, too.

    https://openrouter.ai/docs/use-cases/reasoning-tokens
    """
    effort, tokens = call.sampling.reasoning_effort, call.sampling.thinking_tokens
    if call.reasoning_field == "reasoning_effort":
        return {"reasoning_effort": ("reasoning_effort", effort)}
    if tokens is not None:
        return {"reasoning": ("thinking_tokens", {"max_tokens": tokens})}
    return {"reasoning": ("reasoning_effort", effort and {"effort": effort})}


def read(body: object) -> Completion | ApiError:
    """Return what a 200 holds, which may still be an error; `UnreadableError` if neither."""
    choice = dig(body, "choices", 0)
    error = dig(body, "error") or dig(choice, "error")
    if error or text_at(choice, "finish_reason") == "error":
        return read_error(200, body if dig(body, "error") else choice)
    if not isinstance(dig(choice, "message"), dict):
        raise UnreadableError("no choices[0].message")
    reply, finish = _reply(choice)
    return Completion(
        text=reply,
        finish=finish,
        native_finish=text_at(choice, "native_finish_reason") or text_at(choice, "finish_reason"),
        usage=_usage(body),
        cost=_cost(body),
        request_id=text_at(body, "id"),
        served_model=text_at(body, "model"),
        served_by=text_at(body, "provider") or text_at(body, "system_fingerprint"),
    )


def _reply(choice: object) -> tuple[str, Finish]:
    # Gemini says which filter: "content_filter: PROHIBITED_CONTENT"
    reason = (text_at(choice, "finish_reason") or "").partition(":")[0]
    finish = FINISHES.get(reason, Finish.STOP)
    parts = list_at(choice, "message", "content")
    called = text_at(choice, "message", "tool_calls", 0, "function", "arguments")
    said = text_at(choice, "message", "content") or text_of_parts(parts, "text", "output_text")
    answer = called or said
    refusal = text_at(choice, "message", "refusal") or next(
        filter(None, (text_at(part, "refusal") for part in parts)), ""
    )
    return (answer or refusal, Finish.REFUSED) if refusal else (answer, finish)


def _usage(body: object) -> Usage:
    prompt = tokens_at(body, "usage", "prompt_tokens")
    visible = tokens_at(body, "usage", "completion_tokens")
    total = tokens_at(body, "usage", "total_tokens")
    output = visible
    # xAI and Gemini leave reasoning out of completion_tokens, but bill it and count it in the total
    if prompt is not None and visible is not None and total is not None:
        output = max(visible, total - prompt)
    prompt_details = dig(body, "usage", "prompt_tokens_details")
    output_details = dig(body, "usage", "completion_tokens_details")
    return Usage(
        input_tokens=prompt,
        cache_read_tokens=tokens_at(prompt_details, "cached_tokens") or 0,
        cache_write_tokens=tokens_at(prompt_details, "cache_write_tokens") or 0,
        output_tokens=output,
        reasoning_tokens=tokens_at(output_details, "reasoning_tokens") or 0,
    )


def _cost(body: object) -> Cost:
    charged = _dollars(body, "cost")
    if dig(body, "usage", "is_byok") is True:
        # with the user's own upstream key, OpenRouter charges its fee alone
        upstream = _dollars(body, "cost_details", "upstream_inference_cost")
        charged = None if charged is None or upstream is None else charged + upstream
    ticks = tokens_at(body, "usage", "cost_in_usd_ticks")
    if charged is None and ticks is not None:
        charged = Decimal(ticks) / TICKS_PER_USD
    return Cost() if charged is None else Cost(usd=charged, source="provider")


def _dollars(body: object, *path: str) -> Decimal | None:
    value = dig(body, "usage", *path)
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf"):
        return Decimal(str(value))
    return None


def read_error(status: int, body: object) -> ApiError:
    """Return what any other status means; the body is JSON, or text when it is not JSON."""
    whole = dig(body, 0) if isinstance(body, list) else body  # Gemini wraps its error in a list
    error = dig(whole, "error") or whole
    message = (
        text_at(error, "message") or text_at(whole, "error") or _detail(whole) or page_summary(body)
    )
    code, kind = text_at(error, "code"), text_at(error, "type")
    inner = text_at(error, "innererror", "code")  # Azure
    flagged = dig(error, "metadata", "flagged_input") is not None  # OpenRouter's moderation
    stated = status if status != HTTPStatus.OK else _stated_status(error)
    return ApiError(
        status=stated,
        message=message,
        code=code or kind or text_at(error, "status"),
        param=text_at(error, "param") or text_at(whole, "detail", 0, "loc", -1),
        spent=is_spent(message, code, kind),
        about_prompt=flagged or is_about_prompt(message, code, kind, inner),
        finish=Finish.FILTERED if flagged else end_of_sample(stated, message, code, kind, inner),
        retry_secs=_retry_delay(error),
    )


def _stated_status(error: object) -> int:
    # an error inside a 200 states its status as its code; without one, the upstream is at fault
    code = tokens_at(error, "code") or 0
    return code if code in ERROR_STATUSES else HTTPStatus.BAD_GATEWAY


def _detail(whole: object) -> str | None:
    return (
        text_at(whole, "detail") or text_at(whole, "message") or text_at(whole, "detail", 0, "msg")
    )


def _retry_delay(error: object) -> float | None:
    # https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto
    for detail in list_at(error, "details"):
        delay = re.fullmatch(r"(\d+(?:\.\d+)?)s", text_at(detail, "retryDelay") or "")
        if delay:
            return float(delay.group(1))
    return None


def list_request(after: str | None) -> HttpRequest:
    """Return the request for the model list, which has one page."""
    del after
    return HttpRequest(path="/models")


def read_models(body: object) -> ModelPage:
    """Return the models; `UnreadableError` if it is not a model list."""
    entries = body if isinstance(body, list) else dig(body, "data")  # Together sends a bare list
    if not isinstance(entries, list):
        raise UnreadableError("no list of models")
    infos = filter(None, (model_info(entry, name="id", retires=RETIRES) for entry in entries))
    models = (info.model_copy(update={"id": info.id.removeprefix("models/")}) for info in infos)
    return ModelPage(models=tuple(models))
