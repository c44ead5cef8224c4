"""Reading other people's JSON: whatever is missing or of the wrong type reads as absent."""

import math
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime

from forgetest.providers.contract import ModelInfo

SHOWN = 300  # characters of a server's message that are worth a line


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
    return found.encode(errors="replace").decode() if isinstance(found, str) else None


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
    facts = {
        key: _scalar(value) for key, value in entry.items() if key not in {name, "object", *retires}
    }
    extras = {key: value for key, value in facts.items() if value is not None}
    return ModelInfo(id=model, retires=next(filter(None, days), None), extras=extras)


def _scalar(value: object) -> str | int | float | None:
    if isinstance(value, str):
        return text(value)
    return value if isinstance(value, int | float) and math.isfinite(value) else None


def plain(body: object) -> str:
    """Return one line that shows a body which is no JSON object, such as a proxy's HTML page."""
    found = body if isinstance(body, str) else ""
    title = re.search(r"<title[^>]*>(.*?)</title>", found, re.IGNORECASE | re.DOTALL)
    shown = title.group(1) if title else re.sub(r"<[^>]*>", " ", found)
    return " ".join(shown.split())[:SHOWN] or "no message"
