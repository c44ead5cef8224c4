"""Asks which models to run when none is named and a person is at the terminal.

Offered is what can be asked here: a running Ollama, providers whose key is set, the embedded model,
and the reference solutions. Without a terminal, `settle` names the three ways to say it.
"""

import os
import sys
from collections.abc import Iterator, Sequence

import typer
from rich.console import Console

from forgetest.cli.interrupts import INTERRUPTS
from forgetest.cli.options import comma_list
from forgetest.errors import ConfigError, Fault, ProviderSetupError
from forgetest.render.offer import Offer, chosen_line, offer_table
from forgetest.run.settings import RunTable
from forgetest.runner.config import Config
from forgetest.sampling.local import MODEL, installed
from forgetest.sampling.plan import COMMANDS, parse_model
from forgetest.sampling.providers.presets import PRESETS, Preset

PROBED = "ollama"  # the one local server whose port says what listens there
PROBE_SECS = 1.0
LISTED = 40  # models of a provider that are printed


def with_models(options: RunTable, config: Config, *, quiet: bool) -> RunTable:
    """Return the options with the models that somebody at a terminal picks, where none is named."""
    table = options.over(config.run)
    at_terminal = sys.stdin.isatty() and sys.stderr.isatty() and not quiet
    if table.models or not table.eval_sets or not at_terminal:
        return options
    console = Console(stderr=True, highlight=False)
    offers = list(offers_here(config))
    console.print("No model is named. This machine offers:\n")
    console.print(offer_table(offers))
    names = _picked(offers, config, console)
    console.print(chosen_line(names), markup=False, soft_wrap=True)
    return options.model_copy(update={"models": names})


def offers_here(config: Config) -> Iterator[Offer]:
    """Yield what can be asked on this machine, the nearest first."""
    probed = config.preset(PROBED)
    for model in _listed(probed.model_copy(update={"timeout_secs": PROBE_SECS})) or ():
        yield Offer(PROBED, model, f"on {probed.base_url}")
    for name in dict.fromkeys([*config.servers, *PRESETS]):
        preset = config.preset(name)
        if preset.key_env and os.environ.get(preset.key_env):
            yield Offer(name, "", f"{preset.key_env} is set")
    for name in config.commands:
        yield Offer(COMMANDS, name, "your command")
    missing = "" if installed() else "; first run forgetest local install"
    yield Offer("local", MODEL, f"small, embedded, needs no key{missing}")
    yield Offer("reference", "solution", "asks no model: to see that all works")


def _picked(offers: Sequence[Offer], config: Config, console: Console) -> tuple[str, ...]:
    """Return the models of an answer; ask again until every word of it is one."""
    while True:
        answer = _answer("\nNumbers or names, comma-separated: ", console)
        try:
            names = [_named(word, offers, config, console) for word in comma_list([answer]) or ()]
        except (ConfigError, ValueError) as error:
            console.print(f"error: {error}", markup=False)
            continue
        if names:
            return tuple(dict.fromkeys(names))


def _named(word: str, offers: Sequence[Offer], config: Config, console: Console) -> str:
    """Return the model that a number or a name means; ValueError if it means none."""
    if not word.isdecimal():
        return str(parse_model(word))
    if not 1 <= int(word) <= len(offers):
        raise ValueError(f"there is no number {word}: choose 1 to {len(offers)}")
    offer = offers[int(word) - 1]
    return offer.name if offer.model else _model_of(config.preset(offer.provider), console)


def _model_of(preset: Preset, console: Console) -> str:
    """Show the models of a provider, and return the one that is picked."""
    listed = _listed(preset) or ()
    for model in listed[:LISTED]:
        console.print(f"  {model}", markup=False, soft_wrap=True)
    if len(listed) > LISTED:
        rest = f"forgetest list-models --provider {preset.name}"
        console.print(f"  and {len(listed) - LISTED} more: {rest}")
    model = _answer(f"Model of {preset.name}: ", console)
    return f"{preset.name}/{model.removeprefix(f'{preset.name}/')}"


def _answer(question: str, console: Console) -> str:
    """Return what is typed, asked on standard error: standard output is for results alone."""
    console.print(question, end="", markup=False)
    line = sys.stdin.readline()
    if not line:
        raise typer.Abort
    return line.strip()


def _listed(preset: Preset) -> tuple[str, ...] | None:
    """Return the models that a server lists, asked once; None where it cannot be asked."""
    from forgetest.sampling.transport import (  # noqa: PLC0415 - it loads an HTTP client
        Endpoint,
        RetryPolicy,
        fetch_models,
    )

    key = os.environ.get(preset.key_env) if preset.key_env else None
    once = RetryPolicy(attempts=1)

    async def models() -> tuple[str, ...]:
        async with Endpoint(preset, key, policy=once) as endpoint:
            return tuple(model.id for model in await fetch_models(endpoint))

    try:
        return INTERRUPTS.run(models())
    except (Fault, ProviderSetupError):
        return None
