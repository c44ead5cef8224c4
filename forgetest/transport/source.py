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
from forgetest.transport.reading import ended_by_prompt, interpreted
from forgetest.transport.retry import persist


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

    async def _asked(self, request: Request, terms: Terms) -> Answer | Trouble | None:
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

    async def _sent(self, request: Request) -> Answer | Trouble:
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
