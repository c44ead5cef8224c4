"""A run that names no model: a terminal is offered what is there, a pipe hears what to write."""

from pathlib import Path

import pytest
from fake_llm import FakeLLM
from program import Program
from terminal import typed
from tiny import SET

LINE = ("run", "-e", "tiny.toml", "--dry-run")


@pytest.fixture
def asking(forgetest: Program) -> Program:
    """Return the program beside a set, with no configuration."""
    (forgetest.folder / "tiny.toml").write_text(SET, encoding="utf-8")
    return forgetest


def configure(folder: Path, fake: FakeLLM) -> None:
    """Make the server stand for Ollama, and for a provider with a key."""
    (folder / "forgetest.toml").write_text(
        f'[providers.ollama]\nbase_url = "{fake.url}"\n\n[providers.mine]\npreset = "vllm"\n'
        f'base_url = "{fake.openai_url}"\napi_key_env = "MINE_API_KEY"\n',
        encoding="utf-8",
    )


def test_a_terminal_is_offered_what_is_there_and_may_answer_by_number(asking: Program) -> None:
    with FakeLLM(models=["qwen3:8b", "llama3.2"]) as fake:
        configure(asking.folder, fake)
        asked = typed(
            Program(asking.folder, {**asking.environ, "MINE_API_KEY": "k"}),
            LINE,
            [("separated:", "9"), ("separated:", "1, 3,groq/x"), ("Model of mine:", "abc")],
        )

    assert (asked.code, asked.out[:19]) == (0, "3 models x 2 cases "), asked.err
    assert [line.split() for line in asked.err.splitlines() if line[:2] in ("1 ", "2 ", "3 ")] == [
        ["1", "ollama/qwen3:8b", "on", fake.url],
        ["2", "ollama/llama3.2", "on", fake.url],
        ["3", "mine/MODEL", "MINE_API_KEY", "is", "set"],
    ]
    assert "local/smollm2-135m" in asked.err
    assert "there is no number 9: choose 1 to 5" in asked.err
    assert "next time: add --models ollama/qwen3:8b,mine/abc,groq/x, or" in asked.err


def test_leaving_the_question_is_an_interruption(asking: Program) -> None:
    done = typed(asking, LINE, [("separated:", "\x04")])  # Ctrl-D

    assert done.code == 130
    assert done.err.rstrip().endswith("interrupted")


def test_a_pipe_hears_the_three_ways_to_name_a_model(asking: Program) -> None:
    done = asking("run", "-e", "tiny.toml", "--pass-k", "1,5", "--temperature", "0.8")

    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    for way in ("--models PROVIDER/MODEL", "under [run] in forgetest.toml", "forgetest init"):
        assert way in done.err
