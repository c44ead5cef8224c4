"""`forgetest init`: a configuration and a small eval set that run as they are."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from forgetest.cli.options import CALLED
from forgetest.errors import ConfigError

if CALLED:
    from forgetest.cli.terminal import write_files

FILES = {"forgetest.toml": "forgetest.toml", "eval-sets/first.toml": "first.toml"}

FolderArgument = Annotated[Path, typer.Argument(metavar="DIR", help="Folder to write to.")]


def init(folder: FolderArgument = Path()) -> None:
    """Create forgetest.toml and eval-sets/first.toml, without overwriting anything.

    `forgetest run` works right away; forgetest.toml says which line to change for your own model.
    """
    templates = files("forgetest.cli") / "templates"
    texts = {
        folder / name: templates.joinpath(template).read_text("utf-8")
        for name, template in FILES.items()
    }
    for path in texts:
        if path.exists():
            raise ConfigError(f"{path} exists: forgetest init does not overwrite files")
    write_files(texts)
    for path in texts:
        typer.echo(f"wrote {path}", err=True)
    typer.echo("next: forgetest run", err=True)
