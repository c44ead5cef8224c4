"""Third-party recordings beside the repository, as eval sets and completions that `grade` reads.

The material is read where it lies and never copied into the repository; see its own README.
"""

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conftest import ROOT

from forgetest.evalset.dump import dump
from forgetest.evalset.types import Case, EvalSet, Expectations, Protocol

DATA = Path(os.environ.get("FORGETEST_SHARED_DATA", ROOT.parent / "shared" / "data"))
MAIN = re.compile(r"^fn main\(\) ?\{", re.MULTILINE)
TIMEOUT_SECS = 10.0  # as the recorded verdicts were made


@dataclass(frozen=True)
class Row:
    """One recorded completion with the verdict that it must get."""

    uid: str
    case: Case
    completion: str
    verdict: str
    flaky: bool


def files() -> list[Path]:
    return sorted(DATA.glob("completions-*.jsonl"))


def rows(file: Path) -> Iterator[Row]:
    """Yield the rows that are sound or carry a verdict of ours."""
    eval_set = file.stem.removeprefix("completions-")
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines()):
        row: dict[str, Any] = json.loads(line)
        yield Row(
            uid=row["uid"],
            case=as_case(row, eval_set=eval_set, case_id=f"row-{number}"),
            completion=row.get("prelude", "") + row["completion"],
            verdict=row["our_verdict"],
            flaky=bool(row.get("flaky")),
        )


def as_case(row: dict[str, Any], *, eval_set: str, case_id: str) -> Case:
    """Return the row's problem as a case: its `main` full of asserts becomes one named test."""
    entry = row.get("entry_point")
    continued = row["protocol"].startswith("continuation")
    return Case(
        id=case_id,
        eval_set=eval_set,
        name=case_id,
        prompt=row["prompt"],
        protocol=Protocol.COMPLETION if continued else Protocol.CHAT,
        timeout_secs=TIMEOUT_SECS,
        expectations=Expectations(
            test_file=as_test(row["tests"]), expected_functions=(entry,) if entry else ()
        ),
    )


def as_test(program: str) -> str:
    """Return a `main` of asserts as a test; a leading brace closes the prompt's function."""
    body = program.strip().removeprefix("}")
    found = MAIN.search(body)
    assert found is not None
    return f"{body[: found.start()]}#[test]\nfn program() {{{body[found.end() :]}"


def write(folder: Path, name: str, chosen: list[Row]) -> tuple[Path, Path]:
    """Write rows as an eval set and a recording; return both files."""
    cases = tuple(row.case for row in chosen)
    sets = folder / f"{name}.toml"
    sets.write_text(dump(EvalSet(id=name, name=name, cases=cases)), encoding="utf-8")
    recording = folder / f"{name}.jsonl"
    lines = [json.dumps({"case_id": row.case.id, "completion": row.completion}) for row in chosen]
    recording.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return sets, recording
