"""Samples that are asked in rounds: what is said between them, and that nothing is asked twice."""

import json
import signal
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fake_llm import Ask, FakeLLM, Hang
from program import Done, Program
from resuming import journal, timeless, wait_for_events
from tiny import RIGHT, SET

from forgetest.sampling.local import installed

MISMATCHED = "pub fn is_even(n: i32) -> bool { n % 2 }"
UNKNOWN = "pub fn triple(n: i32) -> i32 { n * three }"
STILL_UNKNOWN = "pub fn triple(n: i32) -> i32 { three * n }"
VARIANT = '[variants.fix]\nrounds = 3\nfeedback = "compiler"\n'
ROUND = "rustc rejects the code"  # is said of each of the answers below that is wrong


def answer(ask: Ask) -> str:
    """Answer as a model that repairs E0308, and nothing else."""
    return f"```rust\n{_code(ask.prompt)}\n```"


def _code(prompt: str) -> str:
    if "is_even" in prompt:
        return RIGHT["is_even"] if "E0308" in prompt else MISMATCHED
    return STILL_UNKNOWN if "E0425" in prompt else UNKNOWN


def configure(program: Program, fake: FakeLLM, variant: str = VARIANT) -> None:
    (program.folder / "tiny.toml").write_text(SET, encoding="utf-8")
    (program.folder / "forgetest.toml").write_text(
        f'[providers.chat]\npreset = "vllm"\nbase_url = "{fake.openai_url}"\n'
        f'[providers.claude]\npreset = "anthropic"\nbase_url = "{fake.url}"\n'
        f'[providers.llama]\npreset = "ollama"\nbase_url = "{fake.url}"\n{variant}',
        encoding="utf-8",
    )


@dataclass(frozen=True)
class Repaired:
    """A run of one model in each protocol, and what its server was asked."""

    program: Program
    done: Done
    bodies: dict[str, list[Any]]  # by model
    report: Any

    @property
    def samples(self) -> dict[tuple[str, str], Any]:
        return {
            (model["model"]["model"], case["case"]): case["samples"][0]
            for model in self.report["models"]
            for case in model["cases"]
        }


@pytest.fixture(scope="module")
def repaired(tmp_path_factory: pytest.TempPathFactory) -> Repaired:
    program = Program(tmp_path_factory.mktemp("rounds"))
    with FakeLLM(answer) as fake:
        configure(program, fake)
        done = program(
            "run", "-e", "tiny.toml", "-m", "chat/a,claude/b,llama/c", "--variant", "fix",
            ANTHROPIC_API_KEY="k",
        )  # fmt: skip
        bodies: dict[str, list[Any]] = {}
        for seen in fake.completions:
            bodies.setdefault(str(seen.model), []).append(seen.body)
    report = json.loads((program.run_folder() / "report.json").read_text(encoding="utf-8"))
    return Repaired(program, done, bodies, report)


def spoken(body: Any) -> list[tuple[str, str]]:
    """Return role and text of each turn of a request but the system's."""
    return [
        (turn["role"], turn["content"]) for turn in body["messages"] if turn["role"] != "system"
    ]


@pytest.mark.cargo
@pytest.mark.parametrize("model", ["a", "b", "c"])
def test_each_protocol_is_sent_the_conversation_so_far(repaired: Repaired, model: str) -> None:
    assert repaired.done.code == 0, repaired.done.err
    later = [turns for turns in map(spoken, repaired.bodies[model]) if len(turns) > 1]
    (of_even,) = [turns for turns in later if "is_even" in turns[0][1]]
    question, given, said = of_even

    assert [role for role, _ in of_even] == ["user", "assistant", "user"]
    assert "is_even" in question[1]
    assert MISMATCHED in given[1]
    assert said[1].startswith(
        f"{ROUND}:\n\n```text\nerror[E0308]: mismatched types\n --> src/lib.rs:1"
    )
    assert "expected `bool`, found `i32`" in said[1]
    assert "/src/lib.rs" not in said[1]


@pytest.mark.cargo
def test_a_conversation_ends_when_an_answer_passes_or_repeats_an_earlier_one(
    repaired: Repaired,
) -> None:
    for model in ("a", "b", "c"):
        even, triple = repaired.samples[model, "is-even"], repaired.samples[model, "triple"]
        assert [answered["outcome"] for answered in even["rounds"]] == ["compile_failed", "passed"]
        assert (even["passed"], even["scored_round"]) == (True, 2)
        codes = [answered["code"].strip() for answered in triple["rounds"]]
        assert codes == [UNKNOWN, STILL_UNKNOWN, STILL_UNKNOWN]
        assert (triple["passed"], triple["scored_round"]) == (False, 3)
    assert Counter(map(len, repaired.bodies.values())) == {5: 3}
    assert "passed in round 2" in repaired.done.err
    assert "compile_failed after 3 rounds (error E0425" in repaired.done.err


@pytest.mark.cargo
def test_the_report_says_which_errors_were_repaired(repaired: Repaired) -> None:
    for model in repaired.report["models"]:
        assert model["rounds"]["codes"] == {
            "E0308": {"samples": 1, "repaired": 1, "remained": 0},
            "E0425": {"samples": 1, "repaired": 0, "remained": 1},
        }
        assert [after["passed"] for after in model["rounds"]["after"]] == [0, 1, 1]
        assert model["rounds"]["gain"]["repaired"] == 1
    assert "repaired E0308 1 of 1" in repaired.done.out
    assert "not repaired E0425 0 of 1" in " ".join(repaired.done.out.split())


