"""Telling from a provider's words whether a prompt, a parameter's value or the credit is at fault.

Providers agree neither on codes nor on types, so these lists are data, gathered from their
documentation and their servers.

A prompt that a filter withheld or that no context holds ends its sample for good, as the same
finding in a 200 would; this is scored, so only certain words count (`end_of_sample`). Weaker words
keep the error from ending the model (`is_about_prompt`).
"""

import re
from http import HTTPStatus

from forgetest.completion import Finish

# 429s that no waiting mends: https://platform.openai.com/docs/guides/error-codes
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
# Prompt and token limit together are too much: who asked for so long a reply is to mend that.
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
OWN_DOING = frozenset(
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
    said, named = " ".join(message.lower().split()).replace(",", ""), _lower(codes)
    if status == HTTPStatus.TOO_MANY_REQUESTS or RATES.search(said):
        return None
    by_words = status in OWN_DOING
    if not FILTERED.isdisjoint(named) or (by_words and FILTERED_WORDS.search(said)):
        return Finish.FILTERED
    too_long = not TOO_LONG.isdisjoint(named) or (by_words and bool(TOO_LONG_WORDS.search(said)))
    return Finish.LENGTH if too_long and not is_about_limit(said) else None


def is_about_limit(message: str) -> bool:
    """Return whether the prompt fits the context, and only the token limit does not fit beside."""
    said = message.lower().replace(",", "")
    if not SUMS.search(said):
        return False
    prompt, context = _number(PROMPT_SIZE, said), _number(CONTEXT_SIZE, said)
    return prompt is None or context is None or prompt < context


def _number(pattern: re.Pattern[str], text: str) -> int | None:
    found = pattern.search(text)
    digits = (group for group in found.groups() if group and group.isdigit()) if found else ()
    return next((int(group) for group in digits), None)


def _lower(codes: tuple[str | None, ...]) -> set[str]:
    return {code.lower() for code in codes if code}


def is_out_of_range(message: str, code: str | None) -> bool:
    """Return whether a parameter is known and only its value is refused."""
    return bool(OUT_OF_RANGE.search(f"{message} {code or ''}".lower()))
