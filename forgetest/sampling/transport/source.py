"""A model server as a source of completions, and the list of its models.

Read from the top: `HttpSource` draws one completion, `with_retries` is the one loop that asks
again, `interpret` turns an answer into a value or a `Trouble` with a message that helps. What to do
about which trouble is decided in `policy`.
"""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from http import HTTPStatus
from itertools import count
from typing import TypeVar
from urllib.parse import urljoin, urlsplit, urlunsplit

from forgetest.errors import Fault, FaultKind
from forgetest.sampling.completion import Completion, Draw
from forgetest.sampling.halt import Halt
from forgetest.sampling.plan import ModelSpec
from forgetest.sampling.price import cost_of
from forgetest.sampling.providers.contract import (
    ApiError,
    HttpRequest,
    ModelInfo,
    ModelPage,
    UnreadableError,
    is_about_limit,
    page_summary,
)
from forgetest.sampling.providers.presets import Preset
from forgetest.sampling.providers.sampling import (
    Terms,
    answered_in_words,
    dropped,
    renamed,
    renegotiated,
    resolve,
    to_call,
)
from forgetest.sampling.transport.admission import Slot
from forgetest.sampling.transport.endpoint import Endpoint, HttpAnswer
from forgetest.sampling.transport.policy import Tries, Trouble, trouble_of, wait_before_next

T = TypeVar("T")

MOST_PAGES = 100  # a server that never ends its list is not followed for ever
MESSAGE_SHOWN = 300  # characters of a server's message that are worth a line
NATIVE_FINISH_KEPT = 100  # characters
WITHOUT_BODY = frozenset({HTTPStatus.NO_CONTENT, HTTPStatus.RESET_CONTENT, HTTPStatus.ACCEPTED})


