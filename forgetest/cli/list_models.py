"""`forgetest list-models`: the models that the providers' servers list."""

import os
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

ProviderOption = Annotated[
    list[str] | None,
    typer.Option(
        "--provider",
        "-p",
        metavar="NAME",
        help="Ask only this provider. Repeatable.",
        show_default=False,
    ),
]


def list_models(provider: ProviderOption = None, config_file: opt.Config = None) -> None:
    """List the models of one provider, or of all providers whose key is set.

    Prints one PROVIDER/MODEL per line, with its retirement date if the server gives one.
    """
    config = configuration(config_file)
    named = [config.preset(name) for name in dict.fromkeys(provider or ())]
    presets = named or _configured(config)
    if not presets:
        raise ConfigError(
            "no provider to ask: set a key such as OPENAI_API_KEY, or name one with --provider"
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
    raise typer.Exit(ExitCode.USAGE if failed else ExitCode.DONE)


def _configured(config: Config) -> list[Preset]:
    """Return the providers of the configuration and those with a key, but not every local port."""
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
