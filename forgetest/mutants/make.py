"""Mutants of a solution: every change that the operators know, without repeats, evenly thinned."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b

from forgetest.mutants.control import branch, call, result
from forgetest.mutants.expressions import binary, constant, method, span, token, unary, variant
from forgetest.mutants.mutant import Change, Mutant, ParsedSolution, both_in_one_line, thinned
from forgetest.mutants.tree import changeable_nodes, declared_types, parse_solution, parses

MOST = 80
_NOTHING = "(left out)"
_OPERATORS = (binary, span, unary, constant, method, token, branch, call)


@dataclass(frozen=True, slots=True)
class _Named:
    """A change with its function and the id of its mutant."""

    id: str
    function: str
    change: Change


def mutants(code: str, *, most: int = MOST) -> tuple[Mutant, ...]:
    """Return at most `most` mutants of a solution, in the order of its source.

    Whether they compile is not known. Code that does not parse has none, nor has code longer
    than 256 KiB or nested hundreds deep.
    """
    source = parse_solution(code)
    if source is None:
        return ()
    kept = thinned(
        tuple(_named(source)), most, lambda named: (named.function, named.change.operator)
    )
    made = (_mutant(named, source) for named in kept)
    return tuple(mutant for mutant in made if parses(mutant.code))


def left_out(code: str, *, most: int = MOST) -> int:
    """Return how many mutants of a long solution are thinned out."""
    source = parse_solution(code)
    return 0 if source is None else max(0, sum(1 for _ in _named(source)) - most)


def _named(source: ParsedSolution) -> Iterator[_Named]:
    """Yield the changes that give different codes; an id that comes again gets a number."""
    seen = {_digest(source.data)}
    names = Counter[str]()
    for function, change in _changes(source):
        digest = _digest(_applied(change, source))
        if digest in seen:
            continue
        seen.add(digest)
        before, after = both_in_one_line(change.before, change.after)
        name = f"{function}: " * bool(function) + f"{before} -> {after or _NOTHING}"
        names[name] += 1
        yield _Named(name if names[name] == 1 else f"{name} #{names[name]}", function, change)


def _digest(code: bytes) -> bytes:
    return blake2b(code, digest_size=16).digest()


def _applied(change: Change, source: ParsedSolution) -> bytes:
    return source.data[: change.start] + change.text.encode() + source.data[change.end :]


def _mutant(named: _Named, source: ParsedSolution) -> Mutant:
    change = named.change
    return Mutant(
        id=named.id,
        function=named.function,
        operator=change.operator,
        line=source.data.count(b"\n", 0, change.start) + 1,
        before=change.before,
        after=change.after,
        code=_applied(change, source).decode(errors="replace"),
        missing=_sentence(named.function, change.missing),
    )


def _changes(source: ParsedSolution) -> Iterator[tuple[str, Change]]:
    types = declared_types(source.root, source.data)
    for place in changeable_nodes(source):
        for of_types in (result, variant):
            for change in of_types(place.node, source, types):
                yield place.function, change
        for operator in _OPERATORS:
            for change in operator(place.node, source):
                yield place.function, change


def _sentence(function: str, missing: str) -> str:
    subject = f"`{function}`" if function else "what uses this"
    return f"call {subject} {missing}"
