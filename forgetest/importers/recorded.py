"""Rows that hold a whole task each: prompt, tests, completion, verdict, and how these fit together.

`protocol` says it: `full-function` and `chat` completions are whole items, a `continuation` goes on
where the prompt ends. A `prelude` stands before each completion and is told in the prompt.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard

from forgetest.errors import ForgetestError
from forgetest.evalset.types import Case, Protocol, Provenance
from forgetest.importers.naming import case_id, model_name, set_id
from forgetest.importers.problems import Task, declaration, eval_set, instruction, refuse_protocol
from forgetest.importers.program import TAKEN, as_tests
from forgetest.importers.reading import Item, ItemError, demand, read_source
from forgetest.importers.types import Imported, LeftOut, Options, Recorded

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
class Row:
    """One row: what was asked, and what was answered."""

    key: _Key  # what the rows of one case have in common
    task: Task
    protocol: Protocol
    completion: str
    model: str
    passed: bool | None
    verdict: str | None
    flaky: bool


def read(path: Path, options: Options) -> Imported:
    """Return a case for each distinct task of the rows, and the completions of all of them.

    ForgetestError when rows of both protocols are in the source and none is chosen.
    """
    refuse_protocol(options, "recorded")
    reading = read_source(path)
    left_out = list(reading.left_out)
    rows: list[tuple[Item, Row]] = []
    tests: dict[str, str] = {}
    for item in reading.items:
        try:
            rows.append((item, _row(item, model_name(path, options), tests)))
        except ItemError as error:
            left_out.append(LeftOut(_label(item), str(error)))
    protocol = _protocol(path, [row for _, row in rows])
    id_ = set_id(path, options)
    cases: dict[_Key, Case] = {}
    recorded: list[Recorded] = []
    for item, row in rows:
        try:
            case = cases.get(row.key) or _case(row, id_, protocol, cases.values())
        except ItemError as error:
            left_out.append(LeftOut(_label(item), str(error)))
            continue
        cases[row.key] = case
        recorded.append(
            Recorded(case.id, row.completion, row.model, row.passed, row.verdict, flaky=row.flaky)
        )
    demand(recorded, path, left_out)
    source = _provenance([item for item, _ in rows])
    return Imported(eval_set(id_, list(cases.values()), source), tuple(recorded), tuple(left_out))


def _provenance(items: Iterable[Item]) -> Provenance | None:
    """Return what all rows say of their `source`: a name, and its licence in brackets."""
    said = {item.value.get("source") for item in items}
    text = said.pop() if len(said) == 1 else None
    found = re.fullmatch(r"([^()]*[^()\s])(?:\s*\(([^()]+)\))?", text) if _is_name(text) else None
    return Provenance(name=found[1], licence=found[2] or "") if found else None


def _is_name(text: object) -> TypeGuard[str]:
    return isinstance(text, str) and text.isprintable() and len(text) <= _LONGEST


def _row(item: Item, model: str, tests: dict[str, str]) -> Row:
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
    return Row(
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


def _word(item: Item) -> str:
    """Return the first word of `protocol: in more words`."""
    word = item.text("protocol").partition(":")[0].strip()
    if word not in _PROTOCOLS:
        raise ItemError(f'"protocol" must begin with one of {", ".join(_PROTOCOLS)}')
    return word


def _judged(item: Item) -> tuple[bool | None, str | None]:
    """Return whether it passed and the verdict: of a second judge if there is one, else the first.

    The verdict of a judge that is known to be wrong is none.
    """
    second, first = item.maybe("our_verdict"), item.maybe("recorded_verdict")
    is_sound = (item.maybe("recorded_trust") or SOUND) == SOUND
    verdict = second or (first if is_sound else "")
    return (verdict == PASS, verdict) if verdict else (None, None)


def _begun(prelude: str) -> str:
    return f"\n\nThe code begins with:\n\n```rust\n{prelude.strip()}\n```\n" if prelude else ""


def _protocol(path: Path, rows: list[Row]) -> Protocol:
    found = {row.protocol for row in rows}
    if len(found) > 1:
        raise ForgetestError(
            f"{path}: mixes continuations with whole functions, which one eval set can not;"
            ' split the file by "protocol"'
        )
    return found.pop() if found else Protocol.CHAT


def _case(row: Row, id_: str, protocol: Protocol, taken: Iterable[Case]) -> Case:
    """Return the case of a row; a second task of one name gets a number behind its id."""
    plain = case_id(row.task.name)
    same = Counter(case.id for case in taken)
    number = 1
    name = plain
    while same[name]:
        number += 1
        name = f"{plain}-{number}"
    return row.task.case(id_, protocol, name)


def _label(item: Item) -> str:
    uid = item.value.get("uid")
    return f"{uid} ({item.place})" if isinstance(uid, str) and uid else item.place
