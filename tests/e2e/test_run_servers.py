"""Runs against model servers over real sockets, in all three protocols, through every trouble."""

import json
import time
from pathlib import Path

import pytest
from fake_llm import Ask, Cut, Fail, FakeLLM, Hang, Slow, rate_limited
from program import Program
from tiny import RIGHT, SET

KEY = "sk-very-secret-0123456789"


def reply(ask: Ask) -> str:
    """Answer right for even seeds, and with something that does not compile for odd ones."""
    name = next(name for name in RIGHT if name in ask.prompt)
    wrong = (ask.seed if ask.seed is not None else ask.nth) % 2
    return f"```rust\n{'fn broken(' if wrong else RIGHT[name]}\n```"


def configure(program: Program, fake: FakeLLM) -> None:
    """Write an eval set, and a provider of each protocol at the fake server."""
    (program.folder / "tiny.toml").write_text(SET, encoding="utf-8")
    (program.folder / "forgetest.toml").write_text(
        f"""
        [providers.chat]
        preset = "vllm"
        base_url = "{fake.openai_url}"
        api_key_env = "FAKE_KEY"
        [providers.claude]
        preset = "anthropic"
        base_url = "{fake.url}"
        api_key_env = "FAKE_KEY"
        [providers.llama]
        preset = "ollama"
        base_url = "{fake.url}"
        """,
        encoding="utf-8",
    )


