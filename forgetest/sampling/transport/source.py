"""From what came back to a value or a judged trouble, told in words that help.

The one loop that asks again; what to do after which trouble is decided in `policy`.

A model server as a source of completions.

What a model server says it serves.
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
from forgetest.sampling.plan import ModelSpec
from forgetest.sampling.price import cost_of
from forgetest.sampling.providers.contract import (
    ApiError,
    HttpRequest,
    ModelInfo,
    ModelPage,
    UnreadableError,
    is_about_limit,
    plain,
)
from forgetest.sampling.providers.presets import Preset
from forgetest.sampling.providers.sampling import (
    Terms,
    dropped,
    renamed,
    renegotiated,
    resolve,
    to_call,
)
from forgetest.sampling.transport.endpoint import Answer, Endpoint
from forgetest.sampling.transport.policy import Tries, Trouble, judge, wait_before_next

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


class HttpSource:
    """Give the completions of one model; every sample is a request of its own."""

    def __init__(self, model: ModelSpec, endpoint: Endpoint) -> None:
        self._model = model
        self._endpoint = endpoint
        self._circuit = endpoint.circuit_of(str(model))
        self._has_answered = False
        self._ended: str | None = None  # why nothing is asked any more

    @property
    def concurrency(self) -> int:
        """How many draws may be under way at once, over all models of the endpoint."""
        return self._endpoint.concurrency

    async def complete(self, draw: Draw) -> Completion:
        """Return the completion; raise `Fault` when the machinery fails, final or not.

        After a final fault nothing is asked any more: every later draw gets the same fault.
        """
        numbers = count(1)
        try:
            return await persist(self._endpoint, lambda: self._attempt(draw, numbers))
        except Fault as fault:
            if fault.final:
                self._ended = self._ended or fault.message
            told = f"{self._model}: {fault.message}"
            raise Fault(fault.kind, told, final=fault.final) from None

    async def _attempt(self, draw: Draw, numbers: Iterator[int]) -> Completion | Trouble:
        endpoint = self._endpoint
        while True:
            terms = endpoint.terms(self._model.model)
            request = endpoint.protocol.build(to_call(endpoint.preset, draw, terms))
            left_out = dropped(resolve(endpoint.preset, draw.sampling), request, terms)
            if left_out and endpoint.strict_params:
                return Trouble(f"does not take {' or '.join(left_out)}; leave it out", final=True)
            answer = await self._asked(request, terms)
            if answer is None:
                continue  # another draw has learned better terms meanwhile
            number = next(numbers)
            outcome = interpreted(
                endpoint, answer, endpoint.protocol.read, has_answered=self._has_answered
            )
            if isinstance(answer, Answer) and isinstance(outcome, Trouble):
                outcome = ended_by_prompt(endpoint, outcome) or outcome
            if isinstance(outcome, Completion) and isinstance(answer, Answer):
                notes = (*left_out, *renamed(endpoint.preset, terms))
                return self._finished(outcome, answer, attempts=number, notes=notes)
            if isinstance(outcome, Trouble) and not self._learned(terms, request, outcome):
                return outcome

    async def _asked(self, request: HttpRequest, terms: Terms) -> Answer | Trouble | None:
        """Return what one request brings, sent when it may be; None when its terms are old."""
        endpoint, circuits = self._endpoint, (self._endpoint.circuit, self._circuit)
        while True:
            for circuit in circuits:
                await circuit.passable()
            async with endpoint.slots.one(self._model.model):
                await endpoint.cooled()
                if (reason := self._why_ended()) is not None:
                    return Trouble("", advice=reason, final=True)
                if endpoint.terms(self._model.model) != terms:
                    return None
                if all(circuit.admits() for circuit in circuits):
                    return await self._sent(request)

    def _why_ended(self) -> str | None:
        circuits = (self._endpoint.circuit, self._circuit)
        reasons = (self._ended, self._endpoint.ended, *(circuit.ended for circuit in circuits))
        return next((reason for reason in reasons if reason is not None), None)

    async def _sent(self, request: HttpRequest) -> Answer | Trouble:
        """Return what a request brings, and let the circuits know of it."""
        provider, model = self._endpoint.circuit, self._circuit
        passages = {circuit: circuit.enter() for circuit in (provider, model)}
        answer: Answer | Trouble | None = None
        try:
            answer = await self._endpoint.exchange(request)
        finally:
            for circuit, passage in passages.items():
                if answer is None:  # cancelled
                    circuit.withdraw(passage)
                elif isinstance(answer, Trouble) and answer.silent:
                    # one line is enough where a whole provider is silent
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
        self, completion: Completion, answer: Answer, *, attempts: int, notes: tuple[str, ...]
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


MOST_PAGES = 100  # a server that never says "no more" is not followed for ever


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
        return interpreted(endpoint, answer, endpoint.protocol.read_models, has_answered=False)

    return await persist(endpoint, attempt)
