"""The one loop that asks again; what to do after which trouble is decided in `policy`."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from forgetest.errors import Fault, FaultKind
from forgetest.transport.endpoint import Endpoint
from forgetest.transport.policy import Tries, Trouble, wait_before_next

T = TypeVar("T")


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
            message = endpoint.secrets.hide(outcome.message) + _patience(outcome, tries, endpoint)
            raise Fault(FaultKind.PROVIDER, message, final=outcome.final)
        if outcome.shared:
            endpoint.cool_down(wait)
        else:
            await endpoint.pace.sleep(wait)


def _patience(trouble: Trouble, tries: Tries, endpoint: Endpoint) -> str:
    if trouble.passing and (trouble.asked_secs or 0.0) > endpoint.policy.longest_asked_secs:
        return f" (asks to wait {trouble.asked_secs:.0f} s)"
    return f" (asked {tries.count} times)" if tries.count > 1 else ""
