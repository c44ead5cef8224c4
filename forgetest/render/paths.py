"""Files as a repository names them, for tools that show its lines."""

import os.path
from dataclasses import dataclass
from pathlib import Path

from forgetest.render.safe import one_line

LONGEST = 4096  # characters of a path


@dataclass(frozen=True, slots=True)
class Paths:
    """Names files relative to `root`, the repository; relative ones are meant from `here`.

    Without either, relative names are taken as they are.
    """

    root: Path | None = None
    here: Path | None = None

    def of(self, file: str) -> str | None:
        """Return a file as the repository names it; None for one outside, or of no plain name."""
        path = file.replace("\\", "/")
        if self.root and self.here:
            whole = os.path.normpath(self.here / path)
            path = os.path.relpath(whole, os.path.normpath(self.root)).replace(os.sep, "/")
        else:
            path = os.path.normpath(path).replace(os.sep, "/")
        outside = path.startswith(("../", "/")) or path in {"..", "."} or path[1:2] == ":"
        return None if outside or one_line(path, LONGEST) != path else path
