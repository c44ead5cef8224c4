"""A mutant: one small change to a solution, made from its syntax tree."""

from dataclasses import dataclass
from enum import StrEnum


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