class HttpSource:
    """A model on a server as a source of completions; every sample is a request of its own."""

    def __init__(self, model: ModelSpec, endpoint: Endpoint, halt: Halt | None = None) -> None:
        self._model = model
        self._endpoint = endpoint
        self._halt = halt or Halt()
        self._is_free = endpoint.preset.local and model.model not in endpoint.preset.prices
        self._circuit = endpoint.circuit_of(str(model))
        self._has_answered = False
        self._ended: str | None = None  # why no more requests are sent

    @property
    def concurrency(self) -> int:
        """How many draws may be under way at once, over all models of the endpoint, at most."""
        return self._endpoint.concurrency

    async def complete(self, draw: Draw) -> Completion:
        """Return the completion; raise `Fault` when there is none.

        After a final fault no more requests are sent: every later draw gets the same fault.
        """
        attempt_numbers = count(1)
        try:
            return await with_retries(self._endpoint, lambda: self._attempt(draw, attempt_numbers))
        except Fault as fault:
            if fault.kind is FaultKind.STOPPED:
                raise
            if fault.final:
                self._ended = self._ended or fault.message
            message = f"{self._model}: {fault.message}"
            raise Fault(fault.kind, message, final=fault.final) from None

    async def _attempt(self, draw: Draw, attempt_numbers: Iterator[int]) -> Completion | Trouble:
        endpoint = self._endpoint
        while True:
            terms = endpoint.terms(self._model.model)
            request = endpoint.protocol.build(to_call(endpoint.preset, draw, terms))
            left_out = dropped(resolve(endpoint.preset, draw.sampling), request, terms)
            if left_out and endpoint.strict_params:
                refused = " or ".join(left_out)
                hint = "; remove it, or run without --strict-params"
                return Trouble(f"does not accept {refused}", hint, final=True)
            sent = await self._send_in_turn(request, terms)
            if sent is None:
                continue  # another draw has learned other terms meanwhile
            answer, slot = sent
            attempt = next(attempt_numbers)
            outcome = interpret(
                endpoint, answer, endpoint.protocol.read, has_answered=self._has_answered
            )
            if isinstance(answer, HttpAnswer) and isinstance(outcome, Trouble):
                outcome = ended_by_prompt(endpoint, outcome) or outcome
            self._heed(slot, outcome)
            if isinstance(outcome, Completion) and isinstance(answer, HttpAnswer):
                in_words = answered_in_words(request, outcome)
                notes = (*left_out, *renamed(endpoint.preset, terms), *in_words)
                return self._finished(outcome, answer, attempts=attempt, notes=notes)
            if isinstance(outcome, Trouble) and not self._learned(terms, request, outcome):
                return self._given_up(outcome)

    def _heed(self, slot: Slot, outcome: Completion | Trouble) -> None:
        """Let what a request brought move the number of requests that are sent at once."""
        if isinstance(outcome, Completion):
            self._endpoint.slots.answered(slot)
        elif outcome.shared and not _asks_too_long(self._endpoint, outcome):
            self._endpoint.refused(slot, outcome)

    def _given_up(self, trouble: Trouble) -> Trouble:
        """Return a trouble that is not tried again where --fail-fast waits for no silent server."""
        hopeless = trouble.silent and self._halt.fail_fast and self._endpoint.circuit.is_open
        return replace(trouble, passing=False) if hopeless else trouble

    async def _send_in_turn(
        self, request: HttpRequest, terms: Terms
    ) -> tuple[HttpAnswer | Trouble, Slot] | None:
        """Send a request when it may be, and return its answer; None if its terms are outdated."""
        endpoint, circuits = self._endpoint, (self._endpoint.circuit, self._circuit)
        while True:
            for circuit in circuits:
                await circuit.passable()
            async with endpoint.slots.held_by(self._model.model) as slot:
                await endpoint.cooled()
                self._halt.demand_ask(free=self._is_free)
                if (reason := self._why_ended()) is not None:
                    return Trouble("", hint=reason, final=True), slot
                if endpoint.terms(self._model.model) != terms:
                    return None
                if all(circuit.admits() for circuit in circuits):
                    return await self._send(request), slot

    def _why_ended(self) -> str | None:
        circuits = (self._endpoint.circuit, self._circuit)
        reasons = (self._ended, self._endpoint.ended, *(circuit.ended for circuit in circuits))
        return next((reason for reason in reasons if reason is not None), None)

    async def _send(self, request: HttpRequest) -> HttpAnswer | Trouble:
        """Send a request, and tell both circuits whether the server answered."""
        provider, model = self._endpoint.circuit, self._circuit
        passages = {circuit: circuit.enter() for circuit in (provider, model)}
        answer: HttpAnswer | Trouble | None = None
        try:
            answer = await self._endpoint.exchange(request)
        finally:
            for circuit, passage in passages.items():
                if answer is None:  # cancelled
                    circuit.withdraw(passage)
                elif isinstance(answer, Trouble) and answer.silent:
                    # one line is enough when the whole provider is silent
                    quiet = circuit is model and (provider.is_open or provider.ended is not None)
                    circuit.unanswered(
                        passage, timed_out=answer.timed_out, why=answer.message, quiet=quiet
                    )
                else:
                    circuit.answered(passage)
        return answer

    def _learned(self, used: Terms, request: HttpRequest, trouble: Trouble) -> bool:
        terms = trouble.error and renegotiated(used, request, trouble.error)
        if terms and self._endpoint.terms(self._model.model) == used:
            self._endpoint.learn(self._model.model, terms)  # else another draw already has
        return bool(terms)

    def _finished(
        self, completion: Completion, answer: HttpAnswer, *, attempts: int, notes: tuple[str, ...]
    ) -> Completion:
        self._has_answered = True
        pace, preset = self._endpoint.pace, self._endpoint.preset
        headers = answer.headers
        cost = cost_of(
            completion.usage,
            self._model.model,
            preset,
            charged=completion.cost,
            at=datetime.fromtimestamp(pace.wall(), UTC),
        )
        self._halt.spend(cost)
        request_id = headers.get("x-request-id") or headers.get("request-id")
        return completion.model_copy(
            update={
                "cost": cost,
                "latency_secs": answer.secs,
                "attempts": attempts,
                "request_id": request_id or completion.request_id,
                "dropped_params": notes,
            }
        )


async def fetch_models(endpoint: Endpoint) -> list[ModelInfo]:
    """Return every model the server lists, in its order; raise `Fault` if it cannot be asked."""
    models: list[ModelInfo] = []
    after = None
    for _ in range(MOST_PAGES):
        page = await _page(endpoint, after)
        models.extend(page.models)
        if page.after in {None, after}:
            break
        after = page.after
    return models


async def _page(endpoint: Endpoint, after: str | None) -> ModelPage:
    async def attempt() -> ModelPage | Trouble:
        await endpoint.cooled()
        answer = await endpoint.exchange(endpoint.protocol.list_request(after))
        return interpret(endpoint, answer, endpoint.protocol.read_models, has_answered=False)

    return await with_retries(endpoint, attempt)


async def with_retries(endpoint: Endpoint, attempt: Callable[[], Awaitable[T | Trouble]]) -> T:
    """Return what an attempt brings, after as many as the policy allows; `Fault` when none does."""
    tries = Tries()
    while True:
        outcome = await attempt()
        if not isinstance(outcome, Trouble):
            return outcome
        tries = tries.after(outcome)
        wait = wait_before_next(outcome, tries, endpoint.policy, endpoint.pace.random)
        if wait is None:
            message = _shown(endpoint, outcome) + _why_given_up(endpoint, outcome, tries)
            asks_too_long = outcome.shared and _asks_too_long(endpoint, outcome)
            if asks_too_long:
                endpoint.end(message)  # every other request would get the same answer
            raise Fault(FaultKind.PROVIDER, message, final=outcome.final or asks_too_long)
        if outcome.shared:
            status = outcome.error.status if outcome.error else ""
            endpoint.cool_down(wait, str(status))
        else:
            await endpoint.pace.sleep(wait)


