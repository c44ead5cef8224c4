"""`forgetest list-models`: the models that the providers' servers list."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from forgetest.cli import options as opt
from forgetest.cli.completion import complete_provider
from forgetest.errors import ConfigError, ExitCode, Fault, ProviderSetupError

if opt.CALLED:
    from forgetest.cli.configuration import configuration
    from forgetest.cli.interrupts import INTERRUPTS
    from forgetest.runner.config import Config
    from forgetest.sampling.providers.contract import ModelInfo
    from forgetest.sampling.providers.presets import PRESETS, Preset
    from forgetest.sampling.transport import Endpoint, fetch_models

ProviderOption = Annotated[
    list[str] | None,
    typer.Option(
        "--provider",
        "-p",
        metavar="LIST",
        autocompletion=complete_provider,
        help="Ask only these providers; comma-separated or repeated.",
        show_default=False,
    ),
]


def list_models(provider: ProviderOption = None, config_file: opt.Config = None) -> None:
    """List the models of one provider, or of all providers whose key is set.

    Prints one PROVIDER/MODEL per line, with its retirement date if the server gives one.
    """
    config = configuration(config_file)
    named = [config.preset(name) for name in dict.fromkeys(opt.comma_list(provider) or ())]
    presets, without_key = (named, []) if named else _configured(config)
    if not presets:
        raise ConfigError(
            "no provider to ask: set a key such as OPENAI_API_KEY, or name one with --provider"
        )
    if without_key:
        names = ", ".join(f"{preset.name} ({preset.key_env})" for preset in without_key)
        typer.echo(f"note: skipped, as their key is not set: {names}", err=True)
    failed = False
    for preset in presets:
        try:
            models = INTERRUPTS.run(_models(preset))
        except (Fault, ProviderSetupError) as error:
            # A wrong setup names the provider itself.
            trouble = f"{preset.name}: {error.message}" if isinstance(error, Fault) else str(error)
            typer.echo(f"error: {trouble}", err=True)
            failed = True
            continue
        for model in models:
            typer.echo(_line(preset, model))
    raise typer.Exit(ExitCode.USAGE if failed else ExitCode.DONE)


def _configured(config: Config) -> tuple[list[Preset], list[Preset]]:
    """Return the providers to ask, and those that lack their key.

    Asked are those with a key and the user's own without one, but not every local port.
    """
    presets = [config.preset(name) for name in dict.fromkeys([*config.servers, *PRESETS])]
    keyed = [preset for preset in presets if preset.key_env]
    have = [preset for preset in keyed if os.environ.get(preset.key_env or "")]
    own = [preset for preset in presets if not preset.key_env and preset.name in config.providers]
    return [*own, *have], [preset for preset in keyed if preset not in have]


async def _models(preset: Preset) -> list[ModelInfo]:
    key = os.environ.get(preset.key_env) if preset.key_env else None
    async with Endpoint(preset, key) as endpoint:
        return await fetch_models(endpoint)


def _line(preset: Preset, model: ModelInfo) -> str:
    retires = f"  (retires {model.retires.isoformat()})" if model.retires else ""
    return f"{preset.name}/{model.id}{retires}"