@pytest.mark.cargo
def test_a_recorded_conversation_replays_to_the_same_rounds(repaired: Repaired) -> None:
    file = repaired.program.run_folder() / "completions.jsonl"
    done = repaired.program("grade", file, "-e", "tiny.toml", "-o", "again", "-q", "-f", "json")

    assert done.code == 0, done.err
    told, recorded = (
        [
            [
                (answered["completion"]["text"], answered["feedback"], answered["outcome"])
                for case in model["cases"]
                for answered in case["samples"][0]["rounds"]
            ]
            for model in report["models"]
        ]
        for report in (repaired.report, json.loads(done.out))
    )
    assert told == recorded


@pytest.mark.cargo
def test_a_run_of_conversations_that_is_graded_again_asks_nobody(repaired: Repaired) -> None:
    folder = repaired.program.run_folder()
    done = repaired.program("grade", folder, "-o", "graded", "-q", "-f", "json")
    again = json.loads(done.out)

    assert done.code == 0, done.err
    for model, before in zip(again["models"], repaired.report["models"], strict=True):
        assert model["rounds"]["codes"] == before["rounds"]["codes"]
        assert model["outcomes"] == before["outcomes"]


@pytest.mark.cargo
def test_a_run_that_is_killed_between_rounds_asks_nothing_twice(
    forgetest: Program, tmp_path: Path
) -> None:
    arguments = ("run", "-e", "tiny.toml", "-m", "chat/a@fix", "-n", "2", "--seed", "0", "-q")

    def at_first(ask: Ask) -> str | Hang:
        return Hang() if ask.seed == 1 and ROUND in ask.prompt else answer(ask)

    with FakeLLM(at_first) as fake:
        configure(forgetest, fake)
        process = forgetest.start(*arguments)
        # Two conversations are at their end, and two are between rounds.
        folder = wait_for_events(forgetest, 2 * (2 + 3 + 1 + 1))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        before = journal(folder)
        fake.reply = answer
        resumed = forgetest("run", "--resume", folder)
        answered = fake.answered()

    assert resumed.code == 0, resumed.err
    assert set(answered.values()) == {1}
    assert before == journal(folder)[: len(before)]
    completed = [event for event in journal(folder) if event["type"] == "completed"]
    assert len(completed) == len({(event["sample"], event.get("round", 1)) for event in completed})
    whole = Program(tmp_path / "whole")
    whole.folder.mkdir()
    with FakeLLM(answer) as fake:
        configure(whole, fake)
        assert whole(*arguments).code == 0
    assert _report(whole) == _report(forgetest)


def _report(program: Program) -> Any:
    return timeless(json.loads((program.run_folder() / "report.json").read_text(encoding="utf-8")))


@pytest.mark.cargo
def test_a_run_that_becomes_too_dear_between_rounds_resumes_in_the_middle(
    forgetest: Program,
) -> None:
    with FakeLLM(answer) as fake:
        prices = "[providers.chat.prices]\na = { input = 0, output = 1000000 }\n"
        configure(forgetest, fake, f"{VARIANT}{prices}")
        first = forgetest("run", "-e", "tiny.toml", "-m", "chat/a@fix", "--max-cost", "20")
        halted = _report(forgetest)
        resumed = forgetest("run", "--resume", forgetest.run_folder(), "--max-cost", "999999")
        answered = fake.answered()

    assert (first.code, resumed.code) == (3, 0), first.err + resumed.err
    assert halted["models"][0]["faults"] == {"stopped": 2}
    rounds = [case["samples"][0].get("rounds", []) for case in halted["models"][0]["cases"]]
    assert [item["outcome"] for walk in rounds for item in walk] == ["compile_failed"] * 2
    assert set(answered.values()) == {1}
    assert len(answered) == 5


@pytest.mark.cargo
def test_feedback_of_tests_names_them_and_shows_none_of_their_source(forgetest: Program) -> None:
    wrong = "pub fn triple(n: i32) -> i32 { n + 3 }"

    def tested(ask: Ask) -> str:
        name = next(name for name in RIGHT if name in ask.prompt)
        return (
            f"```rust\n{RIGHT[name] if name == 'is_even' or 'fail' in ask.prompt else wrong}\n```"
        )

    with FakeLLM(tested) as fake:
        configure(forgetest, fake, VARIANT.replace("compiler", "tests"))
        done = forgetest("run", "-e", "tiny.toml", "-m", "chat/a@fix")
        said = [spoken(seen.body)[-1][1] for seen in fake.completions]

    assert done.code == 0, done.err
    (told,) = [text for text in said if "fail" in text]
    assert "1 of 1 test fails" in told
    assert "two: assertion `left == right` failed\n  left: 5\n right: 6" in told
    assert "assert_eq!" not in told
    assert "hidden tests were spoken of" in " ".join(done.out.split())


@pytest.mark.cargo
@pytest.mark.local_llm
@pytest.mark.skipif(not installed(), reason="run: forgetest local install")
def test_the_embedded_model_is_asked_again(forgetest: Program, eval_sets: Path) -> None:
    (forgetest.folder / "forgetest.toml").write_text(VARIANT, encoding="utf-8")
    done = forgetest(
        "run", "-e", f"{eval_sets}/starter.toml", "--case", "is-even", "-q", "-f", "json",
        "-m", "local/smollm2-135m@fix", "-n", "2", "--max-tokens", "48", "--seed", "1",
    )  # fmt: skip

    assert done.code == 0, done.err
    (model,) = json.loads(done.out)["models"]
    samples = model["cases"][0]["samples"]
    assert model["overall"]["samples_scored"] == 2
    assert all(1 <= len(sample["rounds"]) <= 3 for sample in samples)
    asked = sum(len(sample["rounds"]) for sample in samples)
    assert sum(after["asked"] for after in model["rounds"]["after"]) == asked
