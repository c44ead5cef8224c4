"""Third-party recordings beside the repository, which `forgetest import` reads where they lie.

They are never copied into the repository; see their own README.
"""

import json
import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from program import ROOT, Program

DATA = Path(os.environ.get("FORGETEST_SHARED_DATA", ROOT.parent / "shared" / "data"))
NATIVE = DATA / "native"
needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason="the third-party recordings are not beside the clone"
)


@dataclass(frozen=True)
class Graded:
    """One recorded row and the sample that it became."""

    row: dict[str, Any]
    sample: dict[str, Any]

    @property
    def uid(self) -> str:
        return str(self.row["uid"])


def files() -> list[Path]:
    return sorted(DATA.glob("completions-*.jsonl"))


def rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def graded(forgetest: Program, file: Path, *options: str) -> tuple[dict[str, Any], list[Graded]]:
    """Import a file of recorded rows and grade it; return the report and the rows in order."""
    done = forgetest("import", "recorded", file, "--id", "theirs", "--no-validate", "--force")
    assert done.code == 0, done.err
    assert ", 0 left out" in done.err.replace(";", ",")
    done = forgetest(
        "grade", "theirs.jsonl", "-e", "theirs.toml", "--format", "json", "--quiet", *options
    )
    assert done.code == 0, done.err
    report = json.loads(done.out)
    samples = {
        (model["model"]["model"], case["case"], sample["index"]): sample
        for model in report["models"]
        for case in model["cases"]
        for sample in case["samples"]
    }
    return report, list(_paired(rows(file), rows(forgetest.folder / "theirs.jsonl"), samples))


def _paired(
    theirs: list[dict[str, Any]], ours: list[dict[str, Any]], samples: dict[Any, dict[str, Any]]
) -> list[Graded]:
    """Pair the rows with their samples: the nth line of a case is its nth sample."""
    file = "theirs.jsonl"  # which names a recording without a model
    seen: Counter[tuple[str, str]] = Counter()
    found: list[Graded] = []
    for row, line in zip(theirs, ours, strict=True):
        key = (line.get("model") or file, line["case_id"])
        found.append(Graded(row, samples[*key, seen[key]]))
        seen[key] += 1
    return found
