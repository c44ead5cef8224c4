"""What of a completion's text is the reply: not its thinking, not the marks of its wire format."""

import re

from forgetest.extract.thinking import without_thinking
from forgetest.extract.wrappers import without_answer_tags

_STOP_TOKENS = (
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|im_end|>",
    "<|eot_id|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|EOT|>",
    "<｜end▁of▁sentence｜>",  # noqa: RUF001 - a model's own spelling
    "</s>",
)
_SURROGATES = re.compile("[\ud800-\udfff]")
_REFUSAL = re.compile(
    r"\b(?:I(?:['’]m| am)? (?:very |so |truly )?sorry|sorry, (?:but )?I|"  # noqa: RUF001 - typed so
    r"I (?:can(?:not|['’]t| not)|won['’]t|will not|must decline|have to decline)|"  # noqa: RUF001
    r"I(?:['’]m| am) (?:unable|not able|not allowed|not going)|"  # noqa: RUF001
    r"as an AI\b|against my (?:guidelines|policy|policies))",
    re.IGNORECASE,
)
_REFUSAL_CHARS = 1000


def visible(text: str) -> str:
    """Return the reply itself: encodable, without byte-order mark, thinking or stop tokens."""
    text = _SURROGATES.sub("\ufffd", text).removeprefix("\ufeff")
    return without_answer_tags(_without_stop_tokens(without_thinking(text)))


def is_refusal(text: str) -> bool:
    """Tell whether a reply without code declines; long texts explain something instead."""
    return len(text) <= _REFUSAL_CHARS and _REFUSAL.search(text) is not None


def _without_stop_tokens(text: str) -> str:
    while True:
        bare = text.rstrip()
        token = next((token for token in _STOP_TOKENS if bare.endswith(token)), None)
        if token is None:
            return text
        text = bare.removesuffix(token)
