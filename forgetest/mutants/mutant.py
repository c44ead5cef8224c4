"""A mutant: one small change to a solution, and how the change is shown to people.

`thinned` chooses mutants evenly when a solution has too many.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

from tree_sitter import Node


class Operator(StrEnum):
    """What kind of change makes a mutant."""

    COMPARISON = "comparison"  # == for !=, < for >
    BOUNDARY = "boundary"  # < for <=, .. for ..=
    ARITHMETIC = "arithmetic"  # + for -, saturating_add for saturating_sub
    LOGIC = "logic"  # && for ||, a condition negated
    CONSTANT = "constant"  # 1 for 0, a text emptied
    RETURN = "return"  # a body or a result replaced by a plain value of its type
    BRANCH = "branch"  # an if never taken, a match arm dropped, an else left out
    CALL = "call"  # a call or a statement left out


@dataclass(frozen=True, slots=True)
class Mutant:
    """A solution with one change."""

    id: str  # `push: a < b -> a <= b`, with ` #2` behind it when the same change comes again
    function: str  # whose body it changes: `Stack::push`; empty at the top level
    operator: Operator
    line: int  # of the change in the solution, from 1
    before: str
    after: str
    code: str  # the whole changed source
    missing: str  # the test that would notice, in one sentence


@dataclass(frozen=True, slots=True)
class Blank:
    """A solution whose every body does no work."""

    name: str  # "empty", "constant", "constant 2", "panicking"
    code: str


_SHOWN = 500  # bytes on either side of a change; more is not kept


@dataclass(frozen=True, slots=True)
class ParsedSolution:
    """A solution's bytes and its tree, in which some macros may be read as calls."""

    data: bytes
    root: Node
    own: frozenset[str] = frozenset()  # names of its functions, which may be anybody's words

    def text(self, node: Node | None) -> str:
        """Return the source of a node, an empty text for none."""
        return "" if node is None else self.slice(node.start_byte, node.end_byte)

    def slice(self, start: int, end: int) -> str:
        """Return the text between two offsets in bytes."""
        return self.data[start:end].decode(errors="replace")


@dataclass(frozen=True, slots=True)
class Change:
    """Bytes to replace by a text; `before` and `after` are the text around them."""

    operator: Operator
    start: int
    end: int
    text: str
    before: str
    after: str
    missing: str  # what the test that notices does, to follow "call `function` "


def changed(
    source: ParsedSolution,
    operator: Operator,
    node: Node,
    text: str,
    missing: str,
    *,
    shown: Node | None = None,
    **words: str,
) -> Change:
    """Return the change of `node` to `text`, shown as part of the node `shown` (default: itself).

    `missing` is a format string that may use `before`, `after` and `words`.
    """
    around = shown or node
    head = source.slice(max(around.start_byte, node.start_byte - _SHOWN), node.start_byte)
    tail = source.slice(node.end_byte, min(around.end_byte, node.end_byte + _SHOWN))
    before, after = f"{head}{source.text(node)}{tail}", f"{head}{text}{tail}"
    short = {key: shortened(word) for key, word in words.items()}
    told = missing.format(before=shortened(before), after=shortened(after), **short)
    return Change(operator, node.start_byte, node.end_byte, text, before, after, told)


def named(change: Change, before: str, after: str) -> Change:
    """Return the change shown by other texts, where the code itself would be too long."""
    return replace(change, before=before, after=after)


def shortened(text: str, most: int = 60) -> str:
    """Return `text` as one line of at most `most` characters."""
    line = " ".join(text[: _SHOWN + most].split())
    return line if len(line) <= most else f"{line[: most - 3]}..."


def both_in_one_line(before: str, after: str, most: int = 60) -> tuple[str, str]:
    """Return both texts as lines of at most `most` characters in which their difference shows."""
    first, second = (" ".join(text[: 4 * _SHOWN].split()) for text in (before, after))
    if max(len(first), len(second)) <= most:
        return first, second
    same = next((n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), 0)
    start = max(0, same - most // 3)
    start = 0 if start <= len("...") else start
    lead = "..." if start else ""
    return shortened(lead + first[start:], most), shortened(lead + second[start:], most)


T = TypeVar("T")


def thinned(values: Sequence[T], most: int, group: Callable[[T], Hashable]) -> tuple[T, ...]:
    """Return at most `most` of the values, in their order, evenly over their groups."""
    if len(values) <= most:
        return tuple(values)
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for index, value in enumerate(values):
        groups[group(value)].append(index)
    kept: set[int] = set()
    shares = _shares([len(members) for members in groups.values()], most)
    for members, count in zip(groups.values(), shares, strict=True):
        kept.update(members[n * len(members) // count] for n in range(count))
    return tuple(values[index] for index in sorted(kept))


def _shares(sizes: Sequence[int], most: int) -> list[int]:
    """Return how many each group keeps: one more for each in turn, until all are given."""
    shares = [0] * len(sizes)
    while most > 0:
        for index, size in enumerate(sizes):
            if most > 0 and shares[index] < size:
                shares[index] += 1
                most -= 1
    return shares
