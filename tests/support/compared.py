"""Sides of a comparison, made as a run makes them: records to report.json to what is read of it."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from records import FAULT, case, manifest, records

from forgetest.compare.compare import compare_sides
from forgetest.compare.read import read_side
from forgetest.compare.side import Side
from forgetest.compare.types import CompareOptions, Comparison
from forgetest.metrics import Counts
from forgetest.report.build import build_report
from forgetest.report.files import dump_report
from forgetest.run.seal import unsealed

MODEL = "p/m"


def report(
    letters: Mapping[str, str] | Mapping[str, Mapping[str, str]], *, pass_k: Sequence[int] = (1,)
) -> dict[str, Any]:
    """Return a report as JSON data, from `set/case` -> letters, or model -> `set/case` -> letters.

    P passes, F fails a test of two, B does not compile, x is unscored.
    """
    by_model = letters if _has_models(letters) else {MODEL: letters}
    keys = list(dict.fromkeys(key for one in by_model.values() for key in one))
    cases = [_case(key) for key in keys]
    n = max((len(word) for one in by_model.values() for word in one.values()), default=1)
    plan = manifest(cases, models=tuple(by_model), n=n, pass_k=pass_k)
    recorded = {
        f"{model}|{key}": len(one.get(key, "")) for model, one in by_model.items() for key in keys
    }
    plan = plan.model_copy(update={"plan": plan.plan.model_copy(update={"recorded": recorded})})
    found = {}
    for model, one in by_model.items():
        found.update(records({key: word for key, word in one.items() if word}, model=model))
    return json.loads(
        unsealed(dump_report(build_report(plan, found))) + "}"
    )  # tests change what they like


def _has_models(letters: Mapping[str, Any]) -> bool:
    return bool(letters) and not isinstance(next(iter(letters.values())), str)


def _case(key: str) -> Any:
    eval_set, name = key.split("/")
    return case(name, eval_set=eval_set, tags=("tag",))


def side(letters: Any, *, file: str = "a.json", **changed: Any) -> Side:
    """Return the side of `report`, with top-level fields of the report changed."""
    return read_side(json.dumps({**report(letters), **changed}).encode(), file=file)


def side_of(counts: Sequence[Counts], **changed: Any) -> Side:
    """Return a side whose case i has n samples of which the first c pass."""
    return side(
        {f"set/c{i:03}": "P" * c + "F" * (n - c) for i, (n, c) in enumerate(counts)}, **changed
    )


def compared(baseline: Any, current: Any, **options: Any) -> Comparison:
    """Return the comparison of two sides, or of letters."""
    names = {"a.json": baseline, "b.json": current}
    sides = [one if isinstance(one, Side) else side(one, file=name) for name, one in names.items()]
    return compare_sides(*sides, CompareOptions.model_validate(options))


def write(folder: Path, name: str, data: Any) -> Path:
    """Write JSON data to a file and return its path."""
    path = folder / name
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path


__all__ = ["FAULT", "MODEL", "compared", "report", "side", "side_of", "write"]
