"""Recorded completions as lines that replay reads, with the verdicts of others beside them."""

import json
from collections.abc import Iterable

from forgetest.importers.types import Imported, Recorded


def recording(imported: Imported) -> str:
    """Return JSON Lines, one for each recorded completion in its order.

    A recording without an eval set keeps the names of its source, which replay looks up in
    whatever set it is graded with.
    """
    return "".join(f"{_line(one)}\n" for one in imported.recorded)


def models_of(recorded: Iterable[Recorded]) -> tuple[str, ...]:
    """Return the models of completions, each once."""
    return tuple(dict.fromkeys(one.model for one in recorded))


def _line(one: Recorded) -> str:
    row = {
        **({"eval_set": one.eval_set} if one.eval_set else {}),
        one.key: one.case_id,
        "model": one.model,
        "completion": one.completion,
        "finish": one.finish,
        **({} if one.passed is None else {"recorded_passed": one.passed}),
        **({} if one.verdict is None else {"recorded_verdict": one.verdict}),
        **({"flaky": True} if one.flaky else {}),
    }
    return json.dumps(row, ensure_ascii=True)
