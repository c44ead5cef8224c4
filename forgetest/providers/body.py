"""Reading other people's JSON: whatever is missing or of the wrong type reads as absent."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime

from forgetest.providers.contract import ModelInfo

LOOKED_AT = 100_000  # characters of a page that is no JSON


def dig(body: object, *path: str | int) -> object:
    """Return what stands at the path of keys and positions, or None."""
    for step in path:
        if isinstance(step, str) and isinstance(body, Mapping):
            body = body.get(step)
        elif isinstance(step, int) and isinstance(body, list) and -len(body) <= step < len(body):
            body = body[step]
        else:
            return None
    return body


def text(body: object, *path: str | int) -> str | None:
    """Return the string at the path, or None; lone surrogates, which no file takes, become `?`."""
    found = dig(body, *path)
    return _writable(found) if isinstance(found, str) else None


def _writable(found: str) -> str:
    return found.encode(errors="replace").decode()


def count(body: object, *path: str | int) -> int | None:
    """Return the number of tokens at the path, or None if there is no such whole number."""
    found = dig(body, *path)
    if isinstance(found, int) and not isinstance(found, bool) and found >= 0:
        return found
    return None


def items(body: object, *path: str | int) -> list[object]:
    """Return the list at the path, or an empty one."""
    found = dig(body, *path)
    return found if isinstance(found, list) else []


def joined(parts: Iterable[object], *kinds: str) -> str:
    """Return the `text` of all parts whose `type` is one of the kinds, in order."""
    return "".join(text(part, "text") or "" for part in parts if text(part, "type") in kinds)


def day(value: object) -> date | None:
    """Return the day of an ISO date or a Unix time, or None."""
    try:
        if isinstance(value, str):
            return date.fromisoformat(value[:10])
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            return datetime.fromtimestamp(value, UTC).date()
    except (ValueError, OverflowError, OSError):
        return None
    return None


def model_info(entry: object, *, name: str, retires: tuple[str, ...] = ()) -> ModelInfo | None:
    """Return the model of a list entry, its id under `name`; None if it has none."""
    model = text(entry, name)
    if not model or not isinstance(entry, Mapping):
        return None
    days = (day(entry.get(field)) for field in retires)
    known = {name, "object", *retires}
    extras = {key: fact for key, fact in _facts(entry) if key not in known}
    return ModelInfo(id=model, retires=next(filter(None, days), None), extras=extras)


def _facts(entry: Mapping[str, object], above: str = "") -> Iterator[tuple[str, str | float]]:
    for key, value in entry.items():
        name = above + _writable(key)
        if isinstance(value, Mapping) and not above:
            yield from _facts(value, f"{name}.")
        elif isinstance(value, str):
            yield name, _writable(value)
        elif isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
            yield name, value


def plain(body: object) -> str:
    """Return one line that shows a body which is no JSON object, such as a proxy's HTML page."""
    found = body[:LOOKED_AT] if isinstance(body, str) else ""
    title = re.search(r"<title[^>]*>(.*?)</title>", found, re.IGNORECASE | re.DOTALL)
    shown = title.group(1) if title else re.sub(r"<[^>]*>", " ", found)
    return " ".join(shown.split()) or "no message"
