"""The reply in the text of a completion: without thinking, stop tokens and wire format.

What a model thought, before its reply or in the middle of it, is left out with its tags. A tag
counts wherever it touches text, unless it is only mentioned: in code, in quotes, in backticks.
"""

import re
from dataclasses import dataclass
from itertools import islice

from forgetest.extract.blocks import (
    Language,
    is_program,
    item_lines,
    layout,
    run_spans,
    starts_code,
)
from forgetest.extract.wrappers import is_one_line, json_spans, without_answer_tags
from forgetest.rust.lexer import Ending, lex
from forgetest.rust.parse import cpu_deadline, parse_within

_PARSE_SECS = 1.0  # CPU time to tell tags in code from tags of the wire format
_MAX_TAGS = 32  # tags that are examined; no honest completion has more
_SURE = "(?:seed:)?think(?:ing)?|thoughts?|reasoning(?:_content)?|reflection|scratchpad"
# Spellings that are not listed count only in pairs: `<Thought>` may be a type of the answer.
_WORD = (
    rf"(?:{_SURE}|[\w.:-]{{0,40}}?(?:think|thought|reason|reflect)[\w.:-]{{0,40}}"
    r"|analysis|(?:inner_|internal_)?monologue|scratch_pad|planning|brainstorm(?:ing)?|cot)"
)
_SHORT = "think(?:ing)?|thoughts?|reason(?:ing)?|cot"
_SQUARE = "(?-i:THINK(?:ING)?|THOUGHTS?|REASONING)"
_ATTRIBUTES = r"(?:[ \t]+[\w:-]+[ \t]*=[ \t]*(?:\"[^\"\n]*\"|'[^'\n]*'))*[ \t]*"
_OPENING = re.compile(
    rf"<(?P<name>{_WORD}){_ATTRIBUTES}>(?!::)"
    rf"|<\|(?:(?:begin|start)_(?:of_)?)?(?P<token>{_SHORT})\|>"
    rf"|\[(?P<square>{_SQUARE})\]|◁(?P<triangle>think)▷|<unused94>(?P<unused>(?-i:thought(?![a-z])))",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    rf"</(?P<name>{_WORD})[ \t]*>"
    rf"|<\|(?:/|end_(?:of_)?)(?P<token>{_SHORT})\|>"
    rf"|\[/(?P<square>{_SQUARE})\]|◁/(?P<triangle>think)▷|(?P<unused><unused95>)",
    re.IGNORECASE,
)
_IS_SURE = re.compile(_SURE, re.IGNORECASE)
_COMMENT = re.compile(r"(?:^|\s)//")
_QUOTE = re.compile("&quot;|&#34;")
_FENCES = re.compile("`{3,}")
_START = r"(?:<\|start\|>\s*assistant\s*)?"
_CHANNEL = re.compile(
    rf"{_START}<\|channel\|>\s*(?P<name>final|commentary)"
    r"(?:[^<\n]{0,80}(?:<\|constrain\|>[^<\n]{0,40})?<\|message\|>)?"
)
_HARMONY = re.compile(rf"\s*{_START}<\|channel\|>\s*analysis(?![a-z])")
# The same when the special tokens were dropped on the way: `analysisWe need ... assistantfinal`.
_BARE_HARMONY = re.compile(r"\s*analysis(?=[A-Z])")
_BARE_CHANNEL = re.compile(r"assistant(?P<name>final|commentary)")


@dataclass(frozen=True, slots=True)
class _Text:
    """A completion, and the deadline for parsing its code."""

    text: str
    deadline: float
    in_json: tuple[tuple[int, int], ...] = ()  # spans of JSON, whose tags belong to its texts


def without_thinking(text: str) -> str:
    """Return the text without thinking; a block that is never closed extends to the end."""
    if _is_code(text) or is_one_line(text, cpu_deadline(_PARSE_SECS)):
        return text
    text = _without_channels(text)
    if _CLOSING.search(text) is None and _OPENING.search(text) is None:
        return text
    whole = _text(text)
    at = _after_lone_closing(whole)
    kept: list[str] = []
    position = at
    for _ in range(_MAX_TAGS):
        opening = _next_opening(whole, position, at)
        if opening is None:
            break
        closing = _closing_of(whole, opening)
        if closing is None and not _takes_the_rest(whole, opening):
            position = opening.end()
            continue
        _keep(kept, text[at : opening.start()])
        at = position = _after_others(whole, closing.end()) if closing else len(text)
    _keep(kept, _before_last_closing(whole, at) if not kept and at == 0 else text[at:])
    return "".join(kept)


