"""What a wire protocol is, and what its module needs to read replies and errors.

In three parts: the types that cross between a protocol and the transport, with `WireProtocol`
itself; readers of other people's JSON, for which what is missing or of the wrong type is absent;
and what an error's words say of its cause. HTTP, keys, retries and prices are not here, but in
`transport` and `price`.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from http import HTTPStatus
from typing import Any, Literal, Protocol

from pydantic import Field

from forgetest.sampling.completion import Completion, Finish, Prompt
from forgetest.sampling.plan import Sampling
from forgetest.value import Value

LimitField = Literal["max_tokens", "max_completion_tokens"]
ReasoningField = Literal["reasoning_effort", "reasoning"]


class ModelInfo(Value):
    """A model that a server lists; `extras` are its own facts, such as `meta.n_params`."""

    id: str
    retires: date | None = None
    extras: dict[str, str | int | float | bool] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Call:
    """One completion to ask for; `sampling` holds only what is really to be sent."""

    model: str
    prompt: Prompt
    sampling: Sampling
    max_tokens: int  # the provider's own, for protocols that demand a limit
    limit_field: LimitField = "max_tokens"  # what the openai protocol calls the token limit
    seed_field: str | None = "seed"  # None: the provider takes no seed
    reasoning_field: ReasoningField = "reasoning_effort"  # of the openai protocol
    extra_body: Mapping[str, Any] = field(default_factory=dict)  # wins over what we would send


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One HTTP request below a base URL, without the key.

    `optional` maps each sent parameter that a server may refuse to the `Sampling` field it stands
    for, by the name it has on the wire.
    """

    path: str
    body: Mapping[str, Any] | None = None  # None: GET
    headers: Mapping[str, str] = field(default_factory=dict)
    optional: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ApiError:
    """Why there is no completion, as the provider says it."""

    status: int  # of HTTP, or what the body says when HTTP said 200
    message: str
    code: str | None = None
    param: str | None = None
    spent: bool = False  # a quota or the credit is used up: waiting does not help
    about_prompt: bool = False  # this prompt is at fault: too long, or flagged
    finish: Finish | None = None  # what the same finding in a 200 would end the reply with
    retry_secs: float | None = None  # a wait that the body asks for


@dataclass(frozen=True, slots=True)
class ModelPage:
    """One page of a model list; `after` asks for the next one."""

    models: tuple[ModelInfo, ...]
    after: str | None = None


class UnreadableError(ValueError):
    """A body is neither a completion nor an error of this protocol."""


class WireProtocol(Protocol):
    """What the module of a protocol supplies: a constant and six pure functions."""

    BASE_URL_IS_ROOT: bool  # whether base_url is the server's root, without /v1

    def auth(self, key: str) -> dict[str, str]:
        """Return the headers that carry the key."""
        ...

    def build(self, call: Call) -> HttpRequest:
        """Return the request that asks for one completion."""
        ...

    def read(self, body: object) -> Completion | ApiError:
        """Return what a 200 holds, which may still be an error; `UnreadableError` if neither."""
        ...

    def read_error(self, status: int, body: object) -> ApiError:
        """Return what any other status means; the body is JSON, or text when it is not JSON."""
        ...

    def list_request(self, after: str | None) -> HttpRequest:
        """Return the request for a page of the model list."""
        ...

    def read_models(self, body: object) -> ModelPage:
        """Return the models of one page; `UnreadableError` if it is not a model list."""
        ...


def messages(prompt: Prompt, *, with_system: bool = True) -> list[dict[str, str]]:
    """Return the turns as protocols write them; the system text, if there is one, comes first."""
    system = [{"role": "system", "content": prompt.system}] if with_system and prompt.system else []
    return [*system, *({"role": turn.role, "content": turn.text} for turn in prompt.turns)]


# What asks for the code as a tool call or as JSON, and how it is handed over.
CODE_TOOL = "submit_code"
CODE_TOOL_SAYS = "Hands in the complete code of src/lib.rs."
CODE_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "code": {"type": "string", "description": "The complete Rust code, without a code fence."}
    },
    "required": ["code"],
    "additionalProperties": False,
}