def _shown(endpoint: Endpoint, trouble: Trouble) -> str:
    # hidden before it is cut, so that no part of a secret is left at the cut
    message = " ".join(endpoint.secrets.hide(trouble.message).split())
    return message[:MESSAGE_SHOWN] + trouble.hint


def _why_given_up(endpoint: Endpoint, trouble: Trouble, tries: Tries) -> str:
    if not trouble.passing:
        return ""
    if _asks_too_long(endpoint, trouble):
        return f" (the server asks to wait {trouble.asked_secs:.0f} s)"
    return f" (gave up after {tries.count} attempts)" if tries.count > 1 else ""


def _asks_too_long(endpoint: Endpoint, trouble: Trouble) -> bool:
    return (trouble.asked_secs or 0.0) > endpoint.policy.longest_asked_secs


def interpret(
    endpoint: Endpoint,
    answer: HttpAnswer | Trouble,
    read: Callable[[object], T | ApiError],
    *,
    has_answered: bool,
) -> T | Trouble:
    """Return what `read` finds in the answer, or why there is nothing to find."""
    if isinstance(answer, Trouble):
        return replace(answer, final=answer.final and not (answer.silent and has_answered))
    if answer.status in WITHOUT_BODY and not answer.body:
        message = f"{answer.status}: empty reply instead of a completion"
        hint = f"; is {endpoint.preset.base_url} a model server?"
        return Trouble(message, hint, passing=has_answered, final=not has_answered)
    value: T | ApiError
    if HTTPStatus(200) <= answer.status < HTTPStatus.MULTIPLE_CHOICES:
        try:
            value = read(answer.body)
        except UnreadableError as error:
            shown = page_summary(answer.body) if isinstance(answer.body, str) else str(error)
            return Trouble(f"unreadable reply: {shown}", passing=True, final=not has_answered)
    else:
        value = endpoint.protocol.read_error(answer.status, answer.body)
    if isinstance(value, ApiError):
        return _explained(endpoint, answer, value, has_answered=has_answered)
    return value


def _explained(
    endpoint: Endpoint, answer: HttpAnswer, error: ApiError, *, has_answered: bool
) -> Trouble:
    now = endpoint.pace.wall()
    trouble = trouble_of(error, answer.headers, now=now, has_answered=has_answered)
    code = f" {error.code}" if error.code else ""
    message = f"{error.status}{code}: {_message(error, answer, endpoint.preset)}"
    return replace(trouble, message=message, hint=_hint(endpoint.preset, error))


def ended_by_prompt(endpoint: Endpoint, trouble: Trouble) -> Completion | None:
    """Return the completion that an error about the prompt amounts to, None for other trouble."""
    error = trouble.error
    if error is None or error.finish is None:
        return None
    native_finish = endpoint.secrets.hide(error.code or error.message)[:NATIVE_FINISH_KEPT]
    return Completion(text="", finish=error.finish, native_finish=native_finish)


def _message(error: ApiError, answer: HttpAnswer, preset: Preset) -> str:
    """Return the error's message; for a redirect only its target, without what may be secret."""
    location = answer.headers.get("location")
    if error.status >= HTTPStatus.BAD_REQUEST or not location:
        return error.message
    try:
        target = urlsplit(urljoin(preset.base_url, location))
        host = target.netloc.rpartition("@")[2]
    except ValueError:
        return error.message
    return f"redirects to {urlunsplit((target.scheme, host, target.path, '', ''))}"


def _hint(preset: Preset, error: ApiError) -> str:
    if error.status == HTTPStatus.UNAUTHORIZED:
        missing = "the server requires a key: name its variable in api_key_env"
        return f"; set {preset.key_env} to a valid key" if preset.key_env else f"; {missing}"
    if error.spent or error.status == HTTPStatus.PAYMENT_REQUIRED:
        return "; the credit or quota is used up"
    if error.status == HTTPStatus.NOT_FOUND:
        return f"; `forgetest list-models --provider {preset.name}` lists its models"
    if error.status < HTTPStatus.BAD_REQUEST:
        return f"; change base_url, which is {preset.base_url}"
    if is_about_limit(error.message) and error.about_prompt:
        return "; the prompt fits the context, the token limit does not: lower --max-tokens"
    return ""