def report_of(program: Program) -> dict[str, object]:
    text = (program.run_folder() / "report.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


@pytest.mark.cargo
def test_three_protocols_through_all_trouble_give_a_complete_report(forgetest: Program) -> None:
    trouble = (
        rate_limited(0.05),
        Fail(529, "Overloaded"),
        Cut(None),
        Cut(20),
        Slow("```rust\npub fn is_even(n: i32) -> bool { n % 2 == 0 }\n```"),
        Fail(503, "<html>busy</html>"),
    )
    with FakeLLM(reply, key=KEY, script=trouble) as fake:
        configure(forgetest, fake)
        done = forgetest(
            "run", "-e", "tiny.toml", "-m", "chat/a,claude/b,llama/c", "-n", "4", "--pass-k", "1,2",
            "--seed", "10", FAKE_KEY=KEY,
        )  # fmt: skip
        answered = fake.answered()

    assert done.code == 0, done.err
    report = report_of(forgetest)
    assert report["complete"] is True
    models = report["models"]
    assert isinstance(models, list)
    assert [model["overall"]["samples_scored"] for model in models] == [2 * 4] * 3
    with_seed = {key: count for key, count in answered.items() if key[0] in {"a", "c"}}
    assert set(with_seed.values()) == {1}, "a sample was paid twice"
    assert sum(answered.values()) == 3 * 2 * 4


@pytest.mark.cargo
def test_the_key_is_in_no_file_and_in_no_line_of_output(forgetest: Program) -> None:
    with FakeLLM(lambda _: Fail(400, f"bad request with {KEY}"), key=KEY) as fake:
        configure(forgetest, fake)
        done = forgetest("run", "-e", "tiny.toml", "-m", "chat/a", FAKE_KEY=KEY)

    files = [file for file in forgetest.folder.rglob("*") if file.is_file()]
    assert done.code == 3
    assert KEY not in done.out + done.err
    assert not [file for file in files if KEY.encode() in file.read_bytes()]


@pytest.mark.cargo
def test_a_server_that_is_not_there_leaves_all_unscored_with_exit_code_3(
    forgetest: Program,
) -> None:
    (forgetest.folder / "tiny.toml").write_text(SET, encoding="utf-8")
    with FakeLLM("x") as fake:
        configure(forgetest, fake)
        fake.reply = lambda _: Fail(401, "invalid key", code="invalid_api_key")
        done = forgetest("run", "-e", "tiny.toml", "-m", "chat/a", "-n", "5", FAKE_KEY=KEY)
        asked = len(fake.completions)

    assert done.code == 3
    assert "unscored" in done.err
    assert asked < 5, "a final error must stop the model, not be asked for each sample"


@pytest.mark.cargo
@pytest.mark.parametrize("provider", ["chat", "claude", "llama"])
def test_a_silent_server_ends_a_run_with_a_line_and_resume_goes_on(
    forgetest: Program, provider: str
) -> None:
    with FakeLLM(Hang(), key=KEY) as fake:
        configure(forgetest, fake)
        config = forgetest.folder / "forgetest.toml"
        text = config.read_text(encoding="utf-8")
        config.write_text(text.replace("base_url", "timeout_secs = 0.5\nbase_url"), "utf-8")
        silent = forgetest(
            "run", "-e", "tiny.toml", "-m", f"{provider}/a", "-n", "40", FAKE_KEY=KEY
        )
        asked = len(fake.completions)
        fake.reply = reply
        folder = forgetest.run_folder()
        resumed = forgetest("run", "--resume", folder, FAKE_KEY=KEY)

    assert silent.code == 3
    assert f"{provider}: no answer to 3 requests in a row" in silent.err
    assert "given up, its samples stay unscored" in silent.err
    assert asked < 10, "80 samples, each asked twice, would be 160"
    assert "given up" in (folder / "logs" / "forgetest.log").read_text(encoding="utf-8")
    assert resumed.code == 0, resumed.err
    assert report_of(forgetest)["complete"] is True


@pytest.mark.cargo
def test_prompts_that_are_filtered_or_too_long_are_scored_and_the_run_ends(
    forgetest: Program,
) -> None:
    def find_fault(ask: Ask) -> Fail:
        if "is_even" in ask.prompt:
            return Fail(400, "The prompt was filtered.", code="content_filter")
        return Fail(400, "prompt is too long: 9 tokens > 8 maximum", code="context_length_exceeded")

    with FakeLLM(find_fault, key=KEY) as fake:
        configure(forgetest, fake)
        done = forgetest("run", "-e", "tiny.toml", "-m", "chat/a,claude/b,llama/c", FAKE_KEY=KEY)
        asked = len(fake.completions)

    assert done.code == 0, done.err
    assert asked == 3 * 2
    assert done.err.count("refused (the model declined to answer)") == 3
    assert done.err.count("truncated (the prompt left no room for a reply") == 3


def test_a_dry_run_asks_nobody_and_writes_nothing(forgetest: Program) -> None:
    with FakeLLM("x") as fake:
        configure(forgetest, fake)
        done = forgetest("run", "-e", "tiny.toml", "-m", "chat/a,claude/b", "-n", "4", "--dry-run")
        asked = len(fake.requests)

    assert (done.code, asked) == (0, 0)
    assert "2 models x 2 cases x 4 samples = 16 samples" in done.out
    assert not (forgetest.folder / "runs").exists()


@pytest.mark.cargo
def test_json_on_standard_output_is_the_report_and_nothing_else(forgetest: Program) -> None:
    with FakeLLM(reply) as fake:
        configure(forgetest, fake)
        done = forgetest("run", "-e", "tiny.toml", "-m", "llama/c", "--format", "json")

    assert report_of(forgetest) == json.loads(done.out)
    assert "[2/2]" in done.err


@pytest.mark.parametrize("provider", ["chat", "claude", "llama"])
def test_each_protocol_lists_its_models(forgetest: Program, provider: str) -> None:
    with FakeLLM("x", key=KEY, models=["one", "two"]) as fake:
        configure(forgetest, fake)
        done = forgetest("list-models", "--provider", provider, FAKE_KEY=KEY)

    assert [f"{provider}/one", f"{provider}/two"] == [
        line.split()[0] for line in done.out.splitlines()
    ]


def test_providers_without_their_key_are_skipped_with_a_note(forgetest: Program) -> None:
    with FakeLLM("x", models=["one"]) as fake:
        configure(forgetest, fake)
        done = forgetest("list-models")

    assert (done.code, done.out) == (0, "llama/one\n")
    assert done.err.startswith("note: skipped, as their key is not set: chat (FAKE_KEY), claude")
    assert done.err.count("\n") == 1


def test_a_key_never_goes_over_plain_http_to_another_machine(forgetest: Program) -> None:
    config = '[providers.far]\nbase_url = "http://models.example/v1"\napi_key_env = "FAKE_KEY"\n'
    (forgetest.folder / "forgetest.toml").write_text(config, encoding="utf-8")
    (forgetest.folder / "tiny.toml").write_text(SET, encoding="utf-8")

    done = forgetest("run", "-e", "tiny.toml", "-m", "far/a", FAKE_KEY=KEY)

    assert done.code == 2
    assert "plain http" in done.err
    assert not Path(forgetest.folder / "runs").exists()


@pytest.mark.cargo
def test_few_open_files_mean_fewer_requests_and_no_lost_sample(forgetest: Program) -> None:
    def slow(ask: Ask) -> str:
        time.sleep(0.2)
        return f"```rust\n{RIGHT[next(name for name in RIGHT if name in ask.prompt)]}\n```"

    asking = ("run", "-e", "tiny.toml", "-m", "chat/a", "--samples", "120", "--parallelism", "2")
    with FakeLLM(slow, key=KEY) as fake:
        configure(forgetest, fake)
        line = 'ulimit -n 256; "$@"'
        done = forgetest.in_shell(line, *asking, "--concurrency", "300", FAKE_KEY=KEY)
        answered = fake.answered()

    assert done.code == 0, done.err
    assert (
        "note: chat: at most 176 requests in flight, not 300: a process may open 256 files here;"
        " a limit of 380 (ulimit -Hn) suffices\n"
    ) in done.err
    assert answered.total() == 240
    assert report_of(forgetest)["complete"] is True
