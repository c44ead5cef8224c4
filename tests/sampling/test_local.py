"""The embedded model on a real llama.cpp server, through two protocols and through a whole run.

A small model's texts differ between machines, so shapes and counts are asserted, never words.
"""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest
from program import Program

from forgetest.evalset.types import Case
from forgetest.sampling.completion import Completion, Draw, Finish, Prompt
from forgetest.sampling.local import LocalServer, installed, start
from forgetest.sampling.plan import ModelSpec, Sample, Sampling
from forgetest.sampling.providers.presets import Preset
from forgetest.sampling.transport import Endpoint, HttpSource, fetch_models

pytestmark = [
    pytest.mark.local_llm,
    pytest.mark.skipif(not installed(), reason="run: forgetest local install"),
]
T = TypeVar("T")
MODEL = ModelSpec(provider="local", model="smollm2-135m")
QUESTION = "Write a Rust function that adds two i32 numbers."


def with_server(work: Callable[[LocalServer], Awaitable[T]]) -> T:
    async def run() -> T:
        async with start(slots=4, threads=1, environ=os.environ) as server:
            return await work(server)

    return asyncio.run(run())


def preset(server: LocalServer, protocol: str) -> Preset:
    url = server.base_url if protocol == "openai" else server.base_url.removesuffix("/v1")
    return Preset.model_validate(
        {"name": "local", "protocol": protocol, "base_url": url, "local": True, "concurrency": 4}
    )


def draw(index: int, *, max_tokens: int, user: str = QUESTION) -> Draw:
    return Draw(
        sample=Sample(model=MODEL, eval_set="s", case="c", index=index),
        case=Case(id="c", eval_set="s", name="C", prompt=user),
        prompt=Prompt(system="One Rust code block and nothing else.", user=user),
        sampling=Sampling(temperature=0.8, max_tokens=max_tokens, seed=index),
    )


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_four_samples_at_once_come_back_whole_and_counted(protocol: str) -> None:
    async def work(server: LocalServer) -> list[Completion]:
        async with Endpoint(preset(server, protocol)) as endpoint:
            source = HttpSource(MODEL, endpoint)
            draws = [source.complete(draw(index, max_tokens=8)) for index in range(4)]
            return await asyncio.gather(*draws)

    found = with_server(work)

    assert [item.finish for item in found] == [Finish.LENGTH] * 4
    assert [item.usage.output_tokens for item in found] == [8] * 4
    assert all(item.text and (item.usage.input_tokens or 0) > 10 for item in found)
    assert all(item.cost.usd == 0 and item.cost.source == "local" for item in found)


def test_the_server_lists_its_model_and_refuses_too_long_a_prompt_for_that_sample_alone() -> None:
    async def work(server: LocalServer) -> tuple[list[str], Completion, Completion]:
        async with Endpoint(preset(server, "openai")) as endpoint:
            names = [model.id for model in await fetch_models(endpoint)]
            source = HttpSource(MODEL, endpoint)
            too_long = await source.complete(draw(0, max_tokens=8, user="fn f() {} " * 2000))
            return names, too_long, await source.complete(draw(1, max_tokens=4))

    names, too_long, after = with_server(work)

    assert names == ["smollm2-135m"]
    assert (too_long.text, too_long.finish) == ("", Finish.LENGTH)
    assert after.text


def test_the_server_is_gone_when_its_context_ends() -> None:
    async def work(server: LocalServer) -> int:
        return server.pid

    with pytest.raises(ProcessLookupError):
        os.kill(with_server(work), 0)


@pytest.mark.cargo
def test_a_run_with_the_embedded_model_needs_no_key_and_scores_every_sample(
    forgetest: Program, eval_sets: Path
) -> None:
    done = forgetest(
        "run", "-e", f"{eval_sets}/starter.toml", "--case", "is-even", "-m", "local/smollm2-135m",
        "-n", "6", "--pass-k", "1,5", "--max-tokens", "24", "--seed", "1", "--format", "json",
    )  # fmt: skip

    assert done.code == 0, done.err
    (model,) = json.loads(done.out)["models"]
    assert model["overall"]["samples_scored"] == 6
    assert model["tokens"]["output"] > 0
    assert 0 <= model["overall"]["pass_at_k"]["1"]["value"] <= 1
    assert sum(model["outcomes"].values()) == 6
