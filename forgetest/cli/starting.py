"""What `forgetest init` writes."""

from importlib.resources import files
from pathlib import Path

from forgetest.errors import ConfigError

FILES = {"forgetest.toml": "forgetest.toml", "eval-sets/first.toml": "first.toml"}


def write_start(folder: Path) -> list[Path]:
    """Write the starting files below a folder; ConfigError when one is there already."""
    targets = {folder / name: template for name, template in FILES.items()}
    for path in targets:
        if path.exists():
            raise ConfigError(f"{path} exists; forgetest init overwrites nothing")
    for path, template in targets.items():
        text = files("forgetest.templates").joinpath(template).read_text(encoding="utf-8")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise ConfigError(f"{path}: can not be written: {error.strerror}") from None
    return list(targets)
