"""What an importer makes of a source: an eval set, recorded completions, and what it left out."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from forgetest.completion import Finish
from forgetest.evalset.types import EvalSet
from forgetest.replay import CASE_KEYS


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An item of the source that became no case or no completion, and why."""

    item: str  # its id in the source, or where it stands: `line 12`
    reason: str


@dataclass(frozen=True, slots=True)
class Recorded:
    """One recorded completion of a case, with the verdict that its recorder gave."""

    case_id: str
    completion: str
    model: str
    passed: bool | None = None  # None: the source records no verdict
    verdict: str | None = None  # in the recorder's own words: `OK`, `Timeout`, `compile_error`
    finish: Finish = Finish.STOP
    flaky: bool = False  # the recorder says that its verdict hangs on chance
    key: str = CASE_KEYS[0]  # under which the source names the case
    eval_set: str | None = None  # of the case, where the source says it


@dataclass(frozen=True, slots=True)
class Imported:
    """All that was made of a source; `eval_set` is None when it holds completions only."""

    eval_set: EvalSet | None
    recorded: tuple[Recorded, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, slots=True)
class Options:
    """What the user says about a source that the source does not say itself."""

    id: str | None = None  # of the eval set; None: made from the source's name
    protocol: str | None = None  # chat or completion, where a format knows both
    model: str | None = None  # of completions whose file names none


@dataclass(frozen=True, slots=True)
class Importer:
    """A format that can be imported: its name on the command line and the function that reads it.

    `read` raises ForgetestError for a source that can not be read at all, with a line for each
    reason; a single bad item is left out and named instead.
    """

    name: str
    summary: str
    read: Callable[[Path, Options], Imported]
