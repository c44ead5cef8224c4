"""Verifiers asks a server for answers to our taskset."""

import json
from pathlib import Path

import pytest
from fake_llm import FakeLLM
from integrated import LOST, TRIPLE, page_code, run_tool
from tiny import SET

pytestmark = pytest.mark.integrations


def test_verifiers_rewards_what_a_served_model_answers(tmp_path: Path) -> None:
    (tmp_path / "lost.toml").write_text(SET + LOST, encoding="utf-8")
    line = page_code("verifiers", "sh").strip().replace("rust-basics", "lost.toml")
    here = "--env.agent.runtime.type subprocess --client.api-key-var FAKE_KEY --no-rich"
    with FakeLLM(TRIPLE) as server:
        run_tool(
            tmp_path,
            "bash",
            "-c",
            f"{line} {here} --client.base-url {server.openai_url} --run.name taken",
            FAKE_KEY="key",
        )

    (traces,) = (tmp_path / "outputs").rglob("traces.jsonl")
    episodes = map(json.loads, traces.read_text("utf-8").splitlines())
    told = {
        trace["task"]["key"]: (trace["rewards"]["rust"] or {}).get("score")
        for episode in episodes
        for trace in episode["traces"]
    }
    assert told == {"tiny/triple": 1.0, "tiny/is-even": 0.5, "tiny/lost": None}
