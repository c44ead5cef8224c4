"""Small disks of their own, to be filled or refused."""

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@contextlib.contextmanager
def mounted(folder: Path, options: str) -> Iterator[Path]:
    """Give a file system of its own, where this user may mount one."""
    argv = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    if subprocess.run(argv, capture_output=True, check=False).returncode:
        pytest.skip("only root can mount a file system to fill")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)
