"""What of a completion's text is the reply: not its thinking, not the marks of its wire format."""

import re

_NAMES = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad"
_OPENING = re.compile(rf"^[ \t]*(?:<(?:{_NAMES})>|\[THINK\]|◁think▷)", re.IGNORECASE | re.MULTILINE)
# A tag in quotes or backticks is spoken about, not meant.
_CLOSING = re.compile(
    rf"(?<![\"'`])(?:</(?:{_NAMES})>|\[/THINK\]|◁/think▷)(?![\"'`])", re.IGNORECASE
)
_FINAL_CHANNEL = "<|channel|>final<|message|>"
_STOP_TOKENS = (
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|im_end|>",
    "<|eot_id|>",
    "<|end|>",
    "<|return|>",
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
    text = text.rpartition(_FINAL_CHANNEL)[2]
    return _without_stop_tokens(_without_thinking(text))


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


def _without_thinking(text: str) -> str:
    """Return the text without thinking blocks; one that is never closed takes the rest along."""
    text = _after_lone_closing(text)
    kept: list[str] = []
    at = 0
    while opening := _OPENING.search(text, at):
        kept.append(text[at : opening.start()])
        closing = _CLOSING.search(text, opening.end())
        at = closing.end() if closing else len(text)
    kept.append(text[at:])
    return "".join(kept)


def _after_lone_closing(text: str) -> str:
    """Return what follows a closing tag whose opening one was part of the prompt."""
    closing = _CLOSING.search(text)
    if closing is None or _OPENING.search(text, 0, closing.start()):
        return text
    before, after = text[: closing.start()], text[closing.end() :]
    if "//" in before.rpartition("\n")[2]:
        return text  # a comment in code
    return after if after.strip() else before
