"""The providers as data, and the table of the wire protocols that they speak.

A new provider over a known protocol is a row in `PRESETS`, or a table in forgetest.toml. A new
protocol is a module with what `contract.WireProtocol` names, and a row in `PROTOCOLS`.
"""

from decimal import Decimal
from typing import Annotated, cast

from pydantic import AfterValidator, Field, JsonValue
from pydantic_core import PydanticCustomError

from forgetest.sampling.providers import anthropic, ollama, openai
from forgetest.sampling.providers.contract import LimitField, ReasoningField, WireProtocol
from forgetest.system.plugins import BrokenPluginError, PluginGroup, find_plugin
from forgetest.value import Value

PROTOCOLS: dict[str, WireProtocol] = {
    "openai": openai,
    "anthropic": anthropic,
    "ollama": ollama,
}

HOSTED_MAX_TOKENS = 16_000
LOCAL_MAX_TOKENS = 1_024


def protocol_of(name: str) -> WireProtocol:
    """Return a wire protocol by its name, of a plugin too; KeyError where there is none.

    Raises BrokenPluginError for a plugin that cannot be used.
    """
    built_in = PROTOCOLS.get(name)
    added = built_in or find_plugin(PluginGroup.PROVIDERS, name, checked_protocol)
    if added is None:
        raise KeyError(name)
    return added


def checked_protocol(provided: object) -> WireProtocol:
    """Return a wire protocol of a plugin; TypeError says what it lacks."""
    members = [member for member in vars(WireProtocol) if not member.startswith("_")]
    members += WireProtocol.__annotations__
    if missing := [member for member in members if not hasattr(provided, member)]:
        raise TypeError(f"it is not a wire protocol: it has no {', '.join(missing)}")
    return cast("WireProtocol", provided)


def _known_protocol(name: str) -> str:
    try:
        protocol_of(name)
    except BrokenPluginError as error:
        raise PydanticCustomError("plugin", "{message}", {"message": str(error)}) from None
    except KeyError:
        *others, last = PROTOCOLS
        message = f"must be {', '.join(others)} or {last}, not {name}"
        raise PydanticCustomError("protocol_name", "{message}", {"message": message}) from None
    return name


ProtocolName = Annotated[
    str,
    AfterValidator(_known_protocol),
    Field(json_schema_extra={"anyOf": [{"enum": list(PROTOCOLS)}, {"type": "string"}]}),
]


class Price(Value):
    """US dollars per million tokens; without a price of its own, cached input costs like other."""

    input: Decimal = Field(ge=0, description="Of the prompt.", examples=[0.2])
    output: Decimal = Field(ge=0, description="Of the completion.", examples=[0.6])
    cached: Decimal | None = Field(
        default=None,
        ge=0,
        description="Of the part of the prompt that the server had cached.",
        examples=[0.05],
    )


class Preset(Value):
    """A provider as data: which protocol it speaks, where, and what it expects to be sent."""

    name: str
    protocol: ProtocolName = "openai"
    base_url: str
    key_env: str | None = None  # the variable that holds the key; None: no key is sent
    limit_field: LimitField = "max_tokens"  # what the openai protocol calls the token limit
    seed_field: str | None = "seed"  # None: the provider takes no seed
    reasoning_field: ReasoningField = "reasoning_effort"  # what it calls how much to think
    concurrency: int = Field(default=4, ge=1)  # requests at once of each model, to begin with
    max_concurrency: int | None = Field(default=None, ge=1)  # of all; None: that number
    timeout_secs: float = Field(default=600.0, gt=0)  # one request, from connect to last byte
    temperature: float | None = None  # sent when a draw leaves it open; None: not sent
    max_tokens: int = Field(default=HOSTED_MAX_TOKENS, ge=1)  # when a draw leaves it open
    local: bool = False  # costs nothing
    context_tokens: int | None = None  # what its models hold; None: as the price list says
    extra_body: dict[str, JsonValue] = Field(default_factory=dict)  # wins over what we would send
    # A gateway's token may be in a header, so headers are neither shown nor written to a file.
    extra_headers: dict[str, str] = Field(default_factory=dict, repr=False, exclude=True)
    prices: dict[str, Price] = Field(default_factory=dict)  # by model, over any price list

    @property
    def most_at_once(self) -> int:
        """How many requests may be under way at once, over all models."""
        return self.max_concurrency or self.concurrency


_ROWS = (
    Preset(
        name="openai",
        limit_field="max_completion_tokens",
        base_url="https://api.openai.com/v1",
        key_env="OPENAI_API_KEY",
    ),
    Preset(
        name="anthropic",
        protocol="anthropic",
        seed_field=None,
        base_url="https://api.anthropic.com",
        key_env="ANTHROPIC_API_KEY",
    ),
    Preset(
        name="openrouter",
        reasoning_field="reasoning",
        base_url="https://openrouter.ai/api/v1",
        key_env="OPENROUTER_API_KEY",
    ),
    Preset(
        name="groq",
        base_url="https://api.groq.com/openai/v1",
        key_env="GROQ_API_KEY",
    ),
    Preset(
        name="together",
        base_url="https://api.together.xyz/v1",
        key_env="TOGETHER_API_KEY",
    ),
    Preset(
        name="deepseek",
        seed_field=None,
        base_url="https://api.deepseek.com/v1",
        key_env="DEEPSEEK_API_KEY",
    ),
    Preset(
        name="mistral",
        seed_field="random_seed",
        base_url="https://api.mistral.ai/v1",
        key_env="MISTRAL_API_KEY",
    ),
    Preset(
        name="xai",
        base_url="https://api.x.ai/v1",
        key_env="XAI_API_KEY",
    ),
    Preset(
        name="gemini",
        seed_field=None,
        base_url="https://generativelanguage.googleapis.com/v1beta/openai",
        key_env="GEMINI_API_KEY",
    ),
    Preset(
        name="vllm",
        base_url="http://127.0.0.1:8000/v1",
        local=True,
        concurrency=4,
        temperature=0.8,
        max_tokens=LOCAL_MAX_TOKENS,
    ),
    Preset(
        name="llamacpp",
        base_url="http://127.0.0.1:8080/v1",
        local=True,
        concurrency=4,
        temperature=0.8,
        max_tokens=LOCAL_MAX_TOKENS,
    ),
    Preset(
        name="lmstudio",
        base_url="http://127.0.0.1:1234/v1",
        local=True,
        concurrency=1,
        temperature=0.8,
        max_tokens=LOCAL_MAX_TOKENS,
    ),
    Preset(
        name="ollama",
        protocol="ollama",
        base_url="http://127.0.0.1:11434",
        local=True,
        concurrency=1,
        temperature=0.8,
        max_tokens=LOCAL_MAX_TOKENS,
    ),
)

PRESETS: dict[str, Preset] = {preset.name: preset for preset in _ROWS}
