"""A run that is killed at any moment goes on where it stood; nothing is lost or paid twice."""

import json
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from fake_llm import Ask, Fail, FakeLLM
from program import Program
from records import resealed
from resuming import CASES, SAMPLES, configure, journal, server, timeless, wait_for_events

from forgetest.system.files import LOCK_SUFFIX, PREFIX


def read_report(folder: Path) -> Any:
    return timeless(json.loads((folder / "report.json").read_text(encoding="utf-8")))


@pytest.mark.cargo
def test_a_killed_run_resumes_to_the_report_of_an_unbroken_one(
    forgetest: Program, tmp_path: Path
) -> None:
    with server(tmp_path, delay=0.05) as (url, log):
        arguments = configure(forgetest, url)
        temp = tmp_path / "temp"
        temp.mkdir()
        process = forgetest.start(*arguments, "--quiet", TMPDIR=str(temp))
        folder = wait_for_events(forgetest, 40)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        # What grading leaves at a kill; whether any was under way then is a matter of chance.
        (temp / f"{PREFIX}{0:016x}").mkdir()
        (temp / f"{PREFIX}{0:016x}{LOCK_SUFFIX}").touch()
        before = journal(folder)
        paid = {event["sample"] for event in before if event["type"] == "completed"}

        resumed = forgetest("run", "--resume", folder, TMPDIR=str(temp))
        asked = Counter(
            (row["prompt"], row["seed"])
            for row in map(json.loads, log.read_text(encoding="utf-8").splitlines())
            if row["answered"] and row["status"] == 200
        )

    assert process.returncode == -signal.SIGKILL
    assert 0 < len(paid) < CASES * SAMPLES
    assert resumed.code == 0, resumed.err
    assert not list(temp.glob("forgetest-*")), "what the killed run left behind is cleared"
    prompts = {prompt for prompt, _ in asked}
    by_case = {
        case: next(prompt for prompt in prompts if name in prompt)
        for case, name in (("is-even", "is_even"), ("triple", "triple"))
    }
    for sample in paid:
        _, case, index = sample.split("|")
        assert asked[by_case[case.removeprefix("tiny/")], int(index)] == 1, sample
    assert before == journal(folder)[: len(before)]

    whole = Program(tmp_path / "whole")
    whole.folder.mkdir()
    with server(tmp_path, delay=0.0) as (url, _):
        unbroken = whole(*configure(whole, url))
    assert unbroken.code == 0, unbroken.err
    assert read_report(whole.run_folder()) == read_report(folder)


@pytest.mark.cargo
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_says_how_to_go_on_and_leaves_no_process(
    forgetest: Program, tmp_path: Path, number: signal.Signals
) -> None:
    with server(tmp_path, delay=0.1) as (url, _):
        process = forgetest.start(*configure(forgetest, url))
        folder = wait_for_events(forgetest, 6)
        process.send_signal(number)
        _, err = process.communicate(timeout=60)

        assert process.returncode == 130
        assert f"forgetest run --resume {folder.relative_to(forgetest.folder)}" in err
        assert forgetest("run", "--resume", folder).code == 0
    assert len({e["sample"] for e in journal(folder) if e["type"] == "graded"}) == CASES * SAMPLES


def test_options_that_plan_a_run_are_refused_with_resume(forgetest: Program) -> None:
    done = forgetest("run", "--resume", "runs/x", "--samples", "3")

    assert done.code == 2
    assert "--resume continues a run as planned: leave out --samples" in done.err


@pytest.mark.cargo
def test_resume_tries_faults_again_and_asks_only_for_what_is_missing(forgetest: Program) -> None:
    def at_first(ask: Ask) -> str | Fail:
        down = ask.seed is not None and ask.seed >= 1
        return Fail(503, "down") if down else "```rust\nfn broken(\n```"

    with FakeLLM(at_first) as fake:
        arguments = configure(forgetest, fake.url)
        first = forgetest(*arguments[:-4], "-n", "2", "--seed", "0")
        fake.reply = "no code here"
        folder = forgetest.run_folder()
        again = forgetest("run", "--resume", folder)
        answered = fake.answered()

    assert first.code == 3
    assert f"forgetest run --resume {folder.relative_to(forgetest.folder)}" in first.err
    assert again.code == 0, again.err
    assert set(answered.values()) == {1}
    assert len(answered) == CASES * 2
    assert read_report(folder)["complete"] is True


@pytest.mark.cargo
def test_a_run_can_not_go_on_at_another_address(forgetest: Program) -> None:
    with FakeLLM("no code") as fake:
        assert forgetest(*configure(forgetest, fake.url)[:-4], "-n", "1").code == 0
    configure(forgetest, "http://127.0.0.1:1")

    done = forgetest("run", "--resume", forgetest.run_folder())

    assert done.code == 2
    assert "this run used" in done.err


@pytest.mark.cargo
def test_a_run_with_every_answer_on_disk_resumes_without_key_and_server(
    forgetest: Program,
) -> None:
    with FakeLLM("no code", key="k-123456") as fake:
        arguments = configure(forgetest, fake.url)
        config = forgetest.folder / "forgetest.toml"
        with config.open("a", encoding="utf-8") as file:
            file.write('api_key_env = "FAKE_KEY"\n')
        assert forgetest(*arguments[:-4], "-n", "1", FAKE_KEY="k-123456").code == 0
    folder = forgetest.run_folder()
    raw = (folder / "journal.jsonl").read_bytes()
    kept = [line for line in raw.splitlines() if line.startswith(b'{"type":"completed"')]
    (folder / "journal.jsonl").write_bytes(resealed(kept))

    done = forgetest("run", "--resume", folder)

    assert done.code == 0, done.err
    assert len(journal(folder)) == 2 * CASES
