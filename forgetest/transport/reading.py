"""From what came back to a value or a judged trouble, told in words that help."""

from collections.abc import Callable
from dataclasses import replace
from http import HTTPStatus
from typing import TypeVar

from forgetest.providers.body import plain
from forgetest.providers.contract import ApiError, Preset, UnreadableError
from forgetest.transport.endpoint import Answer, Endpoint
from forgetest.transport.policy import Trouble, judge

T = TypeVar("T")


def interpreted(
    endpoint: Endpoint,
    answer: Answer | Trouble,
    read: Callable[[object], T | ApiError],
    *,
    has_answered: bool,
) -> T | Trouble:
    """Return what `read` finds in the answer, or why there is nothing to find."""
    if isinstance(answer, Trouble):
        return replace(answer, final=answer.final and not has_answered)
    found: T | ApiError
    if HTTPStatus(200) <= answer.status < HTTPStatus.MULTIPLE_CHOICES:
        try:
            found = read(answer.body)
        except UnreadableError as error:
            shown = plain(answer.body) if isinstance(answer.body, str) else str(error)
            told = f"unreadable reply: {shown}"
            return Trouble(told, passing=True, final=not has_answered)
    else:
        found = endpoint.protocol.read_error(answer.status, answer.body)
    if not isinstance(found, ApiError):
        return found
    now = endpoint.pace.wall()
    trouble = judge(found, answer.headers, now=now, has_answered=has_answered)
    code = f" {found.code}" if found.code else ""
    told = f"{found.status}{code}: {found.message}"
    return replace(trouble, message=told, advice=_advice(endpoint.preset, found))


def _advice(preset: Preset, error: ApiError) -> str:
    if error.status == HTTPStatus.UNAUTHORIZED:
        wanted = f"a valid key in {preset.key_env}" if preset.key_env else "a key; name its key_env"
        return f"; the server wants {wanted}"
    if error.spent or error.status == HTTPStatus.PAYMENT_REQUIRED:
        return "; the credit or quota is used up"
    if error.status == HTTPStatus.NOT_FOUND:
        return (
            f"; `forgetest list-models --provider {preset.name}` shows what {preset.base_url} has"
        )
    if error.status < HTTPStatus.BAD_REQUEST:
        return f"; {preset.base_url} leads elsewhere, correct base_url"
    return ""
