"""Tokens as Inspect counts them: what was read from a cache is no part of its input tokens."""

from collections.abc import Sequence
from typing import Any

from forgetest.completion import Completion
from forgetest.report.build import cost_sum


def usage_sum(replies: Sequence[Completion]) -> dict[str, Any]:
    """Return the usage of completions, added up; what a server did not report counts as 0."""
    usages = [reply.usage for reply in replies]
    total = sum(usage.input_tokens or 0 for usage in usages)
    read = sum(usage.cache_read_tokens for usage in usages)
    written = sum(usage.cache_write_tokens for usage in usages)
    output = sum(usage.output_tokens or 0 for usage in usages)
    usd = cost_sum(list(replies)).usd
    return {
        "input_tokens": max(0, total - read - written),
        "output_tokens": output,
        "total_tokens": total + output,
        "input_tokens_cache_read": read,
        "input_tokens_cache_write": written,
        "reasoning_tokens": sum(usage.reasoning_tokens for usage in usages),
        **({} if usd is None else {"total_cost": float(usd)}),
    }
