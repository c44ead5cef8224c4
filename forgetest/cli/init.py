"""`forgetest init`: a configuration and a small eval set that run as they are.

What `forgetest init` writes.
"""

from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from forgetest.cli.terminal import write_files
from forgetest.errors import ConfigError


def init(
    folder: Annotated[Path, typer.Argument(help="Where to write them.")] = Path(),
) -> None:
    """Write forgetest.toml and eval-sets/first.toml; nothing that exists is overwritten.

    Then `forgetest run` works as it is, and says which line to change for your own model.
    """
    for path in write_start(folder):
        typer.echo(f"wrote {path}", err=True)
    typer.echo("now run: forgetest run", err=True)


FILES = {"forgetest.toml": "forgetest.toml", "eval-sets/first.toml": "first.toml"}


def write_start(folder: Path) -> list[Path]:
    """Write the starting files below a folder; ConfigError when one is there already."""
    targets = {folder / name: template for name, template in FILES.items()}
    for path in targets:
        if path.exists():
            raise ConfigError(f"{path} exists; forgetest init overwrites nothing")
    templates = files("forgetest.cli") / "templates"
    write_files(
        {path: templates.joinpath(name).read_text("utf-8") for path, name in targets.items()}
    )
    return list(targets)
