"""Which run folders there are, and which of them is the latest."""

import json
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from forgetest.errors import RunDirError
from forgetest.run.manifest import JOURNAL, MANIFEST, REPORT
from forgetest.run.state import STATE

_NEVER = datetime.min.replace(tzinfo=UTC)
_TIMES = ((STATE, "since"), (MANIFEST, "created"))  # the first that can be read counts


def run_folders(root: Path) -> list[Path]:
    """Return the run folders right below `root`, the one that was last worked on first."""
    try:
        folders = [path for path in root.iterdir() if (path / MANIFEST).is_file()]
    except OSError:
        return []
    return sorted(folders, key=_last_worked_on, reverse=True)


def latest_run(root: Path) -> Path:
    """Return the run folder below `root` that was last worked on; RunDirError without any."""
    folders = run_folders(root)
    if not folders:
        raise RunDirError(
            f"no run below {root}: name a run folder or report.json, or start with forgetest run"
        )
    return folders[0]


def is_run(path: Path) -> bool:
    """Tell whether a path is a report file, or a folder with a file that only runs have."""
    return path.is_file() or any((path / name).exists() for name in (MANIFEST, REPORT, JOURNAL))


def _last_worked_on(folder: Path) -> tuple[datetime, int]:
    """Return when a session of the run last began or ended, and for ties when it last wrote."""
    times = (_time_in(folder / file, key) for file, key in _TIMES)
    written = 0
    with suppress(OSError):
        written = (folder / JOURNAL).stat().st_mtime_ns
    return next((time for time in times if time is not None), _NEVER), written


def _time_in(file: Path, key: str) -> datetime | None:
    with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        return datetime.fromisoformat(json.loads(file.read_bytes())[key]).astimezone(UTC)
    return None
