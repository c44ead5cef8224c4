"""An importer: JSON lines with `name`, `task` and `tests`."""

import json
from pathlib import Path

from forgetest.plugins import (
    Case,
    ConfigError,
    EvalSet,
    Expectations,
    Imported,
    Importer,
    ImportOptions,
    Plugin,
    SkippedItem,
    case_id,
    set_id,
)


def read_tasks(path: Path, options: ImportOptions) -> Imported:
    """Return the eval set in a file; a line that is no task is left out and named."""
    eval_set = set_id(path, options)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    cases: list[Case] = []
    left_out: list[SkippedItem] = []
    for number, line in enumerate(lines, start=1):
        try:
            cases.append(_case(json.loads(line), eval_set))
        except (ValueError, KeyError, TypeError) as error:
            left_out.append(SkippedItem(f"line {number}", f"{type(error).__name__}: {error}"))
    made = EvalSet(id=eval_set, name=eval_set, cases=tuple(cases)) if cases else None
    return Imported(made, left_out=tuple(left_out))


def _case(task: dict[str, str], eval_set: str) -> Case:
    return Case(
        id=case_id(task["name"]),
        eval_set=eval_set,
        name=task["name"],
        prompt=task["task"],
        expectations=Expectations(test_file=task["tests"]),
    )


task_lines = Plugin(
    api=1, provides=Importer("task-lines", "JSON lines with name, task and tests", read_tasks)
)
