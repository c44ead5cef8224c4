"""Which trouble passes, which is final, and how long to wait: decisions without waiting.

The rules follow what the vendors' own clients do, except that a spent quota is told from a rate
limit: both are 429, but only one of them passes. Clocks, sleep and chance are parameters (`Pace`).
"""

import asyncio
import math
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from http import HTTPStatus

from forgetest.sampling.providers.contract import ApiError


@dataclass(frozen=True, slots=True)
class Pace:
    """Clocks in seconds, a way to sleep, and numbers from 0 to 1."""

    wall: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    random: Callable[[], float] = random.random


PASSING = frozenset({408, 409, 425, 429})
OVERLOADED = frozenset({429, 529})
ALWAYS_FINAL = frozenset({401, 402, 404})


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How patient to be with one draw."""

    attempts: int = 5
    first_backoff_secs: float = 0.5
    longest_backoff_secs: float = 30.0
    longest_asked_secs: float = 120.0
    timeouts: int = 1  # asked again after, since the tokens may have been billed
    silent: int = 3  # requests in a row without any answer: then one at a time
    timed_out_probes: int = 2  # of these in a row are enough to give a server up,
    longest_silence_secs: float = 300.0  # or this, where probes fail at once, as in a restart

    def backoff(self, count: int) -> float:
        """Return the longest wait in seconds after so many failures, from 1 on."""
        return min(self.longest_backoff_secs, self.first_backoff_secs * 2.0 ** (count - 1))


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a request brought no completion, and what follows from it."""

    message: str  # the server's own; may hold secrets until `with_retries` hides them
    hint: str = ""  # what the user can do, appended to the message
    passing: bool = False  # the same request may succeed later
    final: bool = False  # once patience has ended, no other request for this model will succeed
    timed_out: bool = False
    silent: bool = False  # the server has not answered at all
    shared: bool = False  # all requests to this endpoint should wait
    asked_secs: float | None = None  # the wait that the server asks for
    error: ApiError | None = None


@dataclass(frozen=True, slots=True)
class Wait:
    """For how long no request is sent to a provider, and what it answered."""

    provider: str
    why: str  # a status such as 429
    secs: float


@dataclass(frozen=True, slots=True)
class Tries:
    """What one draw has been through."""

    count: int = 0
    timeouts: int = 0

    def after(self, trouble: Trouble) -> "Tries":
        """Return the tries with one more."""
        return Tries(self.count + 1, self.timeouts + trouble.timed_out)


@dataclass(frozen=True, slots=True)
class Silence:
    """Requests in a row without any answer, and since when, by the monotonic clock."""

    count: int = 0
    since: float = 0.0
    probes: int = 0
    timed_out_probes: int = 0

    def longer(self, now: float, *, probe: bool, timed_out: bool) -> "Silence":
        """Return the silence with one more request."""
        return Silence(
            count=self.count + 1,
            since=self.since if self.count else now,
            probes=self.probes + probe,
            timed_out_probes=self.timed_out_probes + timed_out,
        )

    def is_final(self, now: float, policy: RetryPolicy) -> bool:
        """Return whether the server is given up."""
        is_long = now - self.since >= policy.longest_silence_secs
        return self.timed_out_probes >= policy.timed_out_probes or (self.probes > 1 and is_long)


def trouble_of(
    error: ApiError, headers: Mapping[str, str], *, now: float, has_answered: bool
) -> Trouble:
    """Return what a provider's error means; `now` is Unix time, header names are lower case.

    A model that has answered before is not at fault as a whole when it rejects one request.
    """
    asked_secs = longest(asked_wait(headers, now), error.retry_secs)
    passing = _passes(error, headers, asked_secs)
    rejected = not has_answered and not error.about_prompt
    gone = error.spent or error.status in ALWAYS_FINAL or error.status < HTTPStatus.BAD_REQUEST
    return Trouble(
        message=error.message,
        passing=passing,
        final=not passing and (gone or (rejected and is_clients_doing(error.status))),
        shared=passing and (error.status in OVERLOADED or asked_secs is not None),
        asked_secs=asked_secs,
        error=error,
    )


def is_clients_doing(status: int) -> bool:
    """Return whether a status blames the request, so that waiting does not help."""
    client_error = HTTPStatus.BAD_REQUEST <= status < HTTPStatus.INTERNAL_SERVER_ERROR
    too_large = status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    return client_error and not too_large and status not in PASSING


def _passes(error: ApiError, headers: Mapping[str, str], asked_secs: float | None) -> bool:
    should_retry = headers.get("x-should-retry")
    if error.spent or should_retry == "false":
        return False
    # OpenRouter: 402 with a wait means that requests under way hold the budget
    waits_for_budget = error.status == HTTPStatus.PAYMENT_REQUIRED and asked_secs is not None
    server_error = error.status >= HTTPStatus.INTERNAL_SERVER_ERROR
    return should_retry == "true" or waits_for_budget or server_error or error.status in PASSING


def wait_before_next(
    trouble: Trouble, tries: Tries, policy: RetryPolicy, random: Callable[[], float]
) -> float | None:
    """Return the seconds to wait before asking again, or None to give up.

    Full jitter: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
    """
    asked_secs = trouble.asked_secs or 0.0
    given_up = (
        not trouble.passing
        or tries.count >= policy.attempts
        or tries.timeouts > policy.timeouts
        or asked_secs > policy.longest_asked_secs
    )
    if given_up:
        return None
    return max(asked_secs, random() * policy.backoff(tries.count))


def asked_wait(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds that the headers ask to wait, or None if they ask for nothing."""
    millis = _number(headers.get("retry-after-ms"))
    stated = headers.get("retry-after", "")
    secs = _number(stated)
    if secs is None and (until := _moment(stated)) is not None:
        # by the server's own clock where it tells the time, since ours may differ
        secs = max(0.0, until - (_moment(headers.get("date", "")) or now))
    return longest(None if millis is None else millis / 1000, secs)


def longest(*waits: float | None) -> float | None:
    """Return the longest of the waits that are known, or None."""
    known = [wait for wait in waits if wait is not None]
    return max(known) if known else None


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _moment(text: str) -> float | None:
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
