"""Telling from a provider's words whether a prompt, a parameter's value or the credit is at fault.

Providers agree neither on codes nor on types, so these lists are data, gathered from their
documentation and their servers.
"""

import re

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

ABOUT_PROMPT = frozenset(
    {
        "context_length_exceeded",
        "exceed_context_size_error",
        "request_too_large",
        "content_filter",
        "content_policy_violation",
        "invalid_prompt",
        "string_above_max_length",
    }
)
ABOUT_PROMPT_WORDS = re.compile(
    r"prompt is too long|too many tokens|content management policy|flagged"
    r"|(context|input)[ _-]?(length|size|window|limit)|maximum context"
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
    """Return whether another prompt would have been answered."""
    return not ABOUT_PROMPT.isdisjoint(codes) or bool(ABOUT_PROMPT_WORDS.search(message.lower()))


def is_out_of_range(message: str, code: str | None) -> bool:
    """Return whether a parameter is known and only its value is refused."""
    return bool(OUT_OF_RANGE.search(f"{message} {code or ''}".lower()))
