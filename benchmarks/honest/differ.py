"""A program before forgetest's grader and before plain cargo: where the two differ."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from forgetest.errors import Fault, ForgetestError
from forgetest.evalset.types import Case
from forgetest.grading.grader import SampleGrader
from forgetest.grading.verdict import Outcome, TestOutcome, Verdict
from honest.draws import Program
from honest.plain import FAILED, IGNORED, PASSED, ByRustc, Judgement, plain_name
from honest.prompts import in_a_block, in_a_sentence
from honest.source import Source

_ASKED_AGAIN = 20  # times, at most: some wrong changes show themselves once in ten runs
WRITE = "Write the code."


class Told(StrEnum):
    """How much the case tells of what it wants."""

    REFERENCE = "reference"
    PROMPT = "prompt"  # no reference and no expected names
    TESTS = "tests"  # nor anything in the prompt
    SENTENCE = "signatures in a sentence"  # as `TESTS`, but for those of the reference in backticks
    BLOCK = "signatures in a block"  # the same, as code to complete


class Place(StrEnum):
    """Where the tests stand."""

    FITTING = "fitting"  # where the grader puts them
    SPLICE = "splice"


WAYS = tuple((place, told) for told in Told for place in Place)
_PAIRS = (  # each place and each amount of telling, in turns
    ((Place.FITTING, Told.REFERENCE), (Place.SPLICE, Told.PROMPT)),
    ((Place.FITTING, Told.PROMPT), (Place.SPLICE, Told.REFERENCE)),
    ((Place.FITTING, Told.TESTS), (Place.SPLICE, Told.REFERENCE)),
    ((Place.FITTING, Told.REFERENCE), (Place.SPLICE, Told.TESTS)),
    ((Place.FITTING, Told.SENTENCE), (Place.SPLICE, Told.REFERENCE)),
    ((Place.FITTING, Told.BLOCK), (Place.SPLICE, Told.SENTENCE)),
)


def ways(number: int, *, every: bool = False) -> tuple[tuple[Place, Told], ...]:
    """Return the ways in which the program of a number is graded."""
    return WAYS if every else _PAIRS[number % len(_PAIRS)]


def as_told(case: Case, told: Told) -> Case:
    """Return a case that tells only so much, and wants nothing but its tests passed.

    Uses that must not compile count as tests, but plain cargo does not know them.
    """
    bare = {
        "max_clippy_warnings": None,
        "custom_check": None,
        "forbidden_functions": (),
        "compile_fail": (),
    }
    expectations = case.expectations.model_copy(update=bare)
    if told is Told.REFERENCE:
        return case.model_copy(update={"expectations": expectations})
    expectations = expectations.model_copy(update={"expected_functions": (), "expected_types": ()})
    changes: dict[str, object] = {"expectations": expectations, "reference_solution": None}
    solution = Source(case.reference_solution or "")
    if told is Told.TESTS:
        changes["prompt"] = WRITE
    elif told is Told.SENTENCE:
        changes["prompt"] = in_a_sentence(solution)
    elif told is Told.BLOCK:
        changes["prompt"] = in_a_block(solution)
    return case.model_copy(update=changes)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A program, what plain cargo says of it, and what the grader says in one way."""

    program: Program
    place: Place
    told: Told
    plain: Judgement
    graded: Judgement
    exception: str = ""  # why they may differ, by design

    @property
    def agrees(self) -> bool:
        """Whether both say the same."""
        if self.plain.passes != self.graded.passes or self.plain.builds != self.graded.builds:
            return False
        return not self.plain.builds or dict(self.plain.tests) == dict(self.graded.tests)

    @property
    def in_words(self) -> str:
        """The difference, for whoever looks for its cause."""
        return (
            f"{self.program.name}\n  layout {self.place}, case tells its {self.told}\n"
            f"  plain cargo: {self.plain.in_words} {self.plain.why}\n"
            f"  forgetest:   {self.graded.in_words}\n    {self.graded.why}"
        )


@dataclass(slots=True)
class Tally:
    """Counts by family."""

    void: Counter[str] = field(default_factory=Counter)  # no honest program after all
    tried: Counter[str] = field(default_factory=Counter)
    agreed: Counter[str] = field(default_factory=Counter)
    excepted: Counter[str] = field(default_factory=Counter)

    def add(self, comparison: Comparison) -> None:
        """Count a comparison under the families of its rewrites."""
        for family in comparison.program.families:
            self.tried[family] += 1
            self.agreed[family] += comparison.agrees
            self.excepted[family] += not comparison.agrees and bool(comparison.exception)

    def rows(self) -> Iterator[tuple[str, int, int, int, int, int]]:
        """Yield family, void programs, and the comparisons tried, agreed, by design, disagreed."""
        for family in sorted(self.tried | self.void):
            tried, agreed = self.tried[family], self.agreed[family]
            excepted = self.excepted[family]
            yield family, self.void[family], tried, agreed, excepted, tried - agreed - excepted


