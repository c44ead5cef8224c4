"""The one loop that asks again; what to do after which trouble is decided in `policy`."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from forgetest.errors import Fault, FaultKind
from forgetest.transport.endpoint import Endpoint
from forgetest.transport.policy import Tries, Trouble, wait_before_next

T = TypeVar("T")

SHOWN = 300  # characters of a server's message that are worth a line


async def persist(endpoint: Endpoint, attempt: Callable[[], Awaitable[T | Trouble]]) -> T:
    """Return what an attempt brings, however often it takes; `Fault` when patience ends."""
    tries = Tries()
    while True:
        outcome = await attempt()
        if not isinstance(outcome, Trouble):
            return outcome
        tries = tries.after(outcome)
        wait = wait_before_next(outcome, tries, endpoint.policy, endpoint.pace.random)
        if wait is None:
            said = _shown(endpoint, outcome) + _patience(endpoint, outcome, tries)
            asks_too_long = outcome.shared and _asks_too_long(endpoint, outcome)
            if asks_too_long:
                endpoint.end(said)  # whoever else asks would be told the same
            raise Fault(FaultKind.PROVIDER, said, final=outcome.final or asks_too_long)
        if outcome.shared:
            endpoint.cool_down(wait)
        else:
            await endpoint.pace.sleep(wait)


def _shown(endpoint: Endpoint, trouble: Trouble) -> str:
    # hidden before it is cut, so that no part of a secret is left at the cut
    said = " ".join(endpoint.secrets.hide(trouble.message).split())
    return said[:SHOWN] + trouble.advice


def _patience(endpoint: Endpoint, trouble: Trouble, tries: Tries) -> str:
    if not trouble.passing:
        return ""
    if _asks_too_long(endpoint, trouble):
        return f" (asks to wait {trouble.asked_secs:.0f} s)"
    return f" (asked {tries.count} times)" if tries.count > 1 else ""


def _asks_too_long(endpoint: Endpoint, trouble: Trouble) -> bool:
    return (trouble.asked_secs or 0.0) > endpoint.policy.longest_asked_secs
