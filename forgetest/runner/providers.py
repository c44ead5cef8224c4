"""The table of a provider in forgetest.toml: a model server, or a command of this machine.

The two share few keys. `problems_of` names each key that does nothing in its table, so that a
mistake is found where it is written; `customized` and `command_of` make what the sources need.
"""

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue, StringConstraints

from forgetest.errors import ConfigError
from forgetest.evalset.forms import quoted
from forgetest.evalset.positions import KeyPath
from forgetest.sampling.exec.command import (
    CommandBox,
    CommandInput,
    CommandIo,
    CommandSpec,
    OnTimeout,
)
from forgetest.sampling.plan import COMMANDS
from forgetest.sampling.providers.contract import LimitField
from forgetest.sampling.providers.presets import PRESETS, Preset, Price, ProtocolName
from forgetest.value import Value

OF_COMMANDS = ("command", "io", "input", "on_timeout", "pass_env", "box", "box_reads")
OF_BOTH = ("concurrency", "timeout_secs", "local")
COMMAND_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")

VariableName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]


class ProviderTable(Value):
    """A provider of your own, or changes to a built-in one; what is not set stays as it is.

    With `command`, a program on this machine, asked as `exec/NAME`.
    """

    preset: str | None = Field(
        None,
        description="The built-in provider whose settings apply where the table sets none.",
        examples=["vllm"],
    )
    protocol: ProtocolName | None = Field(
        None, description="The wire protocol of the server.", examples=["openai"]
    )
    base_url: str | None = Field(
        None, description="The URL of the server.", examples=["http://127.0.0.1:8000/v1"]
    )
    api_key_env: str | Literal[False] | None = Field(
        None,
        description="The environment variable that holds the key; false: no key is sent.",
        examples=["MINE_API_KEY"],
    )
    limit_field: LimitField | None = Field(
        None,
        description="The name of the token limit in requests.",
        examples=["max_completion_tokens"],
    )
    concurrency: int | None = Field(
        None, ge=1, description="Requests sent, or commands run, in parallel.", examples=[16]
    )
    max_concurrency: int | None = Field(
        None,
        ge=1,
        description="Requests sent in parallel at most, while the server answers them all.",
        examples=[200],
    )
    timeout_secs: float | None = Field(
        None,
        gt=0,
        description="Time limit of a request or a command, in seconds.",
        examples=[900],
    )
    temperature: float | None = Field(
        None, ge=0, description="Sampling temperature of runs that set none.", examples=[0.8]
    )
    max_tokens: int | None = Field(
        None,
        ge=1,
        description="Token limit of runs and cases that set none.",
        examples=[16_000],
    )
    context_tokens: int | None = Field(
        None,
        ge=1,
        description="Tokens that the server's models hold, to warn of prompts that are too long.",
        examples=[8192],
    )
    local: bool | None = Field(
        None, description="Whether requests are free of charge.", examples=[True]
    )
    extra_body: dict[str, JsonValue] | None = Field(
        None, description="Extra fields of each request.", examples=[{"top_k": 40}]
    )
    extra_headers: dict[str, str] | None = Field(
        None,
        description="Extra headers of each request.",
        examples=[{"X-Team": "${TEAM}"}],
    )
    prices: dict[str, Price] | None = Field(
        None,
        description="US dollars per million tokens, by model; over the bundled prices.",
        examples=[{"my-model": {"input": 0.2, "output": 0.6, "cached": 0.05}}],
    )
    command: tuple[Annotated[str, Field(min_length=1)], ...] | None = Field(
        None,
        min_length=1,
        description="A program that answers, with its arguments; asked as exec/NAME.",
        examples=[["./answer.sh"]],
    )
    io: CommandIo | None = Field(
        None,
        description="stdio: prompt in, completion out; workspace: a crate to work in.",
        examples=["workspace"],
    )
    input: CommandInput | None = Field(
        None, description="What is written to a command's standard input.", examples=["prompt"]
    )
    on_timeout: OnTimeout | None = Field(
        None,
        description="answer: after the time limit, src/lib.rs is the answer as it is.",
        examples=["answer"],
    )
    pass_env: tuple[VariableName, ...] | None = Field(
        None,
        description="Environment variables that a command gets besides a small clean set.",
        examples=[["OPENAI_API_KEY"]],
    )
    box: CommandBox | None = Field(
        None, description="bwrap: the command sees the system and its crate.", examples=["bwrap"]
    )
    box_reads: tuple[str, ...] | None = Field(
        None, description="Folders that it may read besides.", examples=[["~/.nvm"]]
    )


