"""`forgetest list-models`: what the servers say they have.

Carries out `forgetest list-models`.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from forgetest.cli import options as opt
from forgetest.cli.interrupts import INTERRUPTS
from forgetest.cli.prepare import configuration
from forgetest.errors import ConfigError, ExitCode, Fault, ProviderSetupError
from forgetest.runner.config import Config
from forgetest.sampling.providers.contract import ModelInfo
from forgetest.sampling.providers.presets import PRESETS, Preset
from forgetest.sampling.transport import Endpoint, fetch_models


def list_models(
    provider: Annotated[
        list[str] | None,
        typer.Option(
            "--provider", "-p", help="Ask this provider only; repeatable.", show_default=False
        ),
    ] = None,
    config: opt.Config = None,
) -> None:
    """List the models of one provider, or of every provider whose key is set.

    Prints provider/model, one a line, with the date of retirement where the server gives one.
    """
    raise typer.Exit(list_all(provider or (), config))


def list_all(providers: Sequence[str], config_path: Path | None) -> ExitCode:
    """Print the models of some providers, or of all whose key is set; return the exit code."""
    config = configuration(config_path)
    named = [config.preset(name) for name in dict.fromkeys(providers)]
    presets = named or _with_keys(config)
    if not presets:
        raise ConfigError(
            "no provider to ask: set a key such as OPENAI_API_KEY, or name a server with --provider"
        )
    failed = False
    for preset in presets:
        try:
            models = INTERRUPTS.run(_models(preset))
        except (Fault, ProviderSetupError) as error:
            typer.echo(f"error: {preset.name}: {error}", err=True)
            failed = True
            continue
        for model in models:
            typer.echo(_line(preset, model))
    return ExitCode.USAGE if failed else ExitCode.DONE


def _with_keys(config: Config) -> list[Preset]:
    """Without a name, ask whoever is configured or has a key: never every local port there is."""
    names = dict.fromkeys([*config.providers, *PRESETS])
    presets = [config.preset(name) for name in names]
    return [
        preset
        for preset in presets
        if preset.name in config.providers or (preset.key_env and os.environ.get(preset.key_env))
    ]


async def _models(preset: Preset) -> list[ModelInfo]:
    key = os.environ.get(preset.key_env) if preset.key_env else None
    async with Endpoint(preset, key) as endpoint:
        return await fetch_models(endpoint)


def _line(preset: Preset, model: ModelInfo) -> str:
    retires = f"  (retires {model.retires.isoformat()})" if model.retires else ""
    return f"{preset.name}/{model.id}{retires}"
