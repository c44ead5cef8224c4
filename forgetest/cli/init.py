"""`forgetest init`: a configuration and a small eval set that run as they are."""

from pathlib import Path
from typing import Annotated

import typer


def init(
    folder: Annotated[Path, typer.Argument(help="Where to write them.")] = Path(),
) -> None:
    """Write forgetest.toml and eval-sets/first.toml; nothing that exists is overwritten.

    Then `forgetest run` works as it is, and says which line to change for your own model.
    """
    from forgetest.cli.starting import write_start

    for path in write_start(folder):
        typer.echo(f"wrote {path}", err=True)
    typer.echo("now run: forgetest run", err=True)
