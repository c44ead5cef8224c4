"""Folders that vanish again, whatever was put into them."""

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

PREFIX = "forgetest-"  # of temporary folders; the process that owns one follows


@contextlib.contextmanager
def temporary_folder(place: Path | None = None) -> Iterator[Path]:
    """Give a folder in `place`, the system's own when None, and remove it afterwards.

    Its name says whose it is, so that a later run can clear what a killed one left. Raises OSError
    when it can not be made.
    """
    folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=place))
    try:
        yield folder
    finally:
        remove(folder)


def remove(folder: Path) -> None:
    """Remove a folder, however deep it is; what can not be removed stays."""
    try:
        shutil.rmtree(folder, ignore_errors=True)
    except RecursionError:
        argv = ["rm", "-rf", "--", str(folder)]
        subprocess.run(argv, env={"PATH": os.defpath}, check=False, stderr=subprocess.DEVNULL)
