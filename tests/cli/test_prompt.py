"""`forgetest prompt`: what it prints is what a run sends, and what is wrong with it is said."""

import json

import pytest
from fake_llm import FakeLLM
from program import Program
from tiny import SET

CONFIG = """
[run]
eval_sets = ["tiny.toml"]
models = ["reference/stub", "mine/m"]
samples = 2
seed = 7

[providers.mine]
preset = "vllm"
base_url = "{url}"
extra_headers = {{ X-Token = "hush-hush" }}

[variants.terse]
system = "Terse."
template = "{{prompt}} Code alone."
temperature = 0.1
examples = ["starter/add"]
stop = ["//"]

[variants.blind]
template = "Write it."
rounds = 3
"""


@pytest.fixture
def prompting(forgetest: Program) -> Program:
    """Return the program in a folder with a configuration and an eval set."""
    (forgetest.folder / "tiny.toml").write_text(SET, encoding="utf-8")
    configured = CONFIG.format(url="http://127.0.0.1:9/v1")
    (forgetest.folder / "forgetest.toml").write_text(configured, encoding="utf-8")
    return forgetest


def test_a_conversation_is_printed_with_who_says_what(prompting: Program) -> None:
    done = prompting("prompt", "is-even", "--variant", "terse")

    assert (done.code, done.err) == (0, "")
    head, parameters, *rest = done.out.splitlines()
    assert head.startswith("tiny/is-even · mine/m · variant terse ")
    assert parameters.startswith(
        'temperature 0.1 · max_tokens 1024 · seed 7 · stop ["//"] · about '
    )
    speakers = [line.strip("─ ") for line in rest if line.startswith("──")]
    assert speakers == ["system", "user (example)", "assistant (example)", "user"]
    assert rest[-1] == "Write `pub fn is_even(n: i32) -> bool`. Code alone."
    assert "Write a Rust function `pub fn add" in done.out


def test_the_raw_body_is_the_one_that_a_run_sends(prompting: Program) -> None:
    with FakeLLM("x") as fake:
        configured = CONFIG.format(url=fake.openai_url)
        (prompting.folder / "forgetest.toml").write_text(configured, encoding="utf-8")
        shown = prompting("prompt", "triple", "-m", "mine/m@terse", "--raw")
        prompting("run", "--case", "triple", "-m", "mine/m@terse", "-q", "--sandbox", "none")
        sent = [request.body for request in fake.completions]

    assert shown.code == 0
    assert shown.err == f"POST {fake.openai_url}/chat/completions\n"
    assert json.loads(shown.out) in sent
    assert len(sent) == 2


def test_json_holds_prompt_request_and_findings_and_no_secret(prompting: Program) -> None:
    done = prompting("prompt", "tiny/triple", "--variant", "blind", "--format", "json")

    document = json.loads(done.out)
    assert document["turns"] == [{"role": "user", "text": "Write it."}]
    assert document["request"]["body"]["messages"][-1]["content"] == "Write it."
    assert [finding["fault"] for finding in document["findings"]] == ["question"]
    assert done.err.startswith("warning: variant blind: the case's own prompt is left out;")
    assert "hush" not in done.out + done.err


def test_a_case_of_a_shipped_set_is_shown_without_any_configuration(forgetest: Program) -> None:
    done = forgetest("prompt", "starter/is-even", "--raw")

    body = json.loads(done.out)
    assert (done.code, body["model"]) == (0, "MODEL")
    assert [message["role"] for message in body["messages"]] == ["system", "user"]


def test_what_a_model_is_known_to_refuse_is_not_shown_as_sent(forgetest: Program) -> None:
    (forgetest.folder / "forgetest.toml").write_text(
        "[run]\ntemperature = 0.5\nseed = 1", encoding="utf-8"
    )
    done = forgetest("prompt", "starter/add", "-m", "anthropic/claude-opus-5")

    assert done.out.splitlines()[1].startswith("max_tokens 16000 · about ")
    assert done.out.splitlines()[2].endswith("does not take it: temperature, seed")


def test_variants_are_listed_with_hash_and_changes(prompting: Program) -> None:
    lines = prompting("prompt", "--list").out.splitlines()

    assert [line.split()[0] for line in lines] == ["variant", "default", "terse", "blind"]
    assert len({line.split()[1] for line in lines}) == 4
    assert lines[2].rstrip().endswith('system, template, 1 example, temperature 0.1, stop ["//"]')


def test_a_dry_run_names_variants_with_their_hashes_and_what_is_wrong(prompting: Program) -> None:
    done = prompting("run", "-m", "mine/m", "--variant", "default,blind", "--dry-run")

    shown = prompting("prompt", "--list").out.splitlines()[3].split()
    assert done.code == 0, done.err
    assert ["blind", shown[1]] in [line.split()[:2] for line in done.out.splitlines()]
    assert "variant blind: the case's own prompt is left out;" in done.out


def test_validate_warns_of_all_variants_over_its_cases(prompting: Program) -> None:
    done = prompting("validate", "--no-grading")

    assert done.code == 0
    assert done.err.splitlines()[0] == (
        "warning: variant blind: the case's own prompt is left out; write {prompt} in the template"
        " (2 cases: tiny/is-even, tiny/triple)"
    )


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((), "no case given: name one, such as starter/is-even"),
        (("triples",), 'there is no case "triples"; did you mean "triple"?'),
        (("*",), '"*" names 2 cases: "tiny/is-even", "tiny/triple"; name one of them'),
        (("starter/ad",), 'there is no case "ad"; did you mean "add"'),
        (("triple", "--variant", "ters"), "there is no variant 'ters'; did you mean terse?"),
        (("triple", "-m", "reference/stub"), "reference/stub is not asked anything"),
        (("triple", "-m", "none/m"), 'there is no provider "none"'),
        (("triple", "-f", "markdown"), "--format markdown does not exist"),
    ],
)
def test_what_cannot_be_shown_is_one_line(
    prompting: Program, arguments: tuple[str, ...], error: str
) -> None:
    done = prompting("prompt", *arguments)

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {error}")
    assert done.err.count("\n") == 1


def test_what_a_command_is_given_is_printed_as_it_stands(forgetest: Program) -> None:
    (forgetest.folder / "forgetest.toml").write_text(
        '[providers]\nlines.command = ["x"]\nagent = { command = ["x"], io = "workspace" }\n',
        encoding="utf-8",
    )

    lines = forgetest("prompt", "rust-basics/title-case", "-m", "exec/lines", "--raw")
    agent = forgetest("prompt", "rust-basics/title-case", "-m", "exec/agent", "--raw")

    assert json.loads(lines.out)["case"] == "rust-basics/title-case"
    assert lines.err == "x (stdio, json)\n"
    assert agent.out.startswith("# Your task\n")
