"""Where a sample's tests are put, and the names that they see there."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from forgetest.evalset.types import Case, CompileFail, Protocol
from forgetest.extract.wants import prompt_sources
from forgetest.grading.verdict import Diagnostic, Layout, Reach
from forgetest.rust.items import ItemKind, defined_items, nested
from forgetest.rust.mentions import Mentions, mentions_of
from forgetest.rust.parse import cpu_deadline
from forgetest.rust.root import Root, root_of
from forgetest.rust.splice import renames_a_crate
from forgetest.rust.stdlib import STD_CRATES
from forgetest.rust.wrapper import Api, DeclaredApi, declared_api, wrappable

_PARSE_SECS = 2.0
_KEPT = 64  # cases whose declarations are remembered, for they have many samples
_ROOTED_EDITION = "2015"
# rustc's words for a name that is not there: a type, a value, a trait, a module, an import.
NOT_FOUND = frozenset(
    {"E0405", "E0411", "E0412", "E0422", "E0423", "E0425", "E0432", "E0433", "E0531", "E0573"}
    | {"E0576", "E0599"}
)
# The item was found, and is called with other types or another number of values than declared.
_OTHER_SIGNATURE = frozenset({"E0061", "E0308"})
_QUOTED = re.compile(r"`([^`]+)`")
# `Money` as it occurs in "a struct `Money`", "the `Money` enum" and "struct Money".
_TYPE_IN_PROSE = re.compile(
    r"\b(?:struct|enum|trait|type|union|alias)\s+`?([A-Z]\w*)"
    r"|`([A-Z]\w*)(?:<[^`]*>)?`\s+(?:struct|enum|trait|type|union|alias)\b"
)
USES = "compile_fail"
USES_FOLDER = f"case/{USES}"
USES_FILE = f"{USES_FOLDER}/lib.rs"
_REFUSAL = 'compile_error!("the sample gives another crate the name of one that the tests use");'


def api_of(case: Case, reach: Reach, *, wrapped: bool = True) -> Api:
    """Return the names that the tests of a case see."""
    mentions = _mentions(case.expectations.test_file or "")
    declared = _declared_by(case)
    if not wrapped:
        declared = DeclaredApi(Root(), whole=False)
    declared = replace(declared, crates=crates_of(case))
    return declared_api(declared, mentions, absent=frozenset(reach.absent), opened=reach.open)


def use_files(
    case: Case,
    uses: Sequence[CompileFail],
    rejected: CompileFail | None = None,
    *,
    library: str = "sample",
) -> dict[str, bytes]:
    """Return the crate of some uses of a library, by the paths of its files in a workspace.

    It holds the twins of all of them, and of `rejected` the use itself.
    """
    every = case.expectations.compile_fail
    texts = "\n".join(text for use in every for text in (use.source, use.compiles))
    modules = (f'#[path = "{use.name}.rs"] pub mod use_{use.name};' for use in uses)
    api = "\n".join((_public_api(case.reference_solution or "", crates_of(case), texts), *modules))
    return {
        USES_FILE: _USES_ROOT.format(library=library).encode(),
        f"{USES_FOLDER}/api.rs": f"{api}\n".encode(),
        **{
            use_file(use): (use.source if use == rejected else use.compiles).encode()
            for use in uses
        },
    }


_USES_ROOT = """extern crate {library} as sample;
#[path = "api.rs"]
mod api;
fn main() {{}}
"""


def use_file(use: CompileFail) -> str:
    """Return the path of a use, or its twin, in a workspace."""
    return f"{USES_FOLDER}/{use.name}.rs"


@lru_cache(maxsize=_KEPT)
def _public_api(reference: str, crates: frozenset[str], uses: str) -> str:
    """Return the items of a module whose children see all public names of a sample, as it has them.

    Nothing is wrapped: a use must meet the sample's own types. What `uses` take from the standard
    library or another crate stays what it is there, unless the reference has it of its own.
    """
    root = root_of(reference)
    own = frozenset(root.kinds) | {import_.name for import_ in root.imports if import_.public}
    declared = DeclaredApi(Root(), whole=False, crates=crates, claimed=own)
    return declared_api(declared, mentions_of(uses), opened=True).text("::sample")


def first_layout(case: Case, code: str) -> Layout:
    """Return the layout to try first: the one that leaves the sample the least to say.

    A private item that tests need by its name requires the other. An oversight here costs a build
    that fails, and no verdict.
    """
    items = defined_items(nested(code, case.answer_files))
    api = api_of(case, Reach(layout=Layout.PUBLIC))
    mentions = _mentions(case.expectations.test_file or "")
    wanted = api.needs | mentions.macros | (mentions.sure if api.open else frozenset())
    hidden = {item.name for item in items.top if item.kind is not ItemKind.IMPL and not item.public}
    return Layout.SPLICE if hidden & wanted else Layout.PUBLIC


def wider_reach(
    case: Case, reach: Reach, errors: Sequence[Diagnostic], api_file: str | None
) -> Reach:
    """Return the reach to build the tests with after `errors`; the same if none is left to try."""
    if reach.layout is Layout.LIBTEST or all(_is_settled(error, api_file) for error in errors):
        return reach
    names = api_of(case, reach).names
    lacking = {name for error in errors for name in _lacking(error, api_file) if name in names}
    absent = tuple(sorted({*reach.absent, *lacking}))
    return Reach(layout=Layout.SPLICE, open=True, absent=absent)


def _is_settled(error: Diagnostic, api_file: str | None) -> bool:
    """Tell whether an error would be the same in every layout: the item exists and does not fit."""
    at_api = error.span is not None and error.span.file == api_file
    return at_api and error.code in _OTHER_SIGNATURE


def _lacking(error: Diagnostic, api_file: str | None) -> Iterator[str]:
    """Yield the names declared for the tests that rustc did not find."""
    if error.code in NOT_FOUND and error.span is not None and error.span.file == api_file:
        for path in _QUOTED.findall(error.message):
            yield from (name.strip() for name in path.split("::"))


def refusal(case: Case, code: str) -> str:
    """Return an item that stops the build of a spliced sample that renames a crate, or nothing."""
    names = STD_CRATES | crates_of(case)
    # In this edition `::std` is a name of the root like any other.
    old = case.edition == _ROOTED_EDITION
    shadows = old and not names.isdisjoint(_bound_by(root_of(nested(code, case.answer_files))))
    return _REFUSAL if shadows or renames_a_crate(code, names) else ""


def _bound_by(root: Root) -> set[str]:
    return {*root.kinds, *(import_.name for import_ in root.imports)}


def proven_by(case: Case, needs: frozenset[str]) -> frozenset[str]:
    """Return the names that certainly exist once the tests are built with what they need."""
    return needs | _mentions(case.expectations.test_file or "").outside


def crates_of(case: Case) -> frozenset[str]:
    """Return the names by which Rust code calls what the case depends on."""
    return frozenset(dependency.name.replace("-", "_") for dependency in case.dependencies)


def _declared_by(case: Case) -> DeclaredApi:
    tests = case.expectations.test_file or ""
    reference = case.reference_solution
    if reference is not None:
        reference = nested(reference, case.answer_files)
    declared = _declared(reference, case.prompt, case.protocol, tests)
    return replace(declared, claimed=declared.claimed | _expected(case))


def _expected(case: Case) -> frozenset[str]:
    return frozenset(case.expectations.expected_types + case.expectations.expected_functions)


@lru_cache(maxsize=_KEPT)
def _mentions(test_file: str) -> Mentions:
    return mentions_of(test_file)


@lru_cache(maxsize=_KEPT)
def _declared(
    reference: str | None, prompt: str, protocol: Protocol, test_file: str
) -> DeclaredApi:
    """Return what a case declares, by its solution or else by the code in its prompt.

    Of several sources in a prompt the first counts that has a function which the tests mention.
    """
    if reference is not None:
        return DeclaredApi(root_of(reference), whole=True)
    roots = [root_of(source) for source in prompt_sources(prompt, cpu_deadline(_PARSE_SECS))]
    named = {name for match in _TYPE_IN_PROSE.findall(prompt) for name in match if name}
    claimed = frozenset(named).union(*(root.kinds for root in roots))
    if protocol is Protocol.CHAT:
        roots = [_without_bodies(root) for root in roots]
    fitting = [root for root in roots if wrappable(root, _mentions(test_file))]
    return DeclaredApi(fitting[0] if fitting else Root(), whole=False, claimed=claimed)


def _without_bodies(root: Root) -> Root:
    """Return a prompt's code without the declarations of functions that it defines.

    Code that the prompt shows may have to be fixed, declaration included.
    """
    written = {item.name for item in root.items.top if not item.hollow}
    kept = {
        name: declaration
        for name, declaration in root.declarations.items()
        if name not in written or name not in root.items.functions
    }
    return replace(root, declarations=kept)