def judged(verdict: Verdict) -> Judgement:
    """Return a verdict in the form in which it is compared."""
    built = verdict.compiled and verdict.outcome is not Outcome.TEST_BUILD_FAILED
    known = {TestOutcome.PASSED: PASSED, TestOutcome.IGNORED: IGNORED}
    tests = (
        {plain_name(test.name): known.get(test.outcome, FAILED) for test in verdict.tests}
        if built
        else {}
    )
    why = "; ".join(verdict.reasons)
    if built and verdict.passed is (FAILED in tests.values()):
        tests["(the verdict)"] = PASSED if verdict.passed else FAILED
    first = next(iter((*verdict.errors, *verdict.test_errors)), None)
    rendered = first.rendered or first.message if first else ""
    return Judgement(built, tests, why=f"{verdict.outcome}: {why}\n{rendered}".rstrip())


@dataclass(frozen=True)
class Differ:
    """Compares programs; `graders` has one for each place of the tests."""

    graders: dict[Place, SampleGrader]
    plain: ByRustc
    exceptions: Sequence["Exemption"] = ()

    async def compare(
        self, program: Program, chosen: Sequence[tuple[Place, Told]]
    ) -> AsyncIterator[Comparison]:
        """Yield a comparison for each way; none for a program that is not what it was meant to be.

        Left out are programs that do not build under plain cargo, or have to be stopped.
        """
        plain = await asyncio.to_thread(self.plain.judge, program.case, program.code)
        if plain.hangs or not plain.builds or not (plain.passes or program.mutant):
            return
        async for found in self.compared_with(plain, program, chosen):
            yield found

    async def compared_with(
        self, plain: Judgement, program: Program, chosen: Sequence[tuple[Place, Told]]
    ) -> AsyncIterator[Comparison]:
        """Yield a comparison with what plain cargo says for each way.

        None where the sample builds under test alone, which no library may.
        """
        for place, told in chosen:
            graded = await self.grade(place, as_told(program.case, told), program.code)
            found = Comparison(program, place, told, plain, graded)
            if not (found.agrees or graded.builds) and await self._never_builds(program):
                return
            if not await self._is_chance(found):
                yield self._excused(found)

    async def grade(self, place: Place, case: Case, code: str) -> Judgement:
        """Return what the grader says of code with the tests in one place."""
        try:
            return judged(await self.graders[place].grade(case, code))
        except Fault as fault:
            return Judgement(builds=False, why=f"fault: {fault}")
        except ForgetestError as error:
            return Judgement(builds=False, why=f"error: {error}")

    async def _never_builds(self, program: Program) -> bool:
        """Tell whether a sample builds under test alone, which no library may."""
        if program.case.dependencies:
            return False
        return not await asyncio.to_thread(self.plain.builds_alone, program.case, program.code)

    async def _is_chance(self, found: Comparison) -> bool:
        """Tell whether plain cargo, asked again, says something else: the program is unsteady.

        A wrong change can make it so, for some solutions draw random numbers.
        """
        if found.agrees or not found.graded.builds or not found.program.mutant:
            return False
        program = found.program
        for _ in range(_ASKED_AGAIN):
            again = await asyncio.to_thread(self.plain.judge, program.case, program.code)
            if dict(again.tests) != dict(found.plain.tests):
                return True
        return False

    def _excused(self, found: Comparison) -> Comparison:
        if found.agrees:
            return found
        covering = [one.reason for one in self.exceptions if one.covers(found)]
        reasons = [found.program.meant] if found.program.meant else covering
        if not reasons:
            return found
        return Comparison(
            found.program, found.place, found.told, found.plain, found.graded, reasons[0]
        )


@dataclass(frozen=True, slots=True)
class Exemption:
    """Disagreements that are meant, and why."""

    name: str
    reason: str
    rewrites: tuple[str, ...] = ()  # one of which made the program; empty for any
    words: tuple[str, ...] = ()  # one of which the grader's reason holds; empty for any

    def covers(self, found: Comparison) -> bool:
        """Tell whether a disagreement is this one."""
        made = {one.name for one in found.program.rewrites}
        by_rewrite = not self.rewrites or not made.isdisjoint(self.rewrites)
        return by_rewrite and (not self.words or any(w in found.graded.why for w in self.words))
