"""`forgetest list-models`: what the servers say they have."""

from typing import Annotated

import typer

from forgetest.cli import options as opt


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
    from forgetest.cli.listing import list_all

    raise typer.Exit(list_all(provider or (), config))
