"""Which case, model and sample of a report is meant by what a person types."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from forgetest.errors import ConfigError
from forgetest.report.types import CaseReport, ModelReport, Report, SampleReport

NAMED = 5  # candidates that a complaint names


class Picked(NamedTuple):
    """One sample, and whose it is."""

    model: str
    case: CaseReport
    sample: SampleReport

    @property
    def key(self) -> str:
        """The case's name across eval sets: `set/case`."""
        return self.case.key

    @property
    def failed(self) -> bool:
        """Whether it is scored and did not pass; what the machine spoiled is no failure."""
        return self.sample.passed is False


def pick_models(report: Report, name: str | None) -> tuple[ModelReport, ...]:
    """Return the model of a name or of a part that is of one name alone; all of no name.

    Raises ConfigError when no model or several are meant.
    """
    if name is None:
        return report.models
    known = {str(model.model): model for model in report.models}
    found = [known[name]] if name in known else [known[one] for one in known if name in one]
    if len(found) == 1:
        return tuple(found)
    names = [str(model.model) for model in found]
    raise ConfigError(_complaint(f"--model {name}", "model", names, list(known)))


def pick_case(report: Report, text: str) -> str:
    """Return `set/case` of an id, a `set/id`, or a glob that is of one case alone.

    Raises ConfigError when no case or several are meant.
    """
    ids = {f"{item.id}/{case.id}": case.id for item in report.eval_sets for case in item.cases}
    if text in ids:
        return text
    exact = [key for key, name in ids.items() if name == text]
    found = exact or [key for key in ids if _matches(key, ids[key], text)]
    if len(found) == 1:
        return found[0]
    raise ConfigError(_complaint(text, "case", found, list(ids)))


def _matches(key: str, name: str, glob: str) -> bool:
    return fnmatchcase(name, glob) or fnmatchcase(key, glob)


def _complaint(text: str, noun: str, found: Sequence[str], known: Sequence[str]) -> str:
    if found:
        return f"{text}: {len(found)} {noun}s have such a name: {_some(found)}; say which"
    return f"{text}: no {noun} has such a name; there are {_some(known)}"


def _some(names: Sequence[str]) -> str:
    rest = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {rest} more" if rest > 0 else "")


def samples_of(models: Sequence[ModelReport], key: str) -> tuple[Picked, ...]:
    """Return every sample of one case, model by model."""
    return tuple(
        Picked(str(model.model), case, sample)
        for model in models
        for case in model.cases
        if case.key == key
        for sample in case.samples
    )


def pick_samples(samples: Sequence[Picked], number: int) -> tuple[Picked, ...]:
    """Return the sample of a number, counted from 1, of each model that has it.

    Raises ConfigError when there is none.
    """
    found = tuple(one for one in samples if one.sample.index == number - 1)
    if found:
        return found
    most = max((one.sample.index + 1 for one in samples), default=0)
    raise ConfigError(f"--sample {number}: the case has samples 1 to {most}")


def leading(samples: Sequence[Picked]) -> Picked | None:
    """Return the first sample that failed, else the first; None without samples."""
    failing = next((one for one in samples if one.failed), None)
    return failing or next(iter(samples), None)
