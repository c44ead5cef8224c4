"""What a case expects the code to define, as far as the case says it anywhere."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from forgetest.evalset.types import Case
from forgetest.extract.blocks import Language, layout
from forgetest.extract.opening import find_opening
from forgetest.rust.items import Item, Items, Kind, Scope, defined_items
from forgetest.rust.parse import cpu_deadline

_PARSE_SECS = 2.0
_INLINE = re.compile(r"(?<!`)`([^`\n]*\b(?:fn|struct|enum|trait)\s[^`\n]*)`(?!`)")
_TYPES = frozenset({Kind.STRUCT, Kind.ENUM, Kind.UNION, Kind.TRAIT, Kind.ALIAS})
_OTHERS = frozenset({Kind.CONST, Kind.STATIC, Kind.MACRO})


@dataclass(frozen=True, slots=True)
class Wants:
    """Names by kind; a method may be wanted as `Type::method`."""

    functions: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    others: tuple[str, ...] = ()  # constants, statics and macros
    impls: tuple[str, ...] = ()  # `Trait for Type`; not demanded, a derive may stand for one
    known: bool = field(default=False, compare=False)  # all that is wanted, by a reference

    @property
    def count(self) -> int:
        """How many items the code must define."""
        return len(self.functions) + len(self.types) + len(self.others)

    @property
    def all(self) -> frozenset[str]:
        """All items that the code must define, each name with its kind."""
        names = (*self.functions, *self.types, *self.others)
        return self.mentioned(frozenset(name.rpartition("::")[2].rstrip("!") for name in names))

    def found(self, items: Items, also: frozenset[str] = frozenset()) -> frozenset[str]:
        """Return which of the wanted items are there, each name with its kind.

        `also` are names that are there whatever they name: re-exports, and what macros define.
        """
        others = {_plain(item.name) for item in items.reachable() if item.kind in _OTHERS} | also
        types = {_plain(name) for name in items.types} | also
        return frozenset(
            {f"fn {name}" for name in self.functions if _has(name, items, others)}
            | {f"type {name}" for name in self.types if name.rpartition("::")[2] in types}
            | {f"other {name}" for name in self.others if name.rstrip("!") in others}
        )

    def mentioned(self, names: frozenset[str]) -> frozenset[str]:
        """Return which of the wanted items have one of these names, each with its kind."""
        kinds = (("fn", self.functions), ("type", self.types), ("other", self.others))
        return frozenset(
            f"{kind} {name}"
            for kind, wanted in kinds
            for name in wanted
            if name.rpartition("::")[2].rstrip("!") in names
        )


def wants(case: Case) -> Wants:
    """Return what the code of a case must define.

    The expectations say it; what they leave open is the public API of the reference solution.
    Without either, it is what the prompt's own code declares.
    """
    said = case.expectations
    deadline = cpu_deadline(_PARSE_SECS)
    if case.reference_solution:
        known = _api(defined_items(case.reference_solution, deadline))
    elif said.expected_functions or said.expected_types:
        known = Wants()
    else:
        known = _from_prompt(case.prompt, deadline)
    return Wants(
        functions=said.expected_functions or known.functions,
        types=said.expected_types or known.types,
        others=known.others,
        impls=known.impls,
        known=bool(case.reference_solution),
    )


def _api(items: Items) -> Wants:
    """Return the public items at the crate root, or all of them where nothing is public."""
    top = [item for item in items.top if not _is_main(item)]
    public = [item for item in top if item.public] or top
    types = _names(public, _TYPES)
    methods = [
        f"{item.owner}::{item.name}"
        for item in items.reachable()
        if item.kind is Kind.METHOD and item.public and not item.of_trait and item.owner in types
    ]
    return Wants(
        functions=_unique([*_names(public, {Kind.FUNCTION}), *methods]),
        types=types,
        others=_names(public, _OTHERS),
        impls=_unique(i.name for i in top if i.kind is Kind.IMPL and " for " in i.name),
    )


def _from_prompt(prompt: str, deadline: float) -> Wants:
    """Return what the prompt's code leaves to be written, or else all that it declares."""
    declared = [item for code in _prompt_codes(prompt, deadline) for item in code.reachable()]
    items = [item for item in declared if not _is_main(item) and item.scope is not Scope.MODULE]
    functions = [item for item in items if item.kind in {Kind.FUNCTION, Kind.METHOD}]
    due = [item for item in functions if item.hollow] or functions
    names = [f"{i.owner}::{i.name}" if i.kind is Kind.METHOD else i.name for i in due]
    return Wants(functions=_unique(names), types=_names(items, _TYPES))


def _prompt_codes(prompt: str, deadline: float) -> list[Items]:
    """Return what the code in a prompt declares."""
    found = [defined_items(code, deadline) for code in prompt_sources(prompt, deadline)]
    return found if any(items.items for items in found) else []


def prompt_sources(prompt: str, deadline: float) -> list[str]:
    """Return the code in a prompt, closed where it is open: at its end, in blocks, in a sentence.

    Each source is one of them; those in sentences count when no block declares anything.
    """
    opening = find_opening(prompt, deadline)
    if opening is not None:
        missing = "{}" if opening.depth == 0 else "}" * opening.depth
        return [f"{opening.code}\n{missing}"]
    blocks = [block for block in layout(prompt).blocks if block.language is not Language.OTHER]
    codes = [block.code for block in blocks]
    if any(defined_items(code, deadline).items for code in codes):
        return codes
    return [f"{span.rstrip(';')} {{}}" for span in _INLINE.findall(prompt)]


def _has(name: str, items: Items, others: frozenset[str] | set[str]) -> bool:
    """Tell whether a wanted function is there: a constant or a macro may be one by its name."""
    owner, _, last = name.rpartition("::")
    raw = f"{owner}::r#{last}" if owner else f"r#{last}"
    found = items.functions_named(name) or items.functions_named(raw)
    return bool(found) or name.rstrip("!") in others


def _plain(name: str) -> str:
    return name.removeprefix("r#")


def _is_main(item: Item) -> bool:
    return item.kind is Kind.FUNCTION and item.name == "main"


def _names(items: Iterable[Item], kinds: Iterable[Kind]) -> tuple[str, ...]:
    return _unique(item.name for item in items if item.kind in kinds)


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