def _text(text: str) -> _Text:
    return _Text(text, cpu_deadline(_PARSE_SECS), tuple(json_spans(text)))


def _is_code(text: str) -> bool:
    """Tell whether a completion is a Rust file from end to end, which has no thinking."""
    if not starts_code(text.removeprefix("\ufeff")):
        return False
    tree = parse_within(text.encode("utf-8", "replace"), cpu_deadline(_PARSE_SECS))
    return tree is not None and is_program(tree)


def _keep(kept: list[str], part: str) -> None:
    """Add a part to what is kept; text on lines of its own stays so."""
    if kept and kept[-1].strip() and not kept[-1].endswith("\n") and not part.startswith("\n"):
        kept.append("\n")
    kept.append(part)


def _without_channels(text: str) -> str:
    """Return the message of the last channel that is meant for the user."""
    bare = "<|channel|>" not in text or _BARE_HARMONY.match(text) is not None
    pattern, opening = (_BARE_CHANNEL, _BARE_HARMONY) if bare else (_CHANNEL, _HARMONY)
    channels = list(islice(pattern.finditer(text), _MAX_TAGS))
    thinks = opening.match(text) is not None
    meant = _meant_channels(text, channels) or (channels[:1] if thinks else [])
    finals = [match for match in meant if match["name"] == "final"]
    if not meant:
        return "" if thinks else text
    return text[(finals or meant)[-1].end() :]


def _meant_channels(text: str, channels: list[re.Match[str]]) -> list[re.Match[str]]:
    """Return the marks of channels that are not only mentioned in the message of another."""
    whole = _text(text)
    meant: list[re.Match[str]] = []
    for match in channels:
        since = meant[-1].end() if meant else 0
        if not _is_mentioned(whole, since, match):
            meant.append(match)
    return meant


def _next_opening(whole: _Text, position: int, since: int) -> re.Match[str] | None:
    """Return the next tag that opens thinking, not earlier than `position`."""
    for match in islice(_OPENING.finditer(whole.text, position), _MAX_TAGS):
        if _stands_alone(whole.text, match, since) and not _is_mentioned(whole, since, match):
            return match
    return None


def _stands_alone(text: str, opening: re.Match[str], since: int) -> bool:
    """Tell whether a tag begins a line or follows a sentence, unlike a type parameter."""
    line = text[max(text.rfind("\n", 0, opening.start()) + 1, since) : opening.start()]
    return not line.strip() or line.rstrip()[-1] in ".!?:*>"


def _takes_the_rest(whole: _Text, opening: re.Match[str]) -> bool:
    """Tell whether an opening tag counts although nothing closes it."""
    start = whole.text.rfind("\n", 0, opening.start()) + 1
    sure = opening["name"] is None or _IS_SURE.fullmatch(opening["name"]) is not None
    return sure and not whole.text[start : opening.start()].strip()


def _closing_of(whole: _Text, opening: re.Match[str]) -> re.Match[str] | None:
    """Return the tag that closes what `opening` opened, one of the same name before others.

    A tag that seems to be only mentioned counts when there is no other.
    """
    closings = list(islice(_CLOSING.finditer(whole.text, opening.end()), _MAX_TAGS))
    same = [match for match in closings if _name(match) == _name(opening)]
    sure = opening["name"] is None or _IS_SURE.fullmatch(opening["name"]) is not None
    for match in [*same, *closings] if sure else same:
        if not _is_mentioned(whole, opening.end(), match):
            return match
    return next(iter(same), None)


def _name(tag: re.Match[str]) -> str:
    return "" if tag.lastgroup is None else f"{tag.lastgroup} {tag['name'] or ''}".lower()


