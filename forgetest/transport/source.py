"""A model server as a source of completions."""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count

from forgetest.completion import Completion
from forgetest.errors import Fault
from forgetest.plan import ModelSpec
from forgetest.price import cost_of
from forgetest.providers.contract import Request
from forgetest.providers.sampling import Terms, dropped, renamed, renegotiated, resolve, to_call
from forgetest.source import Draw
from forgetest.transport.endpoint import Answer, Endpoint
from forgetest.transport.policy import Trouble
from forgetest.transport.reading import interpreted
from forgetest.transport.retry import persist


class HttpSource:
    """Give the completions of one model; every sample is a request of its own."""

    def __init__(self, model: ModelSpec, endpoint: Endpoint) -> None:
        self._model = model
        self._endpoint = endpoint
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
        async with self._endpoint.slots:
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
            await endpoint.cooled()
            if self._ended is not None:
                return Trouble("", advice=self._ended, final=True)
            terms = endpoint.terms(self._model.model)
            request = endpoint.protocol.build(to_call(endpoint.preset, draw, terms))
            left_out = dropped(resolve(endpoint.preset, draw.sampling), request, terms)
            if left_out and endpoint.strict_params:
                return Trouble(f"does not take {' or '.join(left_out)}; leave it out", final=True)
            number = next(numbers)
            answer = await endpoint.exchange(request)
            outcome = interpreted(
                endpoint, answer, endpoint.protocol.read, has_answered=self._has_answered
            )
            if isinstance(outcome, Completion) and isinstance(answer, Answer):
                notes = (*left_out, *renamed(endpoint.preset, terms))
                return self._finished(outcome, answer, attempts=number, notes=notes)
            if isinstance(outcome, Trouble) and not self._learned(terms, request, outcome):
                return outcome

    def _learned(self, used: Terms, request: Request, trouble: Trouble) -> bool:
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
