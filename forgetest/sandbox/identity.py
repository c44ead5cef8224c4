"""Which user the tests of a sample run as, where forgetest is root and can choose one."""

import os
import secrets
import sys
from pathlib import Path

_HIGH = 1 << 30  # above every account that tools create
_ANYBODY = 0o555
_CAP_SETUID = 7
_CAP_SETGID = 6


def spare_user() -> int | None:
    """Return the number of a user that nobody else is; None where we may not become one.

    Each box has its own, so that a limit on a user's processes counts those of one box, and none
    may signal another's.
    """
    if sys.platform != "linux" or os.geteuid() != 0 or not _may_change_user():
        return None
    return min(_draw(Path(f"/proc/self/{kind}_map")) for kind in ("uid", "gid")) or None


def counts_processes() -> bool:
    """Tell whether the system will count the processes of a box with namespaces of its own."""
    return os.geteuid() != 0 or spare_user() is not None


def let_run(program: Path) -> None:
    """Let other users run a program, whatever this process's mask was when it was built."""
    mode = program.stat().st_mode
    if mode & _ANYBODY != _ANYBODY:
        program.chmod(mode | _ANYBODY)


def _may_change_user() -> bool:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    capabilities = int(status.partition("CapEff:")[2].split()[0], 16)
    return all(capabilities >> bit & 1 for bit in (_CAP_SETUID, _CAP_SETGID))


def _draw(mapping: Path) -> int:
    """Return a number from the upper half of the largest range that is mapped here; 0 if none."""
    ranges = [[int(word) for word in line.split()] for line in mapping.read_text().splitlines()]
    first, _, count = max(ranges, key=lambda one: one[2], default=[0, 0, 0])
    if count < 1 << 10:
        return 0
    half = min(count, 2 * _HIGH) // 2
    return first + half + secrets.randbelow(half - 1)
