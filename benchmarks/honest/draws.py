"""Which programs are compared: a seed says case, wrong change and rewrites of each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from forgetest.evalset.types import Case
from forgetest.mutants.make import mutants
from honest.families import REWRITES
from honest.rewrite import Rewrite

_MUTATED = 0.25  # of the programs get a wrong change first
_TWICE = 0.35  # of the programs are rewritten twice
_TRIES = 40
_MUTANTS = 40


@dataclass(frozen=True, slots=True)
class Program:
    """A program with where it comes from."""

    case: Case
    code: str
    rewrites: tuple[Rewrite, ...]
    mutant: str = ""  # the id of the wrong change, empty for none

    @property
    def families(self) -> tuple[str, ...]:
        """The families of its rewrites, each once."""
        return tuple(dict.fromkeys(one.family for one in self.rewrites))

    @property
    def name(self) -> str:
        """Its case and its rewrites."""
        changes = " + ".join(one.name for one in self.rewrites)
        return f"{self.case.key}: {changes}" + (f" after {self.mutant!r}" if self.mutant else "")


def programs(
    cases: Sequence[Case], seed: int, *, rewrites: Sequence[Rewrite] = REWRITES
) -> Iterator[Program]:
    """Yield programs without end, none twice; the rewrites have equal shares where they apply."""
    draw = Random(seed)
    seen: set[tuple[str, str]] = set()
    misses = 0
    while misses < _TRIES * len(rewrites):
        order = list(rewrites)
        draw.shuffle(order)
        for rewrite in order:
            program = _drawn(cases, rewrite, rewrites, draw)
            if program is None or (program.case.key, program.code) in seen:
                misses += 1
                continue
            misses = 0
            seen.add((program.case.key, program.code))
            yield program


def _drawn(
    cases: Sequence[Case], rewrite: Rewrite, rewrites: Sequence[Rewrite], draw: Random
) -> Program | None:
    """Return a program that a rewrite makes of some case; None when it fits none of many."""
    for _ in range(_TRIES):
        case = draw.choice(cases)
        code, mutant = case.reference_solution or "", ""
        if draw.random() < _MUTATED and (made := mutants(code, most=_MUTANTS)):
            wrong = draw.choice(made)
            code, mutant = wrong.code, wrong.id
        rewritten = rewrite(code, draw)
        if rewritten is None:
            continue
        done = [rewrite]
        if draw.random() < _TWICE:
            second = draw.choice(rewrites)
            again = None if second.family == rewrite.family else second(rewritten, draw)
            if again is not None:
                rewritten = again
                done.append(second)
        return Program(case, rewritten, tuple(done), mutant)
    return None
