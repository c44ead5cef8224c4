"""What a model replied, normalised across wire protocols, and the contract of every source of it.

A source is a model server, a recording, or the reference solutions.
"""

from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Literal, Protocol

from pydantic import Field, PlainSerializer, field_validator

from forgetest.evalset.types import Case
from forgetest.sampling.plan import Sample, Sampling
from forgetest.sampling.variant import DEFAULT, Variant, unless
from forgetest.value import Value

# Exact while we add; a plain number in JSON.
Usd = Annotated[Decimal, PlainSerializer(float, return_type=float, when_used="json")]


class Finish(StrEnum):
    """Why the model stopped; the provider's own word is kept as well."""

    STOP = "stop"
    LENGTH = "length"  # the token limit cut the reply
    REFUSED = "refused"  # the model declined
    FILTERED = "filtered"  # a content filter removed the reply


class Usage(Value):
    """Tokens of one completion, totals: input includes cached, output includes reasoning."""

    input_tokens: int | None = Field(
        None, description="Input tokens, with cached ones; null where the server does not count."
    )
    cache_read_tokens: int = Field(0, description="Input tokens read from a cache.")
    cache_write_tokens: int = Field(0, description="Input tokens written to a cache.")
    output_tokens: int | None = Field(
        None, description="Output tokens, with reasoning; null where the server does not count."
    )
    reasoning_tokens: int = Field(0, description="Reasoning tokens.")


class Cost(Value):
    """US dollars for one completion and who says so; an unknown price is None, never 0."""

    usd: Usd | None = Field(None, description="US dollars; null where no price is known, never 0.")
    source: str = Field(
        "unknown",
        description="provider, config, genai-prices VERSION, local, recorded or unknown.",
    )


class Completion(Value):
    """A reply as received: `text` is the visible answer, without reasoning fields."""

    text: str = Field(description="The reply as received, without reasoning fields.")
    finish: Finish = Field(Finish.STOP, description="Why the model stopped.")
    native_finish: str | None = Field(None, description="The provider's own word for that.")
    usage: Usage = Field(Usage(), description="Tokens, as the server counted them.")
    cost: Cost = Field(Cost(), description="What it cost, and who says so.")
    latency_secs: float | None = Field(
        None, description="Seconds of the successful request alone, without waits."
    )
    attempts: int = Field(1, description="Requests that were sent for it.")
    request_id: str | None = Field(None, description="The server's id of the request.")
    served_model: str | None = Field(
        None, description="The model that the server says has answered."
    )
    served_by: str | None = Field(
        None, description="The upstream of a gateway, or a system fingerprint."
    )
    dropped_params: tuple[str, ...] = Field(
        (), description="Sampling parameters that were left out because the model rejects them."
    )
    ends_recording: bool = unless(
        default=False, description="Whether a recorded conversation ends with it."
    )
    notes: tuple[str, ...] = unless((), "What else a command left behind, in words.")

    @field_validator("text", mode="before")
    @classmethod
    def _encodable(cls, text: object) -> object:
        return without_lone_surrogates(text) if isinstance(text, str) else text


def without_lone_surrogates(text: str) -> str:
    """Return text with half surrogate pairs replaced: JSON can hold them, no UTF-8 file can."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class Turn(Value):
    """What one side of a conversation says."""

    role: Literal["user", "assistant"]
    text: str


class Prompt(Value):
    """What the model is told about one case: a conversation whose last turn is the user's."""

    system: str
    user: str
    examples: tuple[Turn, ...] = unless((), "Before the question.")
    later: tuple[Turn, ...] = unless((), "After it: answers, and what was said of them.")

    @property
    def turns(self) -> tuple[Turn, ...]:
        """All turns, in order."""
        return (*self.examples, Turn(role="user", text=self.user), *self.later)


class Draw(Value):
    """One request for one completion, before any wire protocol."""

    sample: Sample
    case: Case
    prompt: Prompt
    sampling: Sampling  # already resolved for this sample: its own seed, its own token limit
    variant: Variant = DEFAULT


class SourceFactory(Protocol):
    """Opens the source of one model; the contract of plugins that answer on their own."""

    def __call__(self, model: str, environ: Mapping[str, str]) -> "CompletionSource":
        """Return the source of `NAME/model`; raise ConfigError for a model that it lacks."""
        ...


class CompletionSource(Protocol):
    """Gives completions for one model."""

    @property
    def concurrency(self) -> int:
        """How many draws may be under way at once."""
        ...

    async def complete(self, draw: Draw) -> Completion:
        """Return the completion; raise `Fault` when the machinery fails.

        After a final fault every later call raises it again, without a request.
        """
        ...
