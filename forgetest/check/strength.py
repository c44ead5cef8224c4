"""How much the tests of a case notice: near misses of the reference, graded."""

import asyncio
import difflib
from collections.abc import Sequence

from forgetest.check.soundness import CheckTools, mutant_limit
from forgetest.check.types import Equivalent, Fate, Fates, Soundness, Strength, Survivor
from forgetest.errors import Fault
from forgetest.evalset.types import Case
from forgetest.grading.probe import Noticed
from forgetest.mutants.make import left_out, mutants
from forgetest.mutants.mutant import Mutant
from forgetest.rust.joined import sections

_CONTEXT = 2  # unchanged lines around a change


def has_strength(case: Case, sound: Soundness) -> bool:
    """Tell whether mutants of the reference say anything: it passes tests that ran."""
    wanted = case.expectations.should_compile and case.expectations.should_pass_tests
    return bool(wanted and case.reference_solution and sound.timing and sound.reference == "passed")


async def fates_of(case: Case, tools: CheckTools, slowest_secs: float) -> Fates:
    """Return what became of every mutant; raise `Fault` when the machinery fails on one."""
    limit = mutant_limit(slowest_secs)
    code = case.reference_solution or ""
    made = mutants(code)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_fate(case, mutant, tools, limit)) for mutant in made]
    return Fates(mutants=tuple(_sure(task.result()) for task in tasks), left_out=left_out(code))


async def confirmed(case: Case, tools: CheckTools, fates: Fates) -> Fates:
    """Return fates in which those that the case calls equivalent had time enough.

    A mutant that does what the reference does may need as long on a bad day.
    """
    listed = {mutant.mutant for mutant in case.equivalent_mutants}
    late = [fate.mutant for fate in fates.mutants if fate.noticed is Noticed.TIMEOUT]
    if listed.isdisjoint(late):
        return fates
    limit = tools.test_limit(case)
    made = _by_id(case)
    again = {
        name: _sure(await _fate(case, made[name], tools, limit)) for name in late if name in listed
    }
    corrected = tuple(again.get(fate.mutant, fate) for fate in fates.mutants)
    return fates.model_copy(update={"mutants": corrected})


def strength(case: Case, fates: Fates, *, secs: float = 0.0) -> Strength:
    """Return the counts of all fates, with every survivor that the case does not explain."""
    by_noticed = {
        outcome: [fate.mutant for fate in fates.mutants if fate.noticed is outcome]
        for outcome in Noticed
    }
    passed = by_noticed[Noticed.PASSED]
    listed = {mutant.mutant: mutant.reason for mutant in case.equivalent_mutants}
    timed_out = len(by_noticed[Noticed.TIMEOUT])
    return Strength(
        made=len(fates.mutants),
        left_out=fates.left_out,
        not_compiled=len(by_noticed[Noticed.NOT_COMPILED]),
        equivalent=tuple(
            Equivalent(mutant=name, reason=listed[name]) for name in passed if name in listed
        ),
        killed=len(by_noticed[Noticed.FAILED]) + timed_out,
        timed_out=timed_out,
        survivors=_survivors(case, [name for name in passed if name not in listed]),
        stale=tuple(name for name in listed if name not in passed),
        secs=secs,
    )


async def _fate(case: Case, mutant: Mutant, tools: CheckTools, limit: float) -> Fate | Fault:
    try:
        found = await tools.notice(case, mutant.code, limit_secs=limit)
    except Fault as fault:  # a value, or the group would wrap it and end all others
        return fault
    return Fate(mutant=mutant.id, noticed=found.noticed, test=found.test)


def _sure(fate: Fate | Fault) -> Fate:
    if isinstance(fate, Fault):
        raise fate
    return fate


def _survivors(case: Case, names: Sequence[str]) -> tuple[Survivor, ...]:
    made = _by_id(case) if names else {}
    return tuple(_survivor(case, made[name]) for name in names)


def _by_id(case: Case) -> dict[str, Mutant]:
    return {mutant.id: mutant for mutant in mutants(case.reference_solution or "")}


def _survivor(case: Case, mutant: Mutant) -> Survivor:
    return Survivor(
        mutant=mutant.id,
        function=mutant.function,
        operator=mutant.operator,
        line=mutant.line,
        diff=diff(case.reference_solution or "", mutant.code),
        missing=mutant.missing,
    )


def diff(before: str, after: str) -> str:
    """Return what changed between two sources, unified, below its path if there are several."""
    old, new = sections(before), sections(after)
    parts: list[str] = []
    for path in new:
        texts = (old.get(path, "").splitlines(), new[path].splitlines())
        lines = list(difflib.unified_diff(*texts, n=_CONTEXT, lineterm=""))[2:]
        parts += [path, *lines] if lines and len(new) > 1 else lines
    return "\n".join(parts)
