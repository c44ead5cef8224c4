"""Cases of one import as one eval set, and the checks that every text of others must pass."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from forgetest.evalset.types import Case, EvalSet, Protocol, Provenance
from forgetest.importers.naming import set_id
from forgetest.importers.reading import ItemError, demand
from forgetest.importers.types import Imported, LeftOut, Options


def formed(rule: Callable[[str], str], text: str, key: str) -> str:
    """Return the text when it keeps a rule of `evalset.forms`; ItemError names the key."""
    try:
        return rule(text)
    except ValueError as error:
        raise ItemError(f'"{key}" {error}') from None


def protocol_of(options: Options, default: Protocol) -> Protocol:
    """Return the protocol that the user asks for, or else the format's own."""
    return default if options.protocol is None else Protocol(options.protocol)


def imported(
    cases: Sequence[Case],
    path: Path,
    options: Options,
    *,
    source: Provenance,
    left_out: Sequence[LeftOut],
) -> Imported:
    """Return the eval set of all cases; ForgetestError with the reasons when there are none."""
    demand(cases, path, left_out)
    made = EvalSet(
        id=set_id(path, options),
        name=source.name,
        version=source.version,
        source=source,
        cases=_of_one_edition(cases),
    )
    return Imported(made, left_out=tuple(left_out))


def _of_one_edition(cases: Sequence[Case]) -> tuple[Case, ...]:
    """Return the cases in the edition that most of them ask for, the newer one at a tie.

    An eval set has one edition; a case that asks for another says so in its description.
    """
    asked = Counter(case.edition for case in cases)
    edition = max(asked, key=lambda one: (asked[one], one))
    return tuple(_in_edition(case, edition) for case in cases)


def _in_edition(case: Case, edition: str) -> Case:
    if case.edition == edition:
        return case
    note = f"The source says edition {case.edition}."
    description = f"{case.description} {note}".strip()
    return case.model_copy(update={"edition": edition, "description": description})
