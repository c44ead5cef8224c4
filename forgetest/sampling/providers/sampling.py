"""Which sampling parameters a model is sent: a small table, and what servers refused.

Sampling parameters are optional everywhere: many current models answer 400 to a temperature. The
table spares the first refusal of well-known families; everything else is learned from refusals.
"""

import re
from dataclasses import dataclass, replace

from forgetest.sampling.completion import Completion, Draw
from forgetest.sampling.plan import Sampling
from forgetest.sampling.providers.contract import (
    ApiError,
    Call,
    HttpRequest,
    LimitField,
    is_out_of_range,
    with_extra,
)
from forgetest.sampling.providers.presets import PROTOCOLS, Preset

DRAWN = frozenset({"temperature", "top_p"})
REFUSALS = frozenset({400, 422})

# OpenAI's reasoning models: gpt-5 and later, o1, o3 ...; the "-chat" variants do not reason.
_REASONING = re.compile(r"(?:openai/)?(?:gpt-(?:[5-9]|\d\d)(?!.*-chat)|o\d)")
# Anthropic's from 4.7 on; two digits at most, since a date may follow: claude-sonnet-4-20250514.
_CLAUDE = re.compile(r"(?:anthropic/)?claude-[a-z]+-(\d+)(?:[-.](\d{1,2})(?!\d))?")
_CLAUDE_WITHOUT_SAMPLING = (4, 7)


@dataclass(frozen=True, slots=True)
class Terms:
    """What a model has refused so far in this run."""

    dropped: frozenset[str] = frozenset()  # fields of `Sampling`
    limit_field: LimitField | None = None  # the other name of the token limit, once one is refused


def resolve(preset: Preset, wanted: Sampling) -> Sampling:
    """Return what a draw wants, with the preset's defaults where it leaves things open."""
    defaults = {"temperature": preset.temperature, "max_tokens": preset.max_tokens}
    return wanted.model_copy(
        update={name: value for name, value in defaults.items() if getattr(wanted, name) is None}
    )


def to_call(preset: Preset, draw: Draw, terms: Terms) -> Call:
    """Return the call for a draw, without what its model is known to refuse."""
    model = draw.sample.model.model
    refused = terms.dropped | refused_by(preset, model)
    return Call(
        model=model,
        prompt=draw.prompt,
        sampling=resolve(preset, draw.sampling).model_copy(update=dict.fromkeys(refused)),
        max_tokens=preset.max_tokens,
        limit_field=terms.limit_field or preset.limit_field,
        seed_field=preset.seed_field,
        reasoning_field=preset.reasoning_field,
        extra_body=with_extra(preset.extra_body, draw.variant.extra_body),
    )


def first_request(preset: Preset, draw: Draw) -> HttpRequest:
    """Return the request that a draw begins with, before its model has refused anything."""
    return PROTOCOLS[preset.protocol].build(to_call(preset, draw, Terms()))


def refused_by(preset: Preset, model: str) -> frozenset[str]:
    """Return the fields of `Sampling` that a hosted model is known to refuse."""
    if preset.local:
        return frozenset()
    claude = _CLAUDE.match(model)
    if claude:
        version = (int(claude.group(1)), int(claude.group(2) or 0))
        return DRAWN if version >= _CLAUDE_WITHOUT_SAMPLING else frozenset()
    thinks = preset.extra_body.get("reasoning_effort") != "none"
    return DRAWN if thinks and _REASONING.match(model) else frozenset()


def dropped(wanted: Sampling, request: HttpRequest, terms: Terms) -> tuple[str, ...]:
    """Return the fields that were wanted and are not in the request, in the order of `Sampling`."""
    sent = {*request.optional.values(), *({"max_tokens"} - terms.dropped)}
    fields = wanted.model_dump(exclude_none=True)
    return tuple(name for name in fields if name not in sent)


def renamed(preset: Preset, terms: Terms) -> tuple[str, ...]:
    """Return in words whether the token limit was refused under its name and sent by another."""
    if terms.limit_field is None or "max_tokens" in terms.dropped:
        return ()
    return (f"{preset.limit_field} (sent as {terms.limit_field})",)


def answered_in_words(request: HttpRequest, completion: Completion) -> tuple[str, ...]:
    """Return in words whether a model was asked to hand in its code as JSON, and did not."""
    asked = "answer" in request.optional.values()
    in_words = completion.text.strip() and not completion.text.lstrip().startswith("{")
    return ("answer (given in words)",) if asked and in_words else ()


def renegotiated(terms: Terms, request: HttpRequest, error: ApiError) -> Terms | None:
    """Return the terms to ask again under, or None when the error is about something else.

    A refused token limit is first sent by its other name, then left out; anything else is left
    out at once. A value out of range is for the user to correct, so it is never left out.
    """
    if (
        error.status not in REFUSALS
        or error.about_prompt
        or is_out_of_range(error.message, error.code)
    ):
        return None
    wire = _named(request, error)
    if wire is None:
        return None
    name = request.optional[wire]
    if name == "max_tokens" and terms.limit_field is None:
        other: LimitField = (
            "max_tokens" if wire == "max_completion_tokens" else "max_completion_tokens"
        )
        return replace(terms, limit_field=other)
    return replace(terms, dropped=terms.dropped | {name})


def _named(request: HttpRequest, error: ApiError) -> str | None:
    if error.param:
        return error.param if error.param in request.optional else None
    # `temperature` last: where two are refused together, the rarer one goes first
    names = sorted(request.optional, reverse=True)
    # Ollama says of `think` that a model "does not support thinking".
    return next((name for name in names if re.search(rf"\b{name}(ing)?\b", error.message)), None)
