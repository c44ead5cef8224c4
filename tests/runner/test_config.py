"""forgetest.toml: every problem at its line, the environment expanded, options above it."""

from pathlib import Path

import pytest

from forgetest.errors import ConfigError, ConfigFileError
from forgetest.run.settings import RunTable, settle
from forgetest.runner.config import Config, load_config, parse_config
from forgetest.sampling.providers.presets import PRESETS

WHOLE = """
[run]
eval_sets = ["a.toml"]
models = ["mine/x", "reference/solution"]
samples = 4
pass_k = [1, 2]
temperature = 0.5
output = "${HOME}/runs"

[providers.mine]
preset = "vllm"
base_url = "${MY_SERVER}/v1"
api_key_env = "MINE_KEY"
prices."x" = { input = 1.5, output = 3 }

[providers.openai]
concurrency = 9
"""
ENVIRON = {"HOME": "/home/me", "MY_SERVER": "http://127.0.0.1:9"}


def config() -> Config:
    return parse_config(WHOLE, file="f.toml", environ=ENVIRON)


def test_variables_of_the_environment_are_expanded() -> None:
    assert config().run.output == "/home/me/runs"
    assert config().preset("mine").base_url == "http://127.0.0.1:9/v1"


def test_a_table_changes_a_built_in_provider_and_keeps_the_rest() -> None:
    changed = config().preset("openai")

    assert changed == PRESETS["openai"].model_copy(update={"concurrency": 9})


def test_a_provider_of_the_users_starts_from_its_preset() -> None:
    mine = config().preset("mine")

    assert mine.name == "mine"
    assert mine.key_env == "MINE_KEY"
    assert mine.limit_field == PRESETS["vllm"].limit_field
    assert float(mine.prices["x"].output) == 3.0


def test_an_unknown_provider_is_named_with_the_nearest_one() -> None:
    with pytest.raises(ConfigError, match=r'no provider "olama"; did you mean ollama'):
        config().preset("olama")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[run]\nsample = 3", 'f.toml:2: unknown key "run.sample"; did you mean "samples"?'),
        ('[run]\nsamples = "3x"', 'f.toml:2: "run.samples": input should be a valid integer'),
        ("[runs]\n", 'f.toml:1: unknown key "runs"; did you mean "run"?'),
        (
            '[providers.a]\nbase_url = "x"\napi_key = "s"',
            'f.toml:3: "providers.a.api_key": do not put keys in files',
        ),
        (
            '[run]\noutput = "${NOWHERE}"',
            'f.toml:2: "run.output" uses ${NOWHERE}, which is not set',
        ),
        ("[run\n", "f.toml: not TOML:"),
    ],
)
def test_each_problem_is_one_line_at_its_place(text: str, said: str) -> None:
    with pytest.raises(ConfigFileError) as caught:
        parse_config(text, file="f.toml", environ={})

    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)


def test_all_problems_are_told_at_once() -> None:
    with pytest.raises(ConfigFileError) as caught:
        parse_config('[run]\nsample = 3\noutput = "${NOWHERE}"', file="f.toml", environ={})

    assert [problem.line for problem in caught.value.problems] == [2, 3]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[providers.mine]\nconcurrency = 2", "base_url is missing"),
        ('[providers.mine]\npreset = "vlm"', 'no preset "vlm"'),
    ],
)
def test_an_incomplete_provider_stops_the_reading(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        parse_config(text, file="f.toml", environ={})


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(tmp_path / "none.toml", {})


def test_the_command_line_wins_over_the_file_and_the_file_over_defaults() -> None:
    said = RunTable(samples=7, temperature=0.0)

    settings = settle(said.over(config().run), cores=3)

    assert settings.samples == 7
    assert settings.sampling.temperature == 0.0
    assert settings.pass_k == (1, 2)
    assert settings.parallelism == 3
    assert str(settings.output) == "/home/me/runs"


def test_samples_default_to_the_largest_k() -> None:
    table = RunTable(eval_sets=("a",), models=("p/m",), pass_k=(5, 1, 5))

    assert settle(table, cores=1).samples == 5
    assert settle(table, cores=1).pass_k == (1, 5)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"samples": 2, "pass_k": (3,)}, "pass@3 needs at least 3 samples per case, got 2"),
        ({"pass_k": (0,)}, "pass@0 does not exist"),
        ({"models": ("gpt",)}, "is not provider/model"),
        ({"models": ("p/m", "p/m")}, "given twice"),
        ({"models": ()}, "no model given"),
        ({"eval_sets": ()}, "no eval set given"),
    ],
)
def test_settings_that_make_no_run_are_refused(changes: dict[str, object], said: str) -> None:
    table = RunTable.model_validate({"eval_sets": ("a",), "models": ("p/m",), **changes})

    with pytest.raises(ConfigError, match=said):
        settle(table, cores=1)
