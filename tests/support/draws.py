"""Draws, a clock and ways to ask, for tests of what asks model servers."""

import asyncio
from typing import Any

from fake_llm import FakeLLM

from forgetest.errors import Fault, FaultKind
from forgetest.evalset.types import Case
from forgetest.sampling.completion import Completion, Draw, Prompt
from forgetest.sampling.plan import ModelSpec, Sample, Sampling
from forgetest.sampling.providers.contract import Call
from forgetest.sampling.providers.presets import PRESETS, Preset, ProtocolName
from forgetest.sampling.transport import Endpoint, HttpSource, Pace

PROMPT = Prompt(system="Answer in Rust.", user="Write is_even.")


def draw(model: str = "tiny", *, prompt: Prompt = PROMPT, index: int = 0, **sampling: Any) -> Draw:
    """Return a draw for a model, with what the sampling says."""
    spec = ModelSpec(provider="fake", model=model)
    return Draw(
        sample=Sample(model=spec, eval_set="set", case="is-even", index=index),
        case=Case(id="is-even", eval_set="set", name="is_even", prompt=prompt.user),
        prompt=prompt,
        sampling=Sampling(**sampling),
    )


def call(
    preset: str | Preset, *, model: str = "tiny", prompt: Prompt = PROMPT, **sampling: Any
) -> Call:
    """Return a call that sends just what the sampling says."""
    chosen = PRESETS[preset] if isinstance(preset, str) else preset
    return Call(
        model=model,
        prompt=prompt,
        sampling=Sampling(**sampling),
        max_tokens=chosen.max_tokens,
        limit_field=chosen.limit_field,
        seed_field=chosen.seed_field,
        reasoning_field=chosen.reasoning_field,
        extra_body=chosen.extra_body,
    )


class Clock:
    """Time that passes only by sleeping; every jitter is as long as it may be."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    async def sleep(self, secs: float) -> None:
        """Let the time pass at once, and others have their turn."""
        self.slept.append(secs)
        self.now += secs
        await asyncio.sleep(0)

    @property
    def pace(self) -> Pace:
        """The clock as the transport takes it."""
        return Pace(
            wall=lambda: self.now,
            monotonic=lambda: self.now,
            sleep=self.sleep,
            random=lambda: 1.0,
        )


def endpoint(fake: FakeLLM, protocol: ProtocolName = "openai", **given: Any) -> Endpoint:
    """Return an endpoint on the fake server; what is not an argument of it is the preset's."""
    arguments = {"key", "policy", "pace", "strict_params"}
    chosen = {name: value for name, value in given.items() if name in arguments}
    preset = Preset.model_validate(
        {
            "name": "fake",
            "protocol": protocol,
            "base_url": fake.openai_url if protocol == "openai" else fake.url,
            "key_env": "FAKE_KEY" if "key" in given else None,
            "local": True,
            "max_tokens": 100,
            **{name: value for name, value in given.items() if name not in arguments},
        }
    )
    return Endpoint(preset, **{"pace": Clock().pace, **chosen})


def ask(at: Endpoint, *draws: Draw) -> list[Completion | Fault]:
    """Return what each draw brings, asked one after the other through one source a model."""

    async def asking() -> list[Completion | Fault]:
        sources = {drawn.sample.model: HttpSource(drawn.sample.model, at) for drawn in draws}
        async with at:
            return [await caught(sources[drawn.sample.model], drawn) for drawn in draws]

    return asyncio.run(asking())


def ask_together(at: Endpoint, *draws: Draw) -> list[Completion | Fault]:
    """Return what each draw brings, all asked at once through one source a model."""

    async def asking() -> list[Completion | Fault]:
        sources = {drawn.sample.model: HttpSource(drawn.sample.model, at) for drawn in draws}
        async with at:
            return await asyncio.gather(
                *(caught(sources[drawn.sample.model], drawn) for drawn in draws)
            )

    return asyncio.run(asking())


async def caught(source: HttpSource, drawn: Draw) -> Completion | Fault:
    """Return the completion, or the fault instead of raising it."""
    try:
        return await source.complete(drawn)
    except Fault as fault:
        return fault


def completion(outcome: Completion | Fault) -> Completion:
    """Return the outcome, which must be a completion."""
    assert isinstance(outcome, Completion), outcome
    return outcome


def fault(outcome: Completion | Fault) -> Fault:
    """Return the outcome, which must be a fault of the provider."""
    assert isinstance(outcome, Fault), outcome
    assert outcome.kind is FaultKind.PROVIDER
    return outcome
