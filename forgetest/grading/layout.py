"""Where a sample's tests stand, and the names that they see there."""

from dataclasses import replace
from enum import StrEnum
from functools import lru_cache

from forgetest.evalset.types import Case, Protocol
from forgetest.extract.wants import prompt_sources
from forgetest.rust.mentions import Mentions, mentions_of
from forgetest.rust.names import STD_CRATES
from forgetest.rust.parse import cpu_deadline
from forgetest.rust.reach import is_reachable
from forgetest.rust.root import Root, root_of
from forgetest.rust.splice import renames_a_crate
from forgetest.rust.wrapper import Api, Declared, declared_api, glob_api, wrappable

_PARSE_SECS = 2.0
_KEPT = 64  # cases whose declarations are remembered, for they have many samples
_ROOTED_EDITION = "2015"
_REFUSAL = 'compile_error!("the sample gives another crate the name of one that the tests use");'


class Layout(StrEnum):
    """How the tests reach the sample."""

    PUBLIC = "public"  # from a crate of their own, by its public names
    SPLICE = "splice"  # from a module spliced into a copy of it, where all names are in reach
    LIBTEST = "libtest"  # the same, compiled and run by libtest


def api_of(case: Case, sample: Root, *, wrapped: bool = True) -> Api:
    """Return the names that the tests of a case see when they are run on a sample."""
    mentions = _mentions(case.expectations.test_file or "")
    declared = _declared_by(case) if wrapped else None
    if declared is None:
        return glob_api(sample, mentions)
    return declared_api(replace(declared, crates=_crates(case)), sample, mentions)


def fitting_layout(case: Case, code: str, sample: Root, api: Api) -> Layout:
    """Return the layout that leaves the sample the least to say, and still reaches all it must."""
    mentions = _mentions(case.expectations.test_file or "")
    declared = _declared_by(case)
    root = declared.root if declared else None
    fits = is_reachable(code, sample, api, mentions, root)
    return Layout.PUBLIC if fits else Layout.SPLICE


def refusal(case: Case, code: str, sample: Root) -> str:
    """Return an item that stops the build of a spliced sample that renames a crate, or nothing."""
    names = STD_CRATES | _crates(case)
    # In this edition `::std` is a name of the root like any other.
    rooted = {*sample.kinds, *(one.name for one in sample.imports)}
    shadows = case.edition == _ROOTED_EDITION and not names.isdisjoint(rooted)
    return _REFUSAL if shadows or renames_a_crate(code, names) else ""


def _crates(case: Case) -> frozenset[str]:
    return frozenset(one.name.replace("-", "_") for one in case.dependencies)


def _declared_by(case: Case) -> Declared | None:
    tests = case.expectations.test_file or ""
    return _declared(case.reference_solution, case.prompt, case.protocol, tests)


@lru_cache(maxsize=_KEPT)
def _mentions(test_file: str) -> Mentions:
    return mentions_of(test_file)


@lru_cache(maxsize=_KEPT)
def _declared(
    reference: str | None, prompt: str, protocol: Protocol, test_file: str
) -> Declared | None:
    """Return what a case declares, None when it names no function that its tests mention.

    The solution says it, or else the code in the prompt.
    """
    if reference is not None:
        return Declared(root_of(reference), whole=True)
    for source in prompt_sources(prompt, cpu_deadline(_PARSE_SECS)):
        root = root_of(source)
        if protocol is Protocol.CHAT:
            root = _without_bodies(root)
        if wrappable(root, _mentions(test_file)):
            return Declared(root, whole=False)
    return None


def _without_bodies(root: Root) -> Root:
    """Return a prompt's code without the declarations of functions that it defines.

    What is already written may be there to be mended, declaration and all.
    """
    written = {item.name for item in root.items.top if not item.hollow}
    kept = {
        name: one
        for name, one in root.declarations.items()
        if name not in written or name not in root.items.functions
    }
    return replace(root, declarations=kept)
