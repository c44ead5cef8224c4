"""A provider without a server: `files/DIR` answers a case with the file DIR/CASE.rs."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from forgetest.plugins import (
    Completion,
    ConfigError,
    Cost,
    Draw,
    Fault,
    FaultKind,
    Plugin,
    SourceFactory,
)


@dataclass(frozen=True)
class FileSource:
    """Answers from a folder."""

    folder: Path
    concurrency: int = 4

    async def complete(self, draw: Draw) -> Completion:
        """Return the file of the case; a case without one is unscored, and not wrong."""
        file = self.folder / f"{draw.case.id}.rs"
        try:
            code = file.read_text(encoding="utf-8")
        except OSError as error:
            raise Fault(FaultKind.PROVIDER, f"{file}: {error.strerror}") from error
        return Completion(text=f"```rust\n{code}```\n", cost=Cost(usd=Decimal(0), source="local"))


def open_folder(model: str, environ: Mapping[str, str]) -> FileSource:
    """Return the source of `files/MODEL`; ConfigError where there is no such folder."""
    del environ
    if not Path(model).is_dir():
        raise ConfigError(f"files/{model}: there is no folder {model}")
    return FileSource(Path(model))


files: Plugin[SourceFactory] = Plugin(api=1, provides=open_folder)
