"""Runs that end before their plan is done: --max-cost and --fail-fast; what is left resumes."""

import json
from collections import Counter
from typing import Any

import pytest
from fake_dialects import tokens
from fake_llm import Fail, FakeLLM
from program import Program
from tiny import SET

pytestmark = pytest.mark.cargo

ANSWER = "there is no code"
A_DOLLAR = 1_000_000 // tokens(ANSWER)  # an answer, by a price per million tokens


def configure(program: Program, fake: FakeLLM) -> None:
    """Write an eval set, a priced provider and one that is free, which answer in turn."""
    (program.folder / "tiny.toml").write_text(SET, encoding="utf-8")
    (program.folder / "forgetest.toml").write_text(
        f'[providers.dear]\npreset = "vllm"\nbase_url = "{fake.openai_url}"\nconcurrency = 1\n'
        f"[providers.dear.prices]\nm = {{ input = 0, output = {A_DOLLAR} }}\n"
        f'[providers.free]\npreset = "vllm"\nbase_url = "{fake.openai_url}"\n',
        encoding="utf-8",
    )


def events(program: Program) -> list[dict[str, Any]]:
    """Return the journal of the one run."""
    lines = (program.run_folder() / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_a_run_stops_asking_at_its_known_cost_and_resumes_with_a_higher_one(
    forgetest: Program,
) -> None:
    with FakeLLM(ANSWER) as fake:
        configure(forgetest, fake)
        first = forgetest(
            "run", "-e", "tiny.toml", "-m", "dear/m,free/m", "-n", "3", "--max-cost", "2.5"
        )
        folder = forgetest.run_folder()
        kinds = Counter((event["sample"][:4], event["type"]) for event in events(forgetest))
        report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        as_before = forgetest("run", "--resume", folder, "-q", "-f", "json")
        asked = len(fake.completions)
        more = forgetest("run", "--resume", folder, "--max-cost", "99", "-q", "-f", "json")

    assert first.code == 3, first.err
    assert kinds["dear", "completed"] == 3  # the third answer reaches 2.5 dollars
    assert kinds["dear", "faulted"] == 3
    assert kinds["free", "graded"] == 6  # what costs nothing goes on
    assert "--max-cost $2.5 is reached, $3 is spent" in first.err
    assert "unscored (stopped)" not in first.err  # not once per sample
    assert first.err.rstrip().endswith(f"--resume runs/{folder.name} --max-cost USD")
    assert "3 of 6 samples are unscored (first fault: not asked: --max-cost $2.5" in first.out
    assert report["models"][0]["faults"] == {"stopped": 3}
    assert (as_before.code, asked) == (3, 9)
    assert (more.code, json.loads(more.out)["complete"]) == (0, True)
    assert len(fake.completions) == 12


def test_a_price_that_is_not_known_is_said_before_the_run(forgetest: Program) -> None:
    with FakeLLM("no code") as fake:
        configure(forgetest, fake)
        config = (forgetest.folder / "forgetest.toml").read_text(encoding="utf-8")
        hosted = config.replace("[providers.dear]", "[providers.dear]\nlocal = false", 1)
        (forgetest.folder / "forgetest.toml").write_text(hosted, encoding="utf-8")
        done = forgetest("run", "-e", "tiny.toml", "-m", "dear/x", "--max-cost", "1")

    assert done.code == 0, done.err
    assert "note: --max-cost counts dear/x only where the server says what it charges" in done.err
    assert '"x" = { input = ' in done.err


def test_fail_fast_does_not_wait_for_a_server_that_is_not_there(forgetest: Program) -> None:
    (forgetest.folder / "tiny.toml").write_text(SET, encoding="utf-8")
    config = '[providers.dead]\nbase_url = "http://127.0.0.1:1/v1"\n'
    (forgetest.folder / "forgetest.toml").write_text(config, encoding="utf-8")

    done = forgetest("run", "-e", "tiny.toml", "-m", "dead/m", "-n", "3", "--fail-fast")

    assert done.code == 3, done.err
    assert "no answer to 3 requests in a row" in done.err
    assert "--fail-fast stops the run after" in done.err
    assert "gave up after 5 attempts" not in done.err


def test_fail_fast_begins_nothing_after_the_first_fault(forgetest: Program) -> None:
    with FakeLLM(Fail(418, "no"), script=["no code"]) as fake:
        configure(forgetest, fake)
        done = forgetest("run", "-e", "tiny.toml", "-m", "dear/m", "-n", "5", "--fail-fast")
        asked = len(fake.completions)
        fake.reply = "no code"
        folder = forgetest.run_folder()
        resumed = forgetest("run", "--resume", folder, "--fail-fast", "-q", "-f", "json")

    assert (done.code, asked) == (3, 2), done.err
    assert "--fail-fast stops the run after tiny/triple #1: provider: dear/m: 418" in done.err
    kinds = Counter(event["kind"] for event in events(forgetest) if event["type"] == "faulted")
    assert kinds["provider"] == 1
    assert kinds["stopped"] >= 8  # the answer before it may have been graded by then, or not
    assert resumed.code == 0, resumed.err
