"""From what came back to a value or a judged trouble, told in words that help."""

from collections.abc import Callable
from dataclasses import replace
from http import HTTPStatus
from typing import TypeVar
from urllib.parse import urljoin, urlsplit, urlunsplit

from forgetest.completion import Completion
from forgetest.providers.body import plain
from forgetest.providers.contract import ApiError, Preset, UnreadableError
from forgetest.providers.refusal import is_about_limit
from forgetest.transport.endpoint import Answer, Endpoint
from forgetest.transport.policy import Trouble, judge

T = TypeVar("T")

LONGEST_WORD = 100
WITHOUT_BODY = frozenset({HTTPStatus.NO_CONTENT, HTTPStatus.RESET_CONTENT, HTTPStatus.ACCEPTED})


def interpreted(
    endpoint: Endpoint,
    answer: Answer | Trouble,
    read: Callable[[object], T | ApiError],
    *,
    has_answered: bool,
) -> T | Trouble:
    """Return what `read` finds in the answer, or why there is nothing to find."""
    if isinstance(answer, Trouble):
        return replace(answer, final=answer.final and not (answer.silent and has_answered))
    found: T | ApiError
    if answer.status in WITHOUT_BODY and not answer.body:
        told = f"{answer.status}: a reply without content, where a completion should be"
        advice = f"; is {endpoint.preset.base_url} a model server?"
        return Trouble(told, advice, passing=has_answered, final=not has_answered)
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
    told = f"{found.status}{code}: {_words(found, answer, endpoint.preset)}"
    return replace(trouble, message=told, advice=_advice(endpoint.preset, found))


def ended_by_prompt(endpoint: Endpoint, trouble: Trouble) -> Completion | None:
    """Return the completion that an error about the prompt amounts to, None for other trouble."""
    error = trouble.error
    if error is None or error.finish is None:
        return None
    word = endpoint.secrets.hide(error.code or error.message)[:LONGEST_WORD]
    return Completion(text="", finish=error.finish, native_finish=word)


def _words(error: ApiError, answer: Answer, preset: Preset) -> str:
    """Return what the error says; of a redirection only the place, which may hold no secrets."""
    location = answer.headers.get("location")
    if error.status >= HTTPStatus.BAD_REQUEST or not location:
        return error.message
    try:
        place = urlsplit(urljoin(preset.base_url, location))
        host = place.netloc.rpartition("@")[2]
    except ValueError:
        return error.message
    return f"redirects to {urlunsplit((place.scheme, host, place.path, '', ''))}"


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
        return f"; {preset.base_url} is not the place, correct base_url"
    if is_about_limit(error.message) and error.about_prompt:
        return "; the prompt fits, but not with such a token limit: lower --max-tokens"
    return ""
