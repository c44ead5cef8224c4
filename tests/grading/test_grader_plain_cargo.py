"""The promise to honest code: the same end of each test as under plain cargo.

A fixed draw of rewrites and the programs written by hand; `benchmarks/differential.py` is the long
form, with cargo itself for the latter.
"""

import asyncio
import os
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from graders import cache_of, make_grader
from program import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

from honest.byhand import Written, ways_of, written
from honest.differ import Comparison, Differ, Place, Told, ways
from honest.draws import Program, programs
from honest.exceptions import EXCEPTIONS
from honest.families import REWRITES
from honest.plain import ByCargo, ByRustc, Judgement

from forgetest.evalset.load import load
from forgetest.evalset.types import Case
from forgetest.grading.verdict import Layout
from forgetest.system.toolchain import Toolchain

pytestmark = pytest.mark.cargo

DRAWN = 32  # programs, each with another rewrite
SEED = 12
AT_ONCE = 2
LIMITS = {"compile_wall_secs": 120.0, "test_wall_secs": 30.0, "tests_wall_secs": 300.0}


def cases() -> list[Case]:
    sets = load(sorted((ROOT / "eval-sets").glob("*.toml")))
    found = [case for one in sets for case in one.cases if not case.dependencies]
    return [case for case in found if case.expectations.test_file and case.reference_solution]


def differ_of(config: pytest.Config, work: Path) -> Differ:
    layouts = {Place.FITTING: None, Place.SPLICE: Layout.SPLICE}
    graders = {
        place: make_grader(config, layout=layout, cache=cache_of(config), **LIMITS)
        for place, layout in layouts.items()
    }
    toolchain = Toolchain.resolve(os.environ)
    return Differ(graders, ByRustc(toolchain, work, ByCargo(toolchain, work)), EXCEPTIONS)


def compare(differ: Differ, drawn: Iterable[Program]) -> list[Comparison]:
    """Compare each program in one way, another one from program to program."""
    numbered = iter(enumerate(drawn))
    found: list[Comparison] = []

    async def work() -> None:
        for number, program in numbered:
            place = ways(number)[number // 4 % 2 : number // 4 % 2 + 1]
            found.extend([one async for one in differ.compare(program, place)])

    async def everything() -> None:
        await asyncio.gather(*(work() for _ in range(AT_ONCE)))

    asyncio.run(everything())
    return found


def unexplained(found: Iterable[Comparison]) -> list[str]:
    return [one.in_words for one in found if not one.agrees and not one.exception]


def test_rewritten_solutions_end_as_under_plain_cargo(
    pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    found = compare(differ_of(pytestconfig, tmp_path), islice(programs(cases(), SEED), DRAWN))
    assert len(found) > DRAWN * 0.7, "too many rewrites are no honest programs"
    assert not all(one.plain.passes for one in found)
    wrong = unexplained(found)
    assert not wrong, "\n".join(wrong)


def with_way() -> Iterator[tuple[Written, Place, Told]]:
    """Yield each program written by hand in one of its ways, all of them in turns."""
    for number, one in enumerate(written()):
        chosen = ways_of(one.program.case)
        yield one, *chosen[number % len(chosen)]


def test_programs_written_by_hand_end_as_cargo_said(
    pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    differ = differ_of(pytestconfig, tmp_path)
    waiting = iter(tuple(with_way()))
    found: list[Comparison] = []

    async def work() -> None:
        for one, place, told in waiting:
            way = ((place, told),)
            found.extend(
                [each async for each in differ.compared_with(one.expected, one.program, way)]
            )

    async def everything() -> None:
        await asyncio.gather(*(work() for _ in range(AT_ONCE)))

    asyncio.run(everything())
    wrong = unexplained(found)
    assert not wrong, "\n".join(wrong)


def test_a_grader_that_differs_is_found(pytestconfig: pytest.Config, tmp_path: Path) -> None:
    differ = differ_of(pytestconfig, tmp_path)
    program = next(one for one in programs(cases(), SEED) if not one.mutant)
    lie = Judgement(builds=True, tests={"tests::no_such_test": "passed"})

    async def found() -> list[Comparison]:
        way = ((Place.FITTING, Told.REFERENCE),)
        return [one async for one in differ.compared_with(lie, program, way)]

    (comparison,) = asyncio.run(found())
    assert not comparison.agrees


def test_each_rewrite_applies_to_some_case() -> None:
    draw = Random(SEED)  # noqa: S311 - repeatable, and no secret
    codes = [case.reference_solution or "" for case in all_cases()]
    files = [case.expectations.test_file or "" for case in all_cases()]
    unused = [
        one.name
        for one in REWRITES
        if not any(one(text, draw) for text in (files if one.of_tests else codes))
    ]
    assert not unused


def all_cases() -> list[Case]:
    sets = load(sorted((ROOT / "eval-sets").glob("*.toml")))
    return [case for one in sets for case in one.cases]


def test_a_seed_draws_the_same_programs_again() -> None:
    first, again = (list(islice(programs(cases(), SEED), 10)) for _ in range(2))
    assert [one.code for one in first] == [one.code for one in again]
    assert [one.code for one in first] != [
        one.code for one in islice(programs(cases(), SEED + 1), 10)
    ]
