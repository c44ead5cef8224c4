"""Honest programs written by hand, and what cargo said of each test; in `tests/corpus/honest`.

`programs.toml` names for each file its case and its family, the tests by what became of them, and
why the grader differs where that is meant.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import tomli

from forgetest.evalset.load import load
from forgetest.evalset.types import Case
from honest.differ import Place, Told
from honest.draws import Program
from honest.plain import FAILED, IGNORED, PASSED, Judgement
from honest.rewrite import Rewrite
from honest.source import Source

HOME = Path(__file__).resolve().parents[2] / "tests/corpus/honest"
_ENDS = (PASSED, FAILED, IGNORED)
_NAME = "programs.toml"


@dataclass(frozen=True, slots=True)
class Written:
    """A program with what cargo said of it."""

    program: Program
    expected: Judgement

    @property
    def name(self) -> str:
        """The name of its file, without the suffix."""
        return self.program.rewrites[0].name


def cases(home: Path = HOME) -> tuple[Case, ...]:
    """Return the cases that the programs answer."""
    (loaded,) = load([home / "cases.toml"])
    return loaded.cases


def written(home: Path = HOME) -> tuple[Written, ...]:
    """Return all programs, in the order of their list."""
    by_id = {case.id: case for case in cases(home)}
    table = tomli.loads((home / _NAME).read_text(encoding="utf-8"))
    return tuple(_written(name, entry, by_id, home) for name, entry in table.items())


def ways_of(case: Case) -> tuple[tuple[Place, Told], ...]:
    """Return the ways to grade a program of a case: with its reference only where it has one."""
    amounts = (Told.REFERENCE,) * bool(case.reference_solution) + (Told.PROMPT, Told.TESTS)
    return tuple((place, told) for told in amounts for place in Place)


def save(programs: Sequence[Written], said: Iterable[Judgement], home: Path = HOME) -> None:
    """Write the list of programs anew with what cargo says of them."""
    entries = [_entry(one, judgement) for one, judgement in zip(programs, said, strict=True)]
    (home / _NAME).write_text("\n".join(entries), encoding="utf-8")


def _written(
    name: str, entry: Mapping[str, object], by_id: Mapping[str, Case], home: Path
) -> Written:
    code = (home / f"{name}.rs").read_text(encoding="utf-8")
    made = Rewrite(name, str(entry["family"]), _unchanged)
    meant = str(entry.get("by_design", ""))
    program = Program(by_id[str(entry["case"])], code, (made,), meant=meant)
    return Written(program, Judgement(builds=True, tests=dict(_ended(entry))))


def _unchanged(source: Source, _draw: object) -> str:
    return source.text


def _ended(entry: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for end in _ENDS:
        names = entry.get(end, ())
        if isinstance(names, list):
            for name in names:
                yield str(name), end


def _entry(one: Written, said: Judgement) -> str:
    case, family = one.program.case.id, one.program.rewrites[0].family
    lines = [f"[{one.name}]", f'case = "{case}"', f'family = "{family}"']
    if one.program.meant:
        lines.append(f"by_design = {json.dumps(one.program.meant)}")
    for end in _ENDS:
        names = sorted(name for name, ended in said.tests.items() if ended == end)
        if names:
            lines.append(f"{end} = [{', '.join(f'{chr(34)}{name}{chr(34)}' for name in names)}]")
    return "\n".join(lines) + "\n"
