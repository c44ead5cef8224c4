"""What a wire protocol is: pure functions from a call to a request and from a body to a value.

Owns the types that cross between protocols and the transport. Leaves HTTP, keys, retries and
prices to `forgetest.transport` and `forgetest.price`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any, Literal, Protocol

from pydantic import Field, JsonValue

from forgetest.completion import Completion, Finish
from forgetest.plan import Sampling
from forgetest.source import Prompt
from forgetest.value import Value

ProtocolName = Literal["openai", "anthropic", "ollama"]
LimitField = Literal["max_tokens", "max_completion_tokens"]

HOSTED_MAX_TOKENS = 16_000
LOCAL_MAX_TOKENS = 1_024


class Price(Value):
    """US dollars per million tokens; without a price of its own, cached input costs like other."""

    input: Decimal = Field(ge=0)
    output: Decimal = Field(ge=0)
    cached: Decimal | None = Field(default=None, ge=0)


class Preset(Value):
    """A provider as data: which protocol it speaks, where, and what it expects to be sent."""

    name: str
    protocol: ProtocolName = "openai"
    base_url: str
    key_env: str | None = None  # the variable that holds the key; None: no key is sent
    limit_field: LimitField = "max_tokens"  # what the openai protocol calls the token limit
    seed_field: str | None = "seed"  # None: the provider takes no seed
    concurrency: int = Field(default=4, ge=1)
    timeout_secs: float = Field(default=600.0, gt=0)  # one request, from connect to last byte
    temperature: float | None = None  # sent when a draw leaves it open; None: not sent
    max_tokens: int = Field(default=HOSTED_MAX_TOKENS, ge=1)  # when a draw leaves it open
    local: bool = False  # costs nothing
    extra_body: dict[str, JsonValue] = Field(default_factory=dict)  # wins over what we would send
    # A gateway's token may stand in a header, so headers are neither shown nor written to a file.
    extra_headers: dict[str, str] = Field(default_factory=dict, repr=False, exclude=True)
    prices: dict[str, Price] = Field(default_factory=dict)  # by model, over any price list


class ModelInfo(Value):
    """A model that a server lists; `extras` are its own facts, such as `meta.n_params`."""

    id: str
    retires: date | None = None
    extras: dict[str, str | int | float | bool] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Call:
    """One completion to ask for; `sampling` holds only what is really to be sent."""

    preset: Preset
    model: str
    prompt: Prompt
    sampling: Sampling
    limit_field: LimitField = "max_tokens"


@dataclass(frozen=True, slots=True)
class Request:
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
    """A provider's own account of why there is no completion."""

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
    """The six functions that a module in this package supplies; all pure."""

    def auth(self, key: str) -> dict[str, str]:
        """Return the headers that carry the key."""
        ...

    def build(self, call: Call) -> Request:
        """Return the request that asks for one completion."""
        ...

    def read(self, body: object) -> Completion | ApiError:
        """Return what a 200 holds, which may still be an error; `UnreadableError` if neither."""
        ...

    def read_error(self, status: int, body: object) -> ApiError:
        """Return what any other status means; the body is JSON, or text when it is not JSON."""
        ...

    def list_request(self, after: str | None) -> Request:
        """Return the request for a page of the model list."""
        ...

    def read_models(self, body: object) -> ModelPage:
        """Return the models of one page; `UnreadableError` if it is not a model list."""
        ...


def with_extra(body: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """Return `body` with the user's fields over it; objects in both are merged one level deep."""
    merged = dict(body)
    for name, value in extra.items():
        ours = merged.get(name)
        nested = isinstance(ours, dict) and isinstance(value, Mapping)
        merged[name] = {**merged[name], **value} if nested else value
    return merged


def estimated_tokens(prompt: Prompt) -> int:
    """Return a cautious token count: three bytes a token, and some for the chat template.

    Rust source takes 3 to 4 bytes a token in common vocabularies, so this errs upwards.
    """
    size = len(prompt.system.encode(errors="replace")) + len(prompt.user.encode(errors="replace"))
    return size // 3 + 64