def _after_lone_closing(whole: _Text) -> int:
    """Return where the text continues after a closing tag whose opening was part of the prompt."""
    opening = _next_opening(whole, 0, 0)
    closing = _meant_closing(whole, 0, opening.start() if opening else len(whole.text))
    if closing is None or not whole.text[closing.end() :].strip():
        return 0
    return _after_others(whole, closing.end())


def _after_others(whole: _Text, at: int) -> int:
    """Return where the reply begins after `at` if more closing tags come before its code."""
    for _ in range(_MAX_TAGS):
        opening = _next_opening(whole, at, at)
        closing = _meant_closing(whole, at, opening.start() if opening else len(whole.text))
        if closing is None or not _has_code(whole.text[closing.end() :]):
            break
        at = closing.end()
    return at


def _before_last_closing(whole: _Text, at: int) -> str:
    """Return the text up to a closing tag at the very end: that is a reply, not thinking."""
    closing = _meant_closing(whole, at, len(whole.text))
    if closing is None or whole.text[closing.end() :].strip():
        return whole.text[at:]
    return whole.text[at : closing.start()]


def _meant_closing(whole: _Text, since: int, end: int) -> re.Match[str] | None:
    for match in islice(_CLOSING.finditer(whole.text, since, end), _MAX_TAGS):
        if not _is_mentioned(whole, since, match):
            return match
    return None


def _has_code(text: str) -> bool:
    return "```" in text or "~~~" in text or next(item_lines(text), None) is not None


def _is_mentioned(whole: _Text, since: int, tag: re.Match[str]) -> bool:
    """Tell whether a tag is code or quoted, in the text that begins at `since`."""
    if any(start < tag.start() < end for start, end in whole.in_json):
        return True
    start = max(whole.text.rfind("\n", 0, tag.start()) + 1, since)
    end = whole.text.find("\n", tag.end())
    before = _QUOTE.sub('"', whole.text[start : tag.start()])
    after = _QUOTE.sub('"', whole.text[tag.end() : end if end >= 0 else len(whole.text)])
    after = _FENCES.sub("", after)
    if _FENCES.sub("", before).count("`") % 2 and "`" in after:
        return True
    if before.count('"') % 2 and after.count('"') % 2:
        return True
    return (before[-1:] == "'" == after[:1]) or _is_in_code(whole, since, tag, before)


def _is_in_code(whole: _Text, since: int, tag: re.Match[str], before: str) -> bool:
    blocks = layout(whole.text[since : tag.start()]).blocks
    if blocks and not blocks[-1].closed:
        return _is_in_block(whole, since, tag, len(blocks) - 1)
    if _COMMENT.search(before):
        return True
    if next(item_lines(whole.text[since : tag.start()]), None) is None:
        return False
    text = whole.text[since:]
    at = tag.start() - since
    spans = [span for span in run_spans(text, whole.deadline) if span[0] <= at < span[1]]
    return any(lex(text[start:at]).ending is not Ending.CODE for start, _ in spans)


def _is_in_block(whole: _Text, since: int, tag: re.Match[str], number: int) -> bool:
    """Tell whether a tag belongs to the code of the block it is in.

    Thinking often stops in the middle of a draft, so that nothing closes its fence.
    """
    so_far = layout(whole.text[since : tag.start()]).blocks[number]
    blocks = layout(whole.text[since:]).blocks
    block = blocks[number] if number < len(blocks) else so_far
    if block.language is Language.OTHER:
        return block.closed and not _FENCES.search(block.code[len(so_far.code) :])
    if lex(so_far.code).ending is not Ending.CODE:
        return True
    tree = parse_within(block.code.encode("utf-8", "replace"), whole.deadline)
    return tree is not None and not tree.root_node.has_error


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
    """Tell whether a reply without code declines; a long text explains something instead."""
    return len(text) <= _REFUSAL_CHARS and _REFUSAL.search(text) is not None


def _without_stop_tokens(text: str) -> str:
    while True:
        bare = text.rstrip()
        token = next((token for token in _STOP_TOKENS if bare.endswith(token)), None)
        if token is None:
            return text
        text = bare.removesuffix(token)
