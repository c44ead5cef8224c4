"""The program as a whole: help, exit codes, and one clear line for everything a user can mend."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from program import Program
from tiny import SET

from forgetest.cli.boundary import run_to_exit_code
from forgetest.errors import ExitCode
from forgetest.system.toolchain import Toolchain

COMMANDS = (
    "run",
    "grade",
    "compare",
    "show",
    "rank",
    "prompt",
    "validate",
    "schema",
    "list-models",
    "doctor",
    "init",
    "local",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(forgetest: Program, command: str) -> None:
    done = forgetest(command, "--help")

    assert done.code == 0
    assert "Usage" in done.out


def test_help_loads_none_of_the_heavy_modules(forgetest: Program) -> None:
    code = (
        "import sys\nfrom forgetest.cli.boundary import run_to_exit_code\n"
        "from forgetest.cli.commands import app\n"
        "sys.argv = ['forgetest', '--help']\n"
        "run_to_exit_code(lambda: app(standalone_mode=False))\n"
        "heavy = {'httpx', 'pydantic', 'tree_sitter', 'tomli', 'asyncio', 'genai_prices'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("command", ["compare", "run"])
def test_no_http_client_is_loaded_before_a_server_is_asked(command: str) -> None:
    code = f"import sys, forgetest.cli.{command}\nprint('httpx' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "False\n"


def test_help_and_version_are_found_by_every_name_that_people_try(forgetest: Program) -> None:
    bare, of_run, inner = forgetest(), forgetest("help", "run"), forgetest("help", "cache", "info")

    assert (bare.code, bare.err) == (0, "")
    assert forgetest("help").out == bare.out == forgetest("--help").out
    assert of_run.out == forgetest("run", "--help").out
    assert "Usage: forgetest cache info" in inner.out
    assert forgetest("cache").code == 0
    assert forgetest("-V").out == forgetest("--version").out


def test_the_options_of_a_run_stand_in_groups(forgetest: Program) -> None:
    titles = [line for line in forgetest("run", "--help").out.splitlines() if "╭" in line]

    assert [title.strip("╭─╮ ") for title in titles] == [
        "Options",
        "What is run",
        "How models are asked",
        "Cost and stopping",
        "How samples are graded",
        "Results",
    ]


def write(program: Program, name: str, text: str) -> None:
    (program.folder / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run",), "no eval set given; name a file or a shipped set"),
        (("run", "-e", "tiny.toml"), "no model given"),
        (("run", "-e", "none.toml", "-m", "reference/stub"), "none.toml"),
        (("run", "-e", "tiny.toml", "-m", "gpt"), "is not provider/model"),
        (("run", "-e", "tiny.toml", "-m", "gpt-4o"), "did you mean openai/gpt-4o?"),
        (("report", "x", "-f", "htlm"), 'did you mean "html"?'),
        (("rank", "x", "-f", "jsno"), 'did you mean "json"?'),
        (("compare", "a", "b", "--gate", "evidnce"), 'did you mean "evidence"?'),
        (("run", "-e", "tiny.toml", "-m", "nobody/x"), 'there is no provider "nobody"'),
        (("run", "-e", "tiny.toml", "-m", "reference/solution"), "no reference_solution"),
        (("run", "-e", "tiny.toml", "-m", "reference/best"), "no such model"),
        (("run", "-e", "tiny.toml", "-m", "replay/none.jsonl"), "none.jsonl"),
        (("run", "-e", "tiny.toml", "-m", "local/gpt-9"), "the embedded model is"),
        (("run", "-e", "tiny.toml", "-m", "openai/x"), "set OPENAI_API_KEY"),
        (("run", "-e", "tiny.toml", "-m", "ollama/x", "--pass-k", "1,x"), "--pass-k"),
        (("run", "-e", "tiny.toml", "-m", "ollama/x", "-n", "1", "--pass-k", "5"), "pass@5"),
        (("run", "-e", "tiny.toml", "-m", "ollama/x", "--format", "yaml"), "--format yaml"),
        (("run", "-e", "tiny.toml", "-m", "ollama/x", "--extractor", "best"), "--extractor"),
        (("run", "-e", "tiny.toml", "-m", "ollama/x", "--case", "nothing"), "nothing"),
        (("run", "-e", "tiny.toml", "-m", "ollama/x", "--filter", "nothing"), "nothing"),
        (("run", "-e", "tiny.toml", "-m", "ollama/x", "-c", "none.toml"), "no such configuration"),
        (("run", "-e", "tiny.toml", "-m", "ollama/x", "--samples", "0"), "samples"),
        (("run", "--resume", "nowhere"), "not a run folder"),
        (("grade", "nowhere"), "no such file or run folder"),
        (("grade", "tiny.toml", "-e", "tiny.toml"), "tiny.toml:"),
        (("validate", "broken.toml"), "broken.toml:"),
        (("schema", "everything"), "everything"),
        (("list-models",), "no provider to ask"),
        (("frobnicate",), "there is no command 'frobnicate'; "),
        (("shwo",), "show?"),
        (("cache", "clera"), "cache clear?"),
    ],
)
def test_a_users_mistake_is_one_clear_line_and_exit_code_2(
    forgetest: Program, arguments: tuple[str, ...], said: str
) -> None:
    write(forgetest, "tiny.toml", SET)
    write(forgetest, "broken.toml", SET.replace("name =", "nam ="))

    done = forgetest(*arguments)

    assert done.code == 2, done.err
    assert said in done.err
    assert "Traceback" not in done.err
    assert done.out == ""
    assert not (forgetest.folder / "runs").exists()


def test_a_missing_toolchain_names_the_command_that_installs_it(forgetest: Program) -> None:
    write(forgetest, "tiny.toml", SET)
    nowhere = forgetest.folder / "empty"
    nowhere.mkdir()

    done = forgetest("run", "-e", "tiny.toml", "-m", "ollama/x", PATH=str(nowhere))

    assert done.code == 2
    assert done.err.count("\n") == 1
    assert "rustup" in done.err


@pytest.mark.cargo
def test_doctor_tells_what_is_there_and_what_is_missing(forgetest: Program) -> None:
    here = forgetest("doctor")
    gone = forgetest("doctor", "--quiet", PATH=str(forgetest.folder))

    assert here.code == 0, here.out
    assert "clippy" in here.out
    assert gone.code == 2
    assert "rustc" in gone.err


@pytest.mark.cargo
def test_doctor_shows_what_the_sandbox_holds_back(forgetest: Program) -> None:
    done = forgetest("doctor", "--sandbox", "none")
    rows = [line.split("  ")[0].strip() for line in done.out.splitlines()]

    assert done.code == 0, done.err
    names = [
        "read",
        "write",
        "network",
        "environment",
        "memory",
        "processes",
        "disk",
        "output",
        "time",
    ]
    assert [row for row in rows if row in names] == names
    assert done.out.count("absent") >= 3
    assert "all rights of the user" in done.out


@pytest.mark.cargo
def test_doctor_without_a_sandbox_says_what_mends_it(forgetest: Program) -> None:
    here = Toolchain.resolve(os.environ).sysroot / "bin"
    done = forgetest("doctor", "--quiet", "--sandbox", "bwrap", PATH=str(here))

    assert done.code == 2
    (line,) = [line for line in done.err.splitlines() if "sandbox" in line]
    assert "bwrap is not installed" in line
    assert "apt-get install bubblewrap" in line


@pytest.mark.parametrize("subject", ["eval-set", "report"])
def test_the_printed_schema_is_a_valid_schema(forgetest: Program, subject: str) -> None:
    schema = json.loads(forgetest("schema", subject).out)

    Draft202012Validator.check_schema(schema)
    assert schema["$schema"].endswith("2020-12/schema")


@pytest.mark.cargo
def test_what_init_writes_validates_and_runs_as_it_is(forgetest: Program) -> None:
    assert forgetest("init").code == 0
    assert forgetest("validate", "eval-sets").code == 0

    done = forgetest("run", "--format", "json")

    report = json.loads(done.out)
    assert done.code == 0, done.err
    assert [model["overall"]["pass_rate"]["value"] for model in report["models"]] == [1.0, 0.0]
    Draft202012Validator(json.loads(forgetest("schema", "report").out)).validate(report)


def test_init_overwrites_nothing(forgetest: Program) -> None:
    write(forgetest, "forgetest.toml", "mine")

    done = forgetest("init")

    assert done.code == 2
    assert "exists" in done.err
    assert (forgetest.folder / "forgetest.toml").read_text(encoding="utf-8") == "mine"


@pytest.mark.cargo
def test_a_custom_check_runs_only_when_it_is_allowed(forgetest: Program) -> None:
    write(
        forgetest,
        "tiny.toml",
        SET.replace("expected_functions", 'custom_check = "true"\nexpected_functions', 1),
    )

    done = forgetest("run", "-e", "tiny.toml", "-m", "ollama/x")

    assert done.code == 2
    assert "--allow-custom-checks" in done.err


def test_our_own_bug_leaves_with_70_and_a_log_to_paste(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def bug() -> None:
        raise ZeroDivisionError("division by zero")

    code = run_to_exit_code(bug)

    err = capsys.readouterr().err
    log = Path(err.split("please report it with ")[1].strip())
    assert code == ExitCode.BUG
    assert "ZeroDivisionError" in log.read_text(encoding="utf-8")
    log.unlink()


def test_a_reader_that_goes_away_is_no_failure(forgetest: Program) -> None:
    read, write_end = os.pipe()
    os.close(read)
    done = subprocess.run(
        forgetest.argv("schema", "report"),
        stdout=write_end,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        env=forgetest.env(),
        cwd=forgetest.folder,
    )
    os.close(write_end)

    assert (done.returncode, done.stderr) == (0, "")
