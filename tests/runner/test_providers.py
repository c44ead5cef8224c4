"""Tables of commands in forgetest.toml: what they become, and each mistake at its line."""

import pytest

from forgetest.errors import ConfigError, ConfigFileError
from forgetest.runner.commands import demand_usable, recorded_command
from forgetest.runner.config import Config, parse_config
from forgetest.sampling.exec.command import CommandBox, CommandInput, CommandIo

AGENT = """
[providers.agent]
command = ["agent", "--yes"]
io = "workspace"
timeout_secs = 900
pass_env = ["AGENT_KEY"]
box = "bwrap"
box_reads = ["/opt/agent"]

[providers.mine]
base_url = "http://127.0.0.1:9"
"""


def config(text: str) -> Config:
    return parse_config(text, file="f.toml", environ={})


def test_a_table_with_a_command_is_asked_as_exec() -> None:
    read = config(AGENT)
    agent = read.command("agent")

    assert (agent.argv, agent.io, agent.box) == (
        ("agent", "--yes"),
        CommandIo.WORKSPACE,
        CommandBox.BWRAP,
    )
    assert agent.input is CommandInput.JSON
    assert (read.servers, read.commands) == (("mine",), ("agent",))


def test_commands_and_servers_are_not_taken_for_each_other() -> None:
    with pytest.raises(ConfigError, match=r'"agent" is a command: ask exec/agent'):
        config(AGENT).preset("agent")
    with pytest.raises(ConfigError, match=r'no command "agnt"; did you mean exec/agent'):
        config(AGENT).command("agnt")


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ('io = "stdio"\nbase_url = "http://x"', '3: "io" is for commands: add command'),
        ('command = ["x"]\nbase_url = "http://x"', '4: "base_url" is for servers; a command takes'),
        ("command = []", '3: "providers.my.command": tuple should have at least 1 item'),
        ('command = ["x"]\nio = "pipe"', "4: "),
        (
            'command = ["x"]\nio = "workspace"\ninput = "json"',
            '5: "input" needs io = "stdio": a workspace has PROMPT.md',
        ),
        ('command = ["x"]\non_timeout = "answer"', '4: "on_timeout" = "answer" needs io'),
        ('command = ["x"]\nbox_reads = ["/x"]', '4: "box_reads" needs box = "bwrap"'),
        ('command = ["x"]\npass_env = ["A B"]', "4: "),
    ],
)
def test_each_mistake_points_at_its_line(table: str, problem: str) -> None:
    with pytest.raises(ConfigFileError) as caught:
        config(f"\n[providers.my]\n{table}\n")

    assert str(caught.value).startswith(f"f.toml:{problem}")


def test_the_name_of_all_commands_is_taken() -> None:
    with pytest.raises(ConfigFileError, match='"exec" is the provider of all commands'):
        config('[providers.exec]\nbase_url = "http://127.0.0.1:9"')


def test_what_is_missing_is_named_before_anything_runs() -> None:
    usable = {"PATH": "/usr/bin:/bin"}
    program, variable = (
        config(f'[providers.my]\ncommand = ["{word}"]\npass_env = ["A_KEY"]').command("my")
        for word in ("./none.sh", "sh")
    )

    with pytest.raises(ConfigError, match=r"provider my: command: \S*/none.sh is not there"):
        demand_usable(program, usable)
    with pytest.raises(ConfigError, match="provider my: pass_env: set A_KEY in the environment"):
        demand_usable(variable, usable)
    demand_usable(variable, {**usable, "A_KEY": "x"})


def test_a_key_on_the_command_line_is_not_recorded() -> None:
    spec = config('[providers.my]\ncommand = ["sh", "--key", "sk-0123456"]').command("my")

    recorded = recorded_command(spec, {"ANY_KEY": "sk-0123456"})

    assert recorded == "sh --key [hidden] (stdio, json)"
