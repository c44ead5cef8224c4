"""Which run folders there are, and which of them is the latest."""

import json
from contextlib import suppress
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from forgetest.errors import RunDirError
from forgetest.run.manifest import JOURNAL, MANIFEST, REPORT
from forgetest.run.state import STATE

_NEVER = datetime.min.replace(tzinfo=UTC)
_GRADED = b'{"type":"graded"'  # how such a line of a journal begins
_TIMES = ((STATE, "since"), (MANIFEST, "created"))  # the first that can be read counts


def run_folders(root: Path) -> list[Path]:
    """Return the run folders right below `root`, the one that was last worked on first."""
    try:
        folders = [path for path in root.iterdir() if (path / MANIFEST).is_file()]
    except OSError:
        return []
    return sorted(folders, key=_last_worked_on, reverse=True)


def latest_run(root: Path) -> tuple[Path, list[Path]]:
    """Return the run folder below `root` that was last worked on, and newer ones without results.

    Where no run has results, it is the newest. Raises RunDirError where there is no run.
    """
    folders = run_folders(root)
    if not folders:
        raise RunDirError(
            f"no run below {root}: name a run folder or report.json, or start with forgetest run"
        )
    place = next((place for place, path in enumerate(folders) if has_results(path)), 0)
    return folders[place], folders[:place]


def has_results(path: Path) -> bool:
    """Tell whether any sample of a run is graded; a report without a journal has results."""
    try:
        with (path / JOURNAL).open("rb") as journal:
            first = journal.readline()
            if first:
                return any(line.startswith(_GRADED) for line in chain((first,), journal))
    except OSError:
        pass
    return (path / REPORT).exists()


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
