"""A way of asking: the texts, the parameters and the rounds that a variant changes.

The default variant changes nothing, and its name is never written: reports from before there were
variants compare with it. A variant is kept whole in the plan of a run, and known by its hash.
"""

import hashlib
from enum import StrEnum
from typing import Any, Literal

from pydantic import Field, JsonValue

from forgetest.value import Value

DEFAULT_NAME = "default"
MOST_ROUNDS = 10
FEEDBACK_TOKENS = 800  # of what a compiler or tests say of an answer, at most
HASH_DIGITS = 16

Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]


class Feedback(StrEnum):
    """What a model is shown of its last answer before it answers again."""

    COMPILER = "compiler"
    COMPILER_LINTS = "compiler+lints"
    TESTS = "tests"  # names and messages of failing tests, never their source


class ScoreRound(StrEnum):
    """The round that a sample is scored by."""

    LAST = "last"
    BEST = "best"


class Answer(StrEnum):
    """The form in which the code is asked for."""

    TEXT = "text"
    TOOL = "tool"  # a tool call, or a JSON schema, where the protocol has it


class Example(Value):
    """A case that is shown with its solution before the question."""

    case: str = Field(description="The case, as `set/case`.")
    prompt: str = Field(description="What is asked.")
    answer: str = Field(description="What is answered.")


def unless(default: Any, description: str, **limits: Any) -> Any:
    """Describe a key that is left out of every JSON at its default.

    Keys that come later leave the hashes of older variants as they are.
    """
    return Field(
        default, description=description, exclude_if=lambda value: value == default, **limits
    )


class Variant(Value):
    """A way of asking; what is not set is as in the default variant."""

    system: str | None = unless(None, "The system text, a template.")
    template: str | None = unless(None, "The user's text, a template.")
    examples: tuple[Example, ...] = unless((), "Cases that are shown with their solutions.")
    temperature: float | None = unless(None, "Temperature; null: the run's.")
    top_p: float | None = unless(None, "Nucleus sampling; null: the run's.")
    max_tokens: int | None = unless(None, "Longest completion, in tokens; null: the run's.")
    stop: tuple[str, ...] = unless((), "Texts that end a completion.")
    reasoning_effort: Effort | None = unless(None, "How much the model thinks; null: not sent.")
    thinking_tokens: int | None = unless(None, "Tokens to think with; null: not sent.")
    extra_body: dict[str, JsonValue] = unless({}, "Extra fields of each request.")
    answer: Answer = unless(Answer.TEXT, "Whether the code is asked for as text or by a tool.")
    rounds: int = unless(1, "Answers of a sample at most.", ge=1, le=MOST_ROUNDS)
    feedback: Feedback = unless(Feedback.COMPILER, "What is shown of the last answer.")
    score_round: ScoreRound = unless(
        ScoreRound.LAST, "Whether the last or the best round is scored."
    )

    @property
    def hash(self) -> str:
        """The first 16 hex digits of the SHA-256 of all that the variant changes."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:HASH_DIGITS]


DEFAULT = Variant()
