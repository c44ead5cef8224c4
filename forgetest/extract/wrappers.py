"""Replies with their code in a wrapper: JSON, a tool call, HTML, escaped line breaks.

A wrapper is undone only if its form is certain and its content is Rust; anything else is left to
the other rules.
"""

import html
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from forgetest.extract.blocks import (
    FencedBlock,
    Language,
    is_declarations,
    layout,
    run_spans,
    starts_code,
)
from forgetest.rust.parse import parse_within

_MAX_TEXTS = 256  # texts of one wrapper that are looked at
_MAX_VALUES = 64  # places in a text that are tried as the start of JSON
_CODE_KEY = re.compile(
    r"(?:.*_)?(?:code|rust|source|solution|implementation|program)(?:_code|_file)?|.*\.rs",
    re.IGNORECASE,
)
_CALL = re.compile(
    r"<\|?(?:tool_call|function_call|tool_use|python_tag|tool_call_begin)\|?>|\[TOOL_CALLS\]"
    r"|<｜tool▁sep｜>|<\|channel\|>commentary|^[ \t]*to=\w[\w.]*",  # noqa: RUF001 - its own spelling
    re.MULTILINE,
)
_VALUE = re.compile(r"[{\[](?=\s*[\"{\[])")
_CALL_CHARS = 400  # between the mark of a call and its JSON
_PARAMETER = re.compile(
    r"<(?P<tag>parameter|arg|argument|invoke_arg)"
    r"(?:=(?P<name>[\w.-]{1,80})|\s[^<>\n]{0,200}?name=\"(?P<quoted>[^\"\n]{1,80})\"[^<>\n]{0,200})>"
)
_FILE = re.compile(r"<(?P<tag>file|artifact|rust|write_file)\b[^<>\n]{0,400}>(?=[ \t]*\n)")
_PRE = re.compile(
    r"<(?P<tag>pre|code)\b[^<>]{0,400}>(?:\s{0,80}<code\b[^<>]{0,400}>)?", re.IGNORECASE
)
_CODE_END = re.compile(r"\s*</code>\s*\Z", re.IGNORECASE)
_CDATA = re.compile(r"\s*<!\[CDATA\[(.*)\]\]>\s*", re.DOTALL)
_SPAN = re.compile(r"</?(?:span|b|i|em|strong|font)\b[^<>]*>", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:\w{2,8}|#\d{1,6}|#[xX][0-9a-fA-F]{1,6});")
_ANSWER = re.compile(
    r"\s*<(?P<tag>answer|output|response|final|final_answer|solution|result)>(?P<text>.*?)"
    r"(?:</(?P=tag)>\s*)?\Z"
    r"|.*?<\|(?:begin|start)_of_(?P<of>solution|answer)\|>(?P<inner>.*?)(?:<\|end_of_(?P=of)\|>.*)?\Z",
    re.DOTALL | re.IGNORECASE,
)
_ESCAPED = re.compile(r"\\(?:\"|\\)")
_IN_LINE = re.compile(
    r"""
      (?P<kept> b?"(?:[^"\\]|\\.)*+"? | b?'(?:\\[^\n]|\\u\{\w+\}|[^'\\])' )
    | \\(?P<mark>[nrt])
    """,
    re.VERBOSE,
)
_MARKS = {"n": "\n", "r": "\r", "t": "\t"}


Spans = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class WrappedText:
    """A text that a wrapper holds, with the name that it has there."""

    name: str
    text: str

    @property
    def is_named_code(self) -> bool:
        """Whether its name says that it is code."""
        return _CODE_KEY.fullmatch(self.name) is not None


def without_answer_tags(text: str) -> str:
    """Return what is between the tags that call the whole reply an answer."""
    match = _ANSWER.fullmatch(text)
    if match is None:
        return text
    return match["text"] if match["inner"] is None else match["inner"]


def unwrap(text: str, blocks: Sequence[FencedBlock], deadline: float) -> tuple[WrappedText, ...]:
    """Return the code that a reply holds in a wrapper, nothing when it is none or holds no Rust."""
    whole = _of_json(_json(text.strip()), deadline) or _of_lines(text, deadline)
    if whole or any(block.language is Language.RUST for block in blocks):
        return whole
    for block in blocks:
        if texts := _of_json(_json(block.code.strip()), deadline):
            return texts
    code = run_spans(text, deadline)
    return _of_calls(text, code, deadline) or _of_html(text, code)


def json_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the objects and lists of JSON in a text start and end."""
    decoder = json.JSONDecoder(strict=False)
    end = 0
    for value in islice(_VALUE.finditer(text), _MAX_VALUES):
        if value.start() < end:
            continue
        try:
            _, end = decoder.raw_decode(text, value.start())
        except (ValueError, RecursionError):
            continue
        yield value.start(), end


def is_one_line(text: str, deadline: float) -> bool:
    """Tell whether a reply is one line that was several, its line breaks escaped."""
    line = text.strip()
    if "\n" in line:
        return False
    return isinstance(_json(line), str) or unescaped(line, deadline) != line


def edits_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield the old and the new text of each edit that a call of an editing tool names."""
    for value in (_json(text.strip()), *_called(text)):
        for entry in _objects(value):
            old = _named(entry, "old")
            new = _named(entry, "new")
            if old and new is not None:
                yield old, new


def unescaped(text: str, deadline: float) -> str:
    """Return code whose line breaks were all written as escapes as it was meant.

    Any other text comes back as it is.
    """
    if "\\n" not in text or _is_rust(text, deadline):
        return text
    decoded = _decoded(text) if _ESCAPED.search(text) else None
    for undone in (decoded, _broken_up(text)):
        if undone is not None and _is_reply(undone, deadline):
            return undone
    return text


def _of_json(value: Any, deadline: float) -> tuple[WrappedText, ...]:
    texts = [held for held in _texts(value) if _is_held(held, deadline)][:_MAX_TEXTS]
    return tuple({held.text: held for held in texts}.values())


def _json(text: str) -> Any:
    """Return the value of a text that is JSON from end to end, None when it is none."""
    if text[:1] not in {"{", "[", '"'} or text[-1:] not in {"}", "]", '"'}:
        return None
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def _texts(value: Any, name: str = "") -> Iterator[WrappedText]:
    """Yield all texts in a JSON value, those in JSON within its strings too."""
    todo = [(name, value)]
    for _ in range(_MAX_TEXTS):
        if not todo:
            return
        key, inner = todo.pop()
        if isinstance(inner, str):
            within = _json(inner.strip()) if inner.lstrip()[:1] in {"{", "["} else None
            if within is None:
                yield WrappedText(key, inner)
            else:
                todo.append((key, within))
        elif isinstance(inner, dict):
            todo.extend(reversed([(str(word), part) for word, part in inner.items()]))
        elif isinstance(inner, list):
            todo.extend((key, part) for part in reversed(inner))


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    todo = [value]
    for _ in range(_MAX_TEXTS):
        if not todo:
            return
        inner = todo.pop(0)
        if isinstance(inner, str):
            todo.append(_json(inner.strip()))
        elif isinstance(inner, list):
            todo.extend(inner)
        elif isinstance(inner, dict):
            yield inner
            todo.extend(inner.values())


def _named(entry: dict[str, Any], age: str) -> str | None:
    """Return the text of an editing tool's argument: `old_str`, `new_string`, `old_text`."""
    names = (f"{age}_str", f"{age}_string", f"{age}_text", f"{age}_code", age)
    return next((entry[name] for name in names if isinstance(entry.get(name), str)), None)


def _is_held(held: WrappedText, deadline: float) -> bool:
    """Tell whether a text of a wrapper is code, or a reply that holds some."""
    return _is_reply(held.text, deadline) or (held.is_named_code and starts_code(held.text))


def _is_reply(text: str, deadline: float) -> bool:
    if _is_rust(text, deadline):
        return True
    blocks = [block for block in layout(text).blocks if block.language is not Language.OTHER]
    return any(_is_rust(block.code, deadline) for block in blocks)


def _is_rust(text: str, deadline: float) -> bool:
    if not starts_code(text):
        return False
    tree = parse_within(text.encode("utf-8", "replace"), deadline)
    if tree is None or not is_declarations(tree):
        return False
    return any(not child.type.endswith("_comment") for child in tree.root_node.named_children)


def _of_lines(text: str, deadline: float) -> tuple[WrappedText, ...]:
    """Return a reply that is one line with all its line breaks escaped."""
    line = text.strip()
    if "\n" in line:
        return ()
    undone = unescaped(line, deadline)
    return () if undone == line else (WrappedText("", undone),)


def _decoded(text: str) -> str | None:
    """Return a text in which quotes and backslashes are escaped as they are in JSON."""
    try:
        value = json.loads(f'"{text}"', strict=False)
    except ValueError:
        return None
    return value if isinstance(value, str) else None


def _broken_up(text: str) -> str:
    """Return a text with the line breaks that are written outside of its literals."""
    return _IN_LINE.sub(lambda match: match["kept"] or _MARKS[match["mark"]], text)


def _called(text: str, code: Spans = ()) -> Iterator[Any]:
    """Yield the JSON values behind the marks of tool calls."""
    decoder = json.JSONDecoder(strict=False)
    for call in islice(_CALL.finditer(text), _MAX_VALUES):
        start = _VALUE.search(text, call.end(), call.end() + _CALL_CHARS)
        if start is None or _is_within(call, code):
            continue
        try:
            yield decoder.raw_decode(text, start.start())[0]
        except (ValueError, RecursionError):
            continue


def _of_calls(text: str, code: Spans, deadline: float) -> tuple[WrappedText, ...]:
    for value in _called(text, code):
        if found := _of_json(value, deadline):
            return found
    texts = [
        WrappedText(mark["name"] or mark["quoted"] or "", _plain(inner))
        for mark, inner in _elements(_PARAMETER, text, code)
    ]
    texts += [WrappedText("", inner.strip("\n")) for _, inner in _elements(_FILE, text, code)]
    return tuple(held for held in texts if _is_held(held, deadline))


def _of_html(text: str, code: Spans) -> tuple[WrappedText, ...]:
    shown = (_CODE_END.sub("", inner) for _, inner in _elements(_PRE, text, code))
    texts = [WrappedText("", _unmarked(inner)) for inner in shown if "\n" in inner]
    return tuple(held for held in texts if starts_code(held.text))


def _elements(
    pattern: re.Pattern[str], text: str, code: Spans
) -> Iterator[tuple[re.Match[str], str]]:
    """Yield the tags that a pattern finds outside of code, each with what its element holds."""
    at = 0
    lower = text.lower() if len(text.lower()) == len(text) else text
    for _ in range(_MAX_TEXTS):
        mark = pattern.search(text, at)
        end = -1 if mark is None else lower.find(f"</{mark['tag'].lower()}>", mark.end())
        if mark is None or end < 0:
            return
        at = end
        if not _is_within(mark, code):
            yield mark, text[mark.end() : end]


def _is_within(mark: re.Match[str], code: Spans) -> bool:
    """Tell whether a mark is part of code that is in the reply verbatim."""
    return any(start < mark.start() < end for start, end in code)


def _unmarked(code: str) -> str:
    """Return code without the marks of a highlighter, and its entities undone if it has any."""
    plain = _SPAN.sub("", code)
    return _plain(plain if "<" in plain else _ENTITY.sub(_character, plain))


def _character(entity: re.Match[str]) -> str:
    return html.unescape(entity.group())


def _plain(text: str) -> str:
    """Return the text of an element without the line breaks that only lay it out."""
    match = _CDATA.fullmatch(text)
    return (text if match is None else match[1]).removeprefix("\n").rstrip()
