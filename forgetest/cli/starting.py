"""What `forgetest init` writes."""

from importlib.resources import files
from pathlib import Path

from forgetest.cli.printing import write_files
from forgetest.errors import ConfigError

FILES = {"forgetest.toml": "forgetest.toml", "eval-sets/first.toml": "first.toml"}


def write_start(folder: Path) -> list[Path]:
    """Write the starting files below a folder; ConfigError when one is there already."""
    targets = {folder / name: template for name, template in FILES.items()}
    for path in targets:
        if path.exists():
            raise ConfigError(f"{path} exists; forgetest init overwrites nothing")
    templates = files("forgetest.templates")
    write_files(
        {path: templates.joinpath(name).read_text("utf-8") for path, name in targets.items()}
    )
    return list(targets)
