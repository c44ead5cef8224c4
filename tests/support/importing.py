"""Helpers for tests of importers: what was left out and why, and which references pass."""

import json
from pathlib import Path

import pytest
from program import Program
from recorded import DATA

from forgetest.evalset.types import Case
from forgetest.importers.types import Imported

NATIVE = DATA / "native"
needs_native = pytest.mark.skipif(
    not NATIVE.is_dir(), reason="the third-party sources are not beside the clone"
)


def reasons(found: Imported) -> dict[str, str]:
    """Return why each item was left out, by its name without its place."""
    return {one.item.partition(" (")[0]: one.reason for one in found.left_out}


def cases(found: Imported) -> dict[str, Case]:
    """Return the cases by their ids."""
    assert found.eval_set is not None
    return {case.id: case for case in found.eval_set.cases}


def unsolved(forgetest: Program, eval_set: str | Path) -> list[str]:
    """Return the cases that their own references do not pass, by grading every one."""
    done = forgetest(
        "run", "-e", eval_set, "-m", "reference/solution", "--format", "json", "--quiet"
    )
    rows = json.loads(done.out)["models"][0]["cases"]
    assert all(row["n"] == 1 for row in rows)
    return [row["case"] for row in rows if row["c"] < row["n"]]
