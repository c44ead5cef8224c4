"""A plugin's source: stopped and counted like any other, and its failures are faults by name."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest
from draws import draw

from forgetest.errors import ConfigError, Fault, FaultKind
from forgetest.sampling.added import PluginSource, open_plugin
from forgetest.sampling.completion import Completion, Cost, Draw
from forgetest.sampling.halt import Halt
from forgetest.sampling.plan import ModelSpec

MODEL = ModelSpec(provider="plug", model="m")


@dataclass
class Scripted:
    """A source that does what each call is told to."""

    answer: Callable[[], Any]
    concurrency: int = 0
    calls: int = 0

    async def complete(self, drawn: Draw) -> Completion:
        """Return whatever the script returns."""
        assert drawn
        self.calls += 1
        answer: Completion = self.answer()
        return answer


def asked(source: Scripted, halt: Halt, times: int = 1) -> list[Completion | Fault]:
    added = PluginSource(MODEL, source, halt)

    async def all_of_them() -> list[Completion | Fault]:
        outcomes: list[Completion | Fault] = []
        for _ in range(times):
            try:
                outcomes.append(await added.complete(draw()))
            except Fault as fault:
                outcomes.append(fault)
        return outcomes

    return asyncio.run(all_of_them())


def test_what_it_costs_counts_against_the_limit() -> None:
    paid = Completion(text="x", cost=Cost(usd=Decimal(1), source="provider"))
    source = Scripted(lambda: paid)

    first, second = asked(source, Halt(max_cost_usd=Decimal(1)), times=2)

    assert first == paid
    assert isinstance(second, Fault)
    assert second.kind is FaultKind.STOPPED
    assert source.calls == 1


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (lambda: {}["x"], "plug/m: its plugin failed: KeyError: 'x'"),
        (lambda: "text", "plug/m: its plugin failed: TypeError: it returned a str, not a Comp"),
    ],
)
def test_a_plugins_own_failure_is_a_fault_of_the_provider(
    answer: Callable[[], Any], why: str
) -> None:
    (outcome,) = asked(Scripted(answer), Halt())

    assert isinstance(outcome, Fault)
    assert outcome.kind is FaultKind.PROVIDER
    assert outcome.message.startswith(why)


def test_after_a_final_fault_it_is_not_asked_again() -> None:
    def gone() -> Any:
        raise Fault(FaultKind.PROVIDER, "the key is wrong", final=True)

    source = Scripted(gone)

    assert len(asked(source, Halt(), times=3)) == 3
    assert source.calls == 1


def test_a_factory_that_fails_is_one_clear_error() -> None:
    with pytest.raises(ConfigError, match="no such model"):
        open_plugin(_refusing, MODEL, {})
    with pytest.raises(Exception, match=r"plugin plug/m failed: TypeError: it opened a int, not"):
        open_plugin(lambda _model, _environ: 42, MODEL, {})  # type: ignore[arg-type,return-value]


def _refusing(model: str, _environ: object) -> Scripted:
    raise ConfigError(f"no such model: {model}")
