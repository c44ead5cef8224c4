"""What lm-evaluation-harness calls: a filter that grades all replies, and metrics of each case."""

import re
from importlib import import_module
from pathlib import Path

import pytest
from tiny import RIGHT, SET

from forgetest.integrations import lm_eval


@pytest.mark.cargo
def test_replies_are_graded_together_and_counted_by_case(tmp_path: Path) -> None:
    path = tmp_path / "tiny.toml"
    path.write_text(SET, encoding="utf-8")
    docs = [{"eval_set": str(path), "case": f"tiny/{name}"} for name in ("triple", "is-even")]
    right = f"```rust\n{RIGHT['triple']}\n```"

    triple, even = lm_eval.graded([[right, "no idea"], ["no idea"]], docs)

    assert [sample["case"] for sample in (*triple, *even)] == ["tiny/triple"] * 2 + ["tiny/is-even"]
    assert lm_eval.metrics(docs[0], [triple]) == {"unscored": 0, "pass_at_1": 0.5, "score": 0.5}
    assert lm_eval.metrics(docs[1], [even]) == {"unscored": 0, "pass_at_1": 0, "score": 0}


def test_what_the_machine_failed_on_is_in_no_rate() -> None:
    lost = {"score": None, "outcome": None}
    passed = {"score": 1.0, "outcome": "passed"}

    assert lm_eval.metrics({}, [[lost, lost]]) == {"unscored": 1}
    assert lm_eval.metrics({}, [[lost, passed]]) == {"unscored": 0.5, "pass_at_1": 1, "score": 1}


def test_the_task_names_functions_that_exist() -> None:
    (task,) = lm_eval.TASKS.glob("*.yaml")

    named = re.findall(r"!function (\S+)\.(\w+)$", task.read_text("utf-8"), re.MULTILINE)

    assert len(named) == 3
    assert all(callable(getattr(import_module(module), name)) for module, name in named)
