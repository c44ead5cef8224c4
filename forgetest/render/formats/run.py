"""What formats are made of: places, names and whole cases of a run."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from forgetest.evalset.types import Case
from forgetest.render.paths import Paths
from forgetest.render.run import Run
from forgetest.render.safe import one_line
from forgetest.report.types import ModelReport

Files = dict[str, str]  # a path below the folder that was asked for -> its text

_LONGEST = 80  # characters of a made name


def suite_name(run: Run, model: ModelReport, *, several: bool) -> str:
    """Return the name of a model's results, with the run's in front where there are several."""
    return f"{run.label}: {model.model}" if several else str(model.model)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a case is written; `file` is None where that is outside the repository."""

    file: str | None
    name: str  # of the file, without its folders
    line: int | None


def places(run: Run, paths: Paths) -> Mapping[str, Place]:
    """Return the place of each case, by `set/case`."""
    return {
        f"{item.id}/{case.id}": Place(paths.of(item.file), _last_name(item.file), case.line)
        for item in run.report.eval_sets
        for case in item.cases
    }


def _last_name(file: str) -> str:
    return one_line(PurePosixPath(file.replace("\\", "/")).name) or "unknown.toml"


def cases_of(run: Run) -> dict[str, Case]:
    """Return the whole cases by `set/case`; none without the run folder."""
    return {case.key: case for item in run.eval_sets for case in item.cases}


def file_names(names: Sequence[str]) -> Mapping[str, str]:
    """Return a name for files or folders for each different text, the same for the same texts.

    Letters, digits, `.`, `_` and `-` stay; no two names differ in upper and lower case alone.
    """
    taken: set[str] = set()
    made: dict[str, str] = {}
    for name in dict.fromkeys(names):
        plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name)[:_LONGEST].strip(".-") or "unnamed"
        number, free = 2, plain
        while free.lower() in taken:
            number, free = number + 1, f"{plain}-{number}"
        taken.add(free.lower())
        made[name] = free
    return made
