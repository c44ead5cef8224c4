"""What tests use of a sample although the model was never told its name."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from forgetest.evalset.types import Case
from forgetest.rust.items import ItemKind, Scope, defined_items, nested
from forgetest.rust.mentions import Use, Uses, parts_of, uses_of
from forgetest.rust.stdlib import (
    IN_SCOPE,
    STD_CRATES,
    STD_MACROS,
    STD_METHODS,
    STD_PLACES,
    TRAIT_FUNCTIONS,
)

# In scope without an import, or missing from the tests' imports, but in no case the sample's.
_STD = IN_SCOPE | STD_CRATES | {"size_of", "size_of_val", "align_of", "align_of_val"}
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class _Defined:
    """What a reference solution defines, by the way in which tests may reach it."""

    items: frozenset[str] = frozenset()
    members: frozenset[str] = frozenset()  # of its own impls and traits, fields and variants
    looked_up: frozenset[str] = frozenset()  # those that a value is sure to have from the sample


def unnamed(case: Case) -> tuple[str, ...]:
    """Return the items of a sample that grading needs and neither prompt nor context names.

    In the order of the tests, then those of `expected_functions` and `expected_types`; `Type::name`
    for what is used so. A word anywhere in the prompt, a context file or its path names an item.
    What is not certain to be the sample's is left out.
    """
    wanted = case.expectations
    used = [*_used(case), *wanted.expected_functions, *wanted.expected_types]
    told = _words(
        [case.prompt, *(text for file in case.context for text in (file.path, file.content))]
    )
    missing = {_last(name): name for name in reversed(used) if _last(name) not in told}
    return tuple(name for name in dict.fromkeys(used) if missing.get(_last(name)) == name)


def _words(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(word for text in texts for word in _WORD.findall(text))


def _last(name: str) -> str:
    return name.rpartition("::")[2].removeprefix("r#")


def _used(case: Case) -> Iterator[str]:
    """Yield the names by which the tests, and uses that must not compile, reach into the sample."""
    reference = nested(case.reference_solution or "", case.answer_files)
    defined = _defined(reference) if reference else None
    yield from _used_in(case, case.expectations.test_file or "", defined)
    for use in case.expectations.compile_fail:
        yield from _used_in(case, use.compiles, defined)
        yield from _used_in(case, use.source, defined)


def _used_in(case: Case, text: str, defined: _Defined | None) -> Iterator[str]:
    uses = uses_of(text)
    crates = {dependency.name.replace("-", "_") for dependency in case.dependencies}
    elsewhere = uses.imported | uses.own | crates | _STD
    yield from (name for name in uses.wanted if name not in uses.own)
    for use in uses.paths:
        if use.is_of_value:
            yield from _looked_up(use, uses, defined)
        elif use.before != "::" and use.names[0] not in elsewhere:
            yield from _in_sample(use, uses, defined)


def _looked_up(use: Use, uses: Uses, defined: _Defined | None) -> Iterator[str]:
    name = use.names[0]
    if defined and name in defined.looked_up and name not in uses.own:
        yield name


def _in_sample(use: Use, uses: Uses, defined: _Defined | None) -> Iterator[str]:
    head, *rest = use.names
    is_local = not rest and head in uses.bound
    if use.after == "!":
        is_known = head in defined.items if defined else not uses.has_globs
        if not rest and is_known and head not in STD_MACROS:
            yield head
    elif defined:
        yield from _of_reference(use, defined) if not is_local else ()
    elif not (is_local or uses.has_globs or head in STD_PLACES) and _is_item(use):
        yield head
        yield from (f"{head}::{name}" for name in rest if name not in TRAIT_FUNCTIONS)


def _of_reference(use: Use, defined: _Defined) -> Iterator[str]:
    head, *rest = use.names
    if head in defined.items:
        yield head
        yield from (f"{head}::{name}" for name in rest if name in defined.items | defined.members)


def _is_item(use: Use) -> bool:
    """Tell an item from anything else a lone word in the tokens of a macro may be."""
    head = use.names[0]
    if use.after in {"=", ":"} or head == "_":
        return False
    return head[0].isupper() or use.after == "(" or len(use.names) > 1


def _defined(reference: str) -> _Defined:
    found = defined_items(reference)
    reachable = list(found.reachable())
    traits = found.traits
    methods = {
        item.name
        for item in reachable
        if item.scope is Scope.MEMBER and (not item.of_trait or item.owner in traits)
    }
    parts = parts_of(reference)
    return _Defined(
        items=frozenset(
            item.name
            for item in reachable
            if item.scope is not Scope.MEMBER and item.kind is not ItemKind.IMPL
        ),
        members=frozenset(methods | parts.variants),
        looked_up=frozenset((methods | parts.fields) - STD_METHODS),
    )
