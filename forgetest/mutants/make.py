"""Mutants of a solution: every change that the operators know, without repeats, evenly thinned."""

from collections import Counter
from collections.abc import Iterator

from forgetest.mutants.branch import branch
from forgetest.mutants.call import call
from forgetest.mutants.change import Change, Source, both_in_one_line
from forgetest.mutants.constant import constant
from forgetest.mutants.declared import declared
from forgetest.mutants.method import method
from forgetest.mutants.operators import binary, span, unary
from forgetest.mutants.returns import result
from forgetest.mutants.shadow import read
from forgetest.mutants.thin import thinned
from forgetest.mutants.tokens import token
from forgetest.mutants.types import Mutant
from forgetest.mutants.variant import variant
from forgetest.mutants.walk import places
from forgetest.rust.parse import parse

MOST = 80
_NOTHING = "(left out)"
_OPERATORS = (binary, span, unary, constant, method, token, branch, call)


def mutants(code: str, *, most: int = MOST) -> tuple[Mutant, ...]:
    """Return at most `most` mutants of a solution, in the order of its source.

    Whether they compile is not known. Code that does not parse has none.
    """
    source = read(code)
    if source is None:
        return ()
    return thinned(tuple(_mutants(source)), most, lambda one: (one.function, one.operator))


def _mutants(source: Source) -> Iterator[Mutant]:
    seen = {source.data}
    names = Counter[str]()
    for function, change in _changes(source):
        code = source.data[: change.start] + change.text.encode() + source.data[change.end :]
        if code in seen or parse(code).root_node.has_error:
            continue
        seen.add(code)
        before, after = both_in_one_line(change.before, change.after)
        name = f"{function}: " * bool(function) + f"{before} -> {after or _NOTHING}"
        names[name] += 1
        yield Mutant(
            id=name if names[name] == 1 else f"{name} #{names[name]}",
            function=function,
            operator=change.operator,
            line=source.data.count(b"\n", 0, change.start) + 1,
            before=change.before,
            after=change.after,
            code=code.decode(errors="replace"),
            missing=_sentence(function, change.missing),
        )


def _changes(source: Source) -> Iterator[tuple[str, Change]]:
    types = declared(source.root, source.data)
    for place in places(source):
        for of_types in (result, variant):
            for change in of_types(place.node, source, types):
                yield place.function, change
        for operator in _OPERATORS:
            for change in operator(place.node, source):
                yield place.function, change


def _sentence(function: str, missing: str) -> str:
    subject = f"`{function}`" if function else "what uses this"
    return f"call {subject} {missing}"
