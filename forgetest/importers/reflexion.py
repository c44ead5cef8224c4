"""Logs of Reflexion: one row a problem, with its solution and whether it was solved."""

from dataclasses import dataclass
from pathlib import Path

from forgetest.evalset.types import Case, Protocol, Provenance
from forgetest.importers.naming import model_name, set_id
from forgetest.importers.problems import Task, declaration, eval_set, instruction, refuse_protocol
from forgetest.importers.program import TAKEN, as_tests
from forgetest.importers.reading import Item, demand, each, read_source
from forgetest.importers.types import Imported, Options, Recorded

SOURCE = Provenance(name="Reflexion", licence="MIT", url="https://github.com/noahshinn/reflexion")


@dataclass(frozen=True, slots=True)
class _Row:
    case: Case
    solution: str | None
    solved: bool | None


def read(path: Path, options: Options) -> Imported:
    """Return a case for each row and its solution; a solution is whole functions."""
    refuse_protocol(options, "reflexion")
    id_, model = set_id(path, options), model_name(path, options)
    reading = read_source(path)
    rows, left_out = each(reading.items, lambda item: _row(item, id_), lambda row: row.case.id)
    every = (*reading.left_out, *left_out)
    demand(rows, path, every)
    recorded = tuple(
        Recorded(row.case.id, row.solution, model, row.solved)
        for row in rows
        if row.solution is not None
    )
    return Imported(eval_set(id_, [row.case for row in rows], SOURCE), recorded, every)


def _row(item: Item, id_: str) -> _Row:
    item.demand_rust()
    prompt = item.text("prompt")
    declared = declaration(prompt)
    entry = item.maybe("entry_point") or (declared.name if declared else "")
    task = Task(
        name=item.text("name"),
        prompt=instruction(prompt, declared) if declared else prompt,
        tests=as_tests(item.text("test")),
        functions=(entry,) if entry else (),
        forbidden=TAKEN,
    )
    solution = None if item.value.get("solution") is None else item.string("solution")
    return _Row(task.case(id_, Protocol.CHAT), solution, item.flag("is_solved"))