def with_extra(body: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """Return `body` with the user's fields over it; objects in both are merged one level deep."""
    merged = dict(body)
    for name, value in extra.items():
        ours = merged.get(name)
        nested = isinstance(ours, dict) and isinstance(value, Mapping)
        merged[name] = {**merged[name], **value} if nested else value
    return merged


def estimated_tokens(prompt: Prompt) -> int:
    """Return a token count that errs upwards: three bytes a token, and the chat template.

    Rust source takes 3 to 4 bytes a token in common vocabularies.
    """
    texts = (prompt.system, *(turn.text for turn in prompt.turns))
    return sum(len(text.encode(errors="replace")) for text in texts) // 3 + 64


def code_tokens(source: str) -> int:
    """Return about how many tokens Rust source takes, by the same measure, without a template."""
    return len(source.encode(errors="replace")) // 3


# Readers of JSON.

PAGE_READ = 100_000  # characters of a page that is not JSON


def dig(body: object, *path: str | int) -> object:
    """Return what is at the path of keys and positions, or None."""
    for step in path:
        if isinstance(step, str) and isinstance(body, Mapping):
            body = body.get(step)
        elif isinstance(step, int) and isinstance(body, list) and -len(body) <= step < len(body):
            body = body[step]
        else:
            return None
    return body


def text_at(body: object, *path: str | int) -> str | None:
    """Return the string at the path, or None; lone surrogates, which no file takes, become `?`."""
    value = dig(body, *path)
    return _writable(value) if isinstance(value, str) else None


def _writable(text: str) -> str:
    return text.encode(errors="replace").decode()


def tokens_at(body: object, *path: str | int) -> int | None:
    """Return the number of tokens at the path, or None if there is no such whole number."""
    value = dig(body, *path)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    return None


def list_at(body: object, *path: str | int) -> list[object]:
    """Return the list at the path, or an empty one."""
    value = dig(body, *path)
    return value if isinstance(value, list) else []


def text_of_parts(parts: Iterable[object], *kinds: str) -> str:
    """Return the `text` of all parts whose `type` is one of the kinds, in order."""
    wanted = (part for part in parts if text_at(part, "type") in kinds)
    return "".join(text_at(part, "text") or "" for part in wanted)


def day(value: object) -> date | None:
    """Return the day of an ISO date or a Unix time, or None."""
    try:
        if isinstance(value, str):
            return date.fromisoformat(value[:10])
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            return datetime.fromtimestamp(value, UTC).date()
    except (ValueError, OverflowError, OSError):
        return None
    return None


def model_info(entry: object, *, name: str, retires: tuple[str, ...] = ()) -> ModelInfo | None:
    """Return the model of a list entry, its id under `name`; None if it has none."""
    model = text_at(entry, name)
    if not model or not isinstance(entry, Mapping):
        return None
    days = (day(entry.get(field)) for field in retires)
    known = {name, "object", *retires}
    extras = {key: fact for key, fact in _facts(entry) if key not in known}
    return ModelInfo(id=model, retires=next(filter(None, days), None), extras=extras)


def _facts(entry: Mapping[str, object], above: str = "") -> Iterator[tuple[str, str | float]]:
    for key, value in entry.items():
        name = above + _writable(key)
        if isinstance(value, Mapping) and not above:
            yield from _facts(value, f"{name}.")
        elif isinstance(value, str):
            yield name, _writable(value)
        elif isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
            yield name, value


def page_summary(body: object) -> str:
    """Return one line that sums up a body that is not JSON, such as a proxy's HTML page."""
    page = body[:PAGE_READ] if isinstance(body, str) else ""
    title = re.search(r"<title[^>]*>(.*?)</title>", page, re.IGNORECASE | re.DOTALL)
    shown = title.group(1) if title else re.sub(r"<[^>]*>", " ", page)
    return " ".join(shown.split()) or "no message"


# What an error's words say of its cause: the credit, the prompt, or the value of a parameter.
# Providers agree neither on codes nor on types, so these lists are data, gathered from their
# documentation and their servers. A prompt that a filter withheld or that no context holds ends its
# sample for good, as the same finding in a 200 would; this is scored, so only certain words count
# (`end_of_sample`). Weaker words keep the error from ending the model (`is_about_prompt`).

# 429s that do not pass by waiting: https://platform.openai.com/docs/guides/error-codes
SPENT = frozenset(
    {
        "insufficient_quota",
        "credit_balance_exhausted",
        "organization_spend_limit_exceeded",
        "project_spend_limit_exceeded",
        "organization_usage_limit_exceeded",
        "enforced_spend_limit_reached",
    }
)
SPENT_WORDS = re.compile(r"credit balance is too low|insufficient balance|reached your specified")

FILTERED = frozenset(
    {
        "content_filter",
        "content_policy_violation",
        "invalid_prompt",
        "responsibleaipolicyviolation",  # Azure
        "data_inspection_failed",  # Alibaba
    }
)
# Of the prompt or the reply, never of an account that was flagged or blocked.
FILTERED_WORDS = re.compile(
    r"content management policy|content[ _-]filter(ing)? policy|content exists risk"
    r"|content violates|blocked by (the |our )?(content|safety) filter"
    r"|(prompt|input|output|content|message|request|response|text|completion)s? "
    r"(was|were|is|are|has been|have been) (flagged|filtered|blocked by|blocked due|blocked for)"
)
TOO_LONG = frozenset(
    {
        "context_length_exceeded",
        "context_window_exceeded",
        "model_context_window_exceeded",
        "exceed_context_size_error",  # llama.cpp
        "string_above_max_length",
        "request_too_large",  # Anthropic
    }
)
TOO_LONG_WORDS = re.compile(
    r"prompt (is|was) too long|prompt too long|input is too long"
    r"|maximum (context|prompt|input) (length|size|window)"
    r"|(exceeds?|overflows?|longer than|larger than) (the |this )?(available |maximum |model'?s? )*"
    r"(context|number of tokens allowed)"
    r"|too large for model with \d+ maximum context|when context the overflows"
    r"|input (token count|length)[^.]{0,40} exceeds?"
)
# A rate is counted in tokens, too, and passes: 413 with rate_limit_exceeded, at Groq.
RATES = re.compile(r"per (second|minute|min|hour|day)\b|\b[rt]p[mdh]\b|rate.?limit|quota")
# Prompt and token limit together are too much: the user has to lower the limit.
SUMS = re.compile(
    r"max_(completion_|new_|output_)?tokens"
    r"|\d+ (tokens )?(in|for|of) the (completion|output|response)"
)
PROMPT_SIZE = re.compile(
    r"(\d+)( tokens)? (in|of|from|for) (the )?(messages|prompt|text input|input)"
    r"|(has|contains) (\d+) (input|prompt) tokens|(\d+) `inputs` tokens|: (\d+) \+ \d+ >"
)
CONTEXT_SIZE = re.compile(
    r"^.*\+ \d+ > (\d+)|^.*<= (\d+)|context (length|limit|window|size)( of| is)?:? (\d+)"
)

ABOUT_PROMPT_WORDS = re.compile(
    r"prompt is too long|too many tokens|content management policy|flagged"
    r"|(context|input)[ _-]?(length|size|window|limit)|maximum context"
)
BLAMING_STATUSES = frozenset(
    {
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.FORBIDDEN,
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        HTTPStatus.UNPROCESSABLE_ENTITY,
    }
)

OUT_OF_RANGE = re.compile(
    r"(above|below|exceeds?|over|greater than|less than|higher than) (the )?"
    r"(max|min|or equal|allowed)"
    r"|too (large|small|high|low)|must be (between|in|at (least|most)|less|greater)"
    r"|_m(ax|in)_value|expected a value|out of range"
)


def is_spent(message: str, *codes: str | None) -> bool:
    """Return whether the quota or the credit is used up."""
    return not SPENT.isdisjoint(codes) or bool(SPENT_WORDS.search(message.lower()))


def is_about_prompt(message: str, *codes: str | None) -> bool:
    """Return whether another prompt would have been answered, as far as the words tell."""
    known = not (FILTERED | TOO_LONG).isdisjoint(_lower(codes))
    return known or bool(ABOUT_PROMPT_WORDS.search(message.lower()))


def end_of_sample(status: int, message: str, *codes: str | None) -> Finish | None:
    """Return how the sample ends when the error is a finding about its prompt, else None.

    FILTERED: a filter withheld the prompt or the reply. LENGTH: no context of the model holds the
    prompt. None wherever it may be something else, such as a token limit that leaves no room.
    """
    words, known = " ".join(message.lower().split()).replace(",", ""), _lower(codes)
    if status == HTTPStatus.TOO_MANY_REQUESTS or RATES.search(words):
        return None
    by_words = status in BLAMING_STATUSES
    if not FILTERED.isdisjoint(known) or (by_words and FILTERED_WORDS.search(words)):
        return Finish.FILTERED
    too_long = not TOO_LONG.isdisjoint(known) or (by_words and bool(TOO_LONG_WORDS.search(words)))
    return Finish.LENGTH if too_long and not is_about_limit(words) else None


def is_about_limit(message: str) -> bool:
    """Return whether the prompt fits the context, but not together with the token limit."""
    words = message.lower().replace(",", "")
    if not SUMS.search(words):
        return False
    prompt, context = _number(PROMPT_SIZE, words), _number(CONTEXT_SIZE, words)
    return prompt is None or context is None or prompt < context


def _number(pattern: re.Pattern[str], message: str) -> int | None:
    match = pattern.search(message)
    digits = (group for group in match.groups() if group and group.isdigit()) if match else ()
    return next((int(group) for group in digits), None)


def _lower(codes: tuple[str | None, ...]) -> set[str]:
    return {code.lower() for code in codes if code}


def is_out_of_range(message: str, code: str | None) -> bool:
    """Return whether a parameter is known and only its value is refused."""
    return bool(OUT_OF_RANGE.search(f"{message} {code or ''}".lower()))
