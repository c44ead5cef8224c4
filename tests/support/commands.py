"""Commands as models: a host without compilers, scripts, and a look at what still runs."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from draws import Clock, draw

from forgetest.errors import Fault
from forgetest.evalset.types import Case
from forgetest.sampling.completion import Completion, Draw, Prompt
from forgetest.sampling.exec.command import CommandHost, CommandSpec
from forgetest.sampling.exec.source import CommandProvider, CommandSource
from forgetest.sampling.halt import Halt
from forgetest.sampling.plan import ModelSpec

MODEL = ModelSpec(provider="exec", model="mine")
SOLUTION = "pub fn is_even(n: i32) -> bool { n % 2 == 0 }\n"


def shell(script: str, **keys: Any) -> CommandSpec:
    """Return a command that is a line of shell."""
    return CommandSpec.model_validate(
        {"name": "mine", "argv": ("sh", "-c", script), "timeout_secs": 20, **keys}
    )


def even_draw(prompt: Prompt | None = None, **keys: Any) -> Draw:
    """Return a draw of a case with a solution; `keys` are those of the sampling."""
    drawn = draw(**keys) if prompt is None else draw(prompt=prompt, **keys)
    case = drawn.case.model_copy(update={"reference_solution": SOLUTION})
    return drawn.model_copy(
        update={"case": case, "sample": drawn.sample.model_copy(update={"model": MODEL})}
    )


def host(logs: Path) -> CommandHost:
    """Return a host whose crates have no lock file, and that has no box."""

    def base_of(case: Case) -> Mapping[str, bytes]:
        return {"Cargo.toml": b'[package]\nname = "sample"\n'} if case else {}

    return CommandHost(logs, base_of, {}, lambda _spec, argv, _folder, _report: list(argv))


def asked(
    spec: CommandSpec,
    logs: Path,
    *draws: Draw,
    environ: Mapping[str, str] | None = None,
    halt: Halt | None = None,
    **keys: Any,
) -> list[Completion | Fault]:
    """Return what each draw brings, asked one after the other; waits between tries take no time."""
    given = {"PATH": "/usr/local/bin:/usr/bin:/bin", **(environ or {})}

    async def asking() -> list[Completion | Fault]:
        provider = CommandProvider(spec, host(logs), given, pace=Clock().pace, **keys)
        async with provider:
            source = CommandSource(MODEL, provider, halt)
            return [await _caught(source, drawn) for drawn in draws or (even_draw(),)]

    return asyncio.run(asking())


async def _caught(source: CommandSource, drawn: Draw) -> Completion | Fault:
    try:
        return await source.complete(drawn)
    except Fault as fault:
        return fault


def is_running(pids: Path) -> list[int]:
    """Return which of the processes still run that wrote their numbers into a file, a line each."""
    numbers = map(int, pids.read_text().split())
    return [pid for pid in numbers if Path(f"/proc/{pid}").exists()]
