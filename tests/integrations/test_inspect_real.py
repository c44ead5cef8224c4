"""Inspect AI runs our tasks and takes our scorer."""

import json
import re
import sys
from pathlib import Path

import pytest
from integrated import LOST, TRIPLE, page_code, run_tool

pytestmark = pytest.mark.integrations

# Inspect's mock model counts tokens with a table that it would download.
BYTES = """
import tiktoken
from tiktoken import registry

one_a_byte = {bytes([number]): number for number in range(256)}
registry.ENCODINGS["o200k_base"] = tiktoken.Encoding(
    "o200k_base", pat_str=r"[\\s\\S]", mergeable_ranks=one_a_byte, special_tokens={}
)
"""
EVERY_ANSWER = """
import json, sys
from inspect_ai import eval, score
from inspect_ai.model import ModelOutput, get_model
import forgetest

cases = forgetest.load("mine.toml")
replies = {cases[name].prompt: reply for name, reply in json.loads(sys.argv[1]).items()}

def answer(messages, *_):
    reply = next(reply for prompt, reply in replies.items() if prompt in messages[-1].text)
    return ModelOutput.from_content("mock", reply)

model = get_model("mockllm/model", custom_outputs=answer)
mine = {"eval_set": "mine.toml"}
log = eval("forgetest/eval-set", task_args=mine, model=model, display="none")[0]
scores = {sample.id: sample.scores["forgetest"] for sample in log.samples}
print(json.dumps({
    "status": log.status,
    "accuracy": log.results.scores[0].metrics["accuracy"].value,
    "scored": [log.results.scores[0].scored_samples, log.results.scores[0].unscored_samples],
    "values": {name: str(score.value) for name, score in scores.items()},
    "reasons": {name: score.reason for name, score in scores.items()},
    "outcome": scores["triple"].metadata["outcome"],
}))
"""


@pytest.fixture
def counting(tmp_path: Path) -> str:
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(BYTES, encoding="utf-8")
    return str(folder)


@pytest.mark.parametrize("number", [0, 1])
def test_inspect_runs_the_tasks_of_the_page(tmp_path: Path, counting: str, number: int) -> None:
    line = page_code("Inspect AI", "sh").splitlines()[number]

    out = run_tool(tmp_path, "bash", "-c", f"{line} --limit 2 --display plain", PYTHONPATH=counting)

    assert re.search(r"accuracy +0\.000", out)
    assert ("dataset: rust-basics", "dataset: tiny")[number] in out


def test_a_task_of_ones_own_takes_the_scorer(tmp_path: Path, counting: str) -> None:
    run_tool(tmp_path, sys.executable, "-c", page_code("Inspect AI", "python"), PYTHONPATH=counting)


def test_inspect_scores_what_passes_and_leaves_out_what_the_machine_failed_on(
    tmp_path: Path, counting: str
) -> None:
    replies = json.dumps({"triple": TRIPLE, "is-even": "no idea", "lost": TRIPLE})
    script = f"open('mine.toml', 'a').write({LOST!r})\n{EVERY_ANSWER}"

    out = run_tool(tmp_path, sys.executable, "-c", script, replies, PYTHONPATH=counting)

    seen = json.loads(out.splitlines()[-1])
    assert seen["status"] == "success"
    assert seen["values"] == {"triple": "C", "is-even": "I", "lost": "nan"}
    assert seen["reasons"]["lost"] == "scoring_failed"
    assert (seen["accuracy"], seen["scored"], seen["outcome"]) == (0.5, [2, 1], "passed")
