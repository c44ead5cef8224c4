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

    case: Case  # with its test file rewritten, where a rewrite is of that
    code: str
    rewrites: tuple[Rewrite, ...]
    mutant: str = ""  # the id of the wrong change, empty for none
    meant: str = ""  # why the grader may differ from cargo, by design

    @property
    def texts(self) -> tuple[str, str]:
        """Its tests and its code, by which it is known."""
        return self.case.expectations.test_file or "", self.code

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
            if program is None or program.texts in seen:
                misses += 1
                continue
            misses = 0
            seen.add(program.texts)
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
        program = _rewritten(Program(case, code, (), mutant), rewrite, draw)
        if program is None:
            continue
        second = draw.choice(rewrites)
        if draw.random() < _TWICE and second.family != rewrite.family:
            program = _rewritten(program, second, draw) or program
        return program
    return None


def _rewritten(program: Program, rewrite: Rewrite, draw: Random) -> Program | None:
    """Return a program with one rewrite more, of its code or of its case's tests."""
    case, code = program.case, program.code
    tests = case.expectations.test_file or ""
    text = rewrite(tests if rewrite.of_tests else code, draw)
    if text is None:
        return None
    if rewrite.of_tests:
        expectations = case.expectations.model_copy(update={"test_file": text})
        case, text = case.model_copy(update={"expectations": expectations}), code
    return Program(case, text, (*program.rewrites, rewrite), program.mutant)
