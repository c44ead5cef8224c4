"""What an importer gets and gives: options, an eval set, recorded completions, what it left out.

Ids are made from the names in the source, so that a recording still finds its case.
"""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from forgetest.errors import ConfigError
from forgetest.evalset.forms import ID_PATTERN, MAX_ID, identifier
from forgetest.evalset.types import EvalSet
from forgetest.sampling.completion import Finish
from forgetest.sampling.replay import CASE_KEYS


@dataclass(frozen=True, slots=True)
class SkippedItem:
    """An item of the source that became no case or no completion, and why."""

    item: str  # its id in the source, or where it is: `line 12`
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
    left_out: tuple[SkippedItem, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What the user says about a source that the source does not say itself."""

    id: str | None = None  # of the eval set; None: made from the source's name
    protocol: str | None = None  # chat or completion, where a format knows both
    model: str | None = None  # of completions whose file names none


Read = Callable[[Path, ImportOptions], Imported]


@dataclass(frozen=True, slots=True)
class Importer:
    """A format that can be imported: its name on the command line and the function that reads it.

    `read` raises ForgetestError for a source that cannot be read at all, with a line for each
    reason; a single bad item is left out and named instead.
    """

    name: str
    summary: str
    read: Read


_DIGEST = 8  # characters of a digest that tell long names apart


def case_id(name: str) -> str:
    """Return a valid id for a case: the name itself where it is one, else with `-` for the rest.

    `HumanEval/0` becomes `HumanEval-0`, which replay finds by `HumanEval/0` again.
    """
    if re.fullmatch(ID_PATTERN, name) and len(name) <= MAX_ID:
        return name
    text = re.sub(r"[^A-Za-z0-9._-]+", "-", name).lstrip("-.") or "case"
    if len(text) <= MAX_ID:
        return text
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
    return f"{text[: MAX_ID - _DIGEST - 1]}-{digest}"


def set_id(source: Path, options: ImportOptions) -> str:
    """Return the eval set's id: what the user says, or else the source's name without its ending.

    ConfigError when what the user says is not an id.
    """
    if options.id is None:
        name = source.resolve().name
        return case_id(re.sub(r"(\.(jsonl?|gz|results))+$", "", name) or "imported")
    try:
        return identifier(options.id)
    except ValueError as error:
        raise ConfigError(f"--id {error}") from None


def model_name(source: Path, options: ImportOptions) -> str:
    """Return the model of completions that name none: what the user says, or else the source."""
    return options.model or set_id(source, ImportOptions())
