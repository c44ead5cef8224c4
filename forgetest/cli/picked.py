"""Which cases of eval sets the command line names."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from forgetest.evalset.load import load
from forgetest.evalset.select import select
from forgetest.evalset.types import EvalSet


@dataclass(frozen=True, slots=True)
class Picked:
    """What --filter and --case say."""

    tags: Sequence[str] = ()
    globs: Sequence[str] = ()

    def of(self, paths: Sequence[Path]) -> tuple[EvalSet, ...]:
        """Return the eval sets of files and folders with these cases.

        `EvalSetError` carries every problem of every file.
        """
        return select(load(paths), filters=self.tags, cases=self.globs)


ALL_CASES = Picked()