def problems_of(name: str, table: ProviderTable) -> Iterator[tuple[KeyPath, str]]:
    """Yield the place and the text of each problem that no key has alone."""
    if name == COMMANDS:
        yield (name,), f"{quoted(name)} is the provider of all commands: choose another name"
    given = [key for key, value in table if value is not None]
    if table.command is None:
        yield from _server_problems(name, table)
        return
    if not COMMAND_NAME.fullmatch(name):
        yield (name,), f"a command's name has letters, digits, '.', '_' and '-', not {quoted(name)}"
    keys = (*OF_COMMANDS, *OF_BOTH)
    for key in given:
        if key not in keys:
            why = f"{quoted(key)} is for servers; a command takes {', '.join(keys)}"
            yield (name, key), why
    yield from _idle_keys(name, table)


def _server_problems(name: str, table: ProviderTable) -> Iterator[tuple[KeyPath, str]]:
    for key, value in table:
        if key in OF_COMMANDS and value is not None:
            yield (name, key), f"{quoted(key)} is for commands: add command, or remove it"
    first, most = table.concurrency, table.max_concurrency
    if first is not None and most is not None and most < first:
        why = f'"max_concurrency" must be at least "concurrency", {first}: got {most}'
        yield (name, "max_concurrency"), why


def _idle_keys(name: str, table: ProviderTable) -> Iterator[tuple[KeyPath, str]]:
    """Yield the keys of a command that its other keys make useless."""
    in_workspace = table.io is CommandIo.WORKSPACE
    if in_workspace and table.input is not None:
        yield (name, "input"), '"input" needs io = "stdio": a workspace has PROMPT.md'
    if table.on_timeout is OnTimeout.ANSWER and not in_workspace:
        why = '"on_timeout" = "answer" needs io = "workspace": half an output is not an answer'
        yield (name, "on_timeout"), why
    if table.box_reads is not None and table.box is not CommandBox.BWRAP:
        yield (name, "box_reads"), '"box_reads" needs box = "bwrap": without a box all is readable'


def command_of(name: str, table: ProviderTable) -> CommandSpec:
    """Return the command that a provider's table describes."""
    given = table.model_dump(exclude_none=True, include={*OF_COMMANDS, *OF_BOTH})
    return CommandSpec.model_validate({"name": name, "argv": given.pop("command"), **given})


def customized(name: str, table: ProviderTable) -> Preset:
    """Return the preset that a provider's table describes; ConfigError when it is incomplete."""
    base = table.preset or name
    if table.preset is not None and base not in PRESETS:
        raise ConfigError(
            f"provider {name}: there is no preset {quoted(base)}; choose {', '.join(PRESETS)}"
        )
    changes: dict[str, Any] = table.model_dump(
        exclude_none=True, exclude={"preset", "api_key_env", *OF_COMMANDS}
    )
    changes["name"] = name
    if table.prices is not None:
        changes["prices"] = table.prices
    if table.api_key_env is not None:
        changes["key_env"] = table.api_key_env or None
    if base in PRESETS:
        return PRESETS[base].model_copy(update=changes)
    if table.base_url is None:
        raise ConfigError(f"provider {name}: base_url is missing; add it, or a preset")
    return Preset.model_validate(changes)
