"""Standard output and standard error that are closed, full, gone, or know only ASCII."""

import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from fake_llm import FakeLLM
from placing import place
from program import Done, Program
from tiny import SET

LOST = 74
PRINTING = (
    "report RUN",
    "report RUN --format json",
    "show RUN alpha",
    "rank RUN --format markdown",
    "compare --baseline RUN --current RUN",
    "schema ranking",
    "cache info",
    "cache clear",
    "import",
    "--version",
    "run --help",
    "run --dry-run --eval-set tiny.toml --models ollama/m",
)
AFRESH = PRINTING[::6]  # the others are called in a program that is loaded already


@pytest.fixture
def here(forgetest: Program) -> Program:
    """Return the program in a folder with a finished run and an eval set."""
    place(forgetest.folder / "runs").rename(forgetest.folder / "RUN")
    (forgetest.folder / "tiny.toml").write_text(SET, encoding="utf-8")
    return forgetest


@pytest.fixture
def apart(here: Program, tmp_path: Path) -> Program:
    """Return it with a cache of its own: to clear it is not to clear what all tests have built."""
    return replace(here, environ={"XDG_CACHE_HOME": str(tmp_path / "cache")})


def redirected(
    program: Program, command: str, where: str, *, afresh: bool = False, **environ: str
) -> Done:
    """Run a command as a shell does that redirects it."""
    return program.in_shell(f'"$@" {where}', *command.split(), afresh=afresh, **environ)


@pytest.mark.parametrize("command", PRINTING)
def test_a_result_that_can_not_be_written_is_told_in_one_line_with_a_code_of_its_own(
    apart: Program, command: str
) -> None:
    full = redirected(apart, command, ">/dev/full", afresh=command in AFRESH)
    closed = redirected(apart, command, ">&-", afresh=command in AFRESH)

    assert full.code == closed.code == LOST
    assert "error: standard output: No space left on device\n" in full.err
    assert "error: standard output is closed: redirect it" in closed.err
    if command != "import":  # which says on standard error what comes next
        assert full.err.count("\n") == closed.err.count("\n") == 1


@pytest.mark.parametrize("command", PRINTING)
def test_a_reader_that_goes_away_has_what_it_wanted(apart: Program, command: str) -> None:
    gone = redirected(apart, command, "| true; exit ${PIPESTATUS[0]}", afresh=command in AFRESH)

    assert gone.code == 0
    assert "Traceback" not in gone.err
    assert "rror" not in gone.err


def test_a_reader_that_goes_away_hides_no_regression(here: Program) -> None:
    place(here.folder / "worse", letters="BB").rename(here.folder / "WORSE")
    command = "compare --baseline RUN --current WORSE --fail-on-regression"

    assert redirected(here, command, "| true; exit ${PIPESTATUS[0]}").code == 1
    assert redirected(here, command, ">/dev/full").code == LOST
    assert redirected(here, command, ">/dev/full 2>&1").code == LOST


@pytest.mark.parametrize("command", PRINTING[::4])
def test_whoever_closes_standard_error_loses_nothing_else(here: Program, command: str) -> None:
    silent = redirected(here, command, "2>&-", afresh=command in AFRESH)

    assert silent.code == 0
    assert silent.out


@pytest.mark.parametrize("where", ["2>/dev/full", "2> >(true)"])
def test_an_error_that_can_not_be_told_is_neither_success_nor_a_regression(
    here: Program, where: str
) -> None:
    codes = {
        redirected(here, command, f"{where} ; code=$?; sleep 0; exit $code").code
        for command in ("report nowhere", "validate nowhere.toml", "frobnicate")
    }

    assert codes <= {LOST, 2}
    assert LOST in codes or where != "2>/dev/full"


@pytest.mark.cargo
def test_a_run_whose_progress_nobody_reads_stops_like_an_interrupted_one(here: Program) -> None:
    with FakeLLM("no code here") as fake:
        text = f'[providers.chat]\npreset = "vllm"\nbase_url = "{fake.url}/v1"\n'
        (here.folder / "forgetest.toml").write_text(text, encoding="utf-8")
        temp = here.folder / "temp"
        temp.mkdir()
        run = "run --eval-set tiny.toml --models chat/a --samples 30"
        cut = redirected(here, run, "2>&1 | head -2; exit ${PIPESTATUS[0]}", TMPDIR=str(temp))
        (folder,) = (here.folder / "runs").iterdir()
        resumed = here("run", "--resume", folder, "--quiet")
        full = redirected(here, run, "2>/dev/full")

    assert cut.code == full.code == LOST
    assert cut.out.count("\n") == 2
    assert not list(temp.iterdir())
    assert resumed.code == 0, resumed.err
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert report["complete"] is True


@pytest.mark.cargo
def test_a_run_that_can_not_print_its_report_says_where_it_is(here: Program) -> None:
    with FakeLLM("no code here") as fake:
        text = f'[providers.chat]\npreset = "vllm"\nbase_url = "{fake.url}/v1"\n'
        (here.folder / "forgetest.toml").write_text(text, encoding="utf-8")
        run = "run --quiet --eval-set tiny.toml --models chat/a"
        closed = redirected(here, run, ">&-")
        begun = list((here.folder / "runs").iterdir())
        full = redirected(here, f"{run} --format html", ">/dev/full")
        read = redirected(here, f"{run}", "| true; exit ${PIPESTATUS[0]}")
        asked = len(fake.answered())

    assert closed.code == full.code == LOST
    assert "standard output is closed" in closed.err
    assert begun == []  # it was told before anybody was asked
    (folder,) = {path.parent for path in here.folder.glob("runs/*/report.html")}
    name = folder.relative_to(here.folder)
    assert f"No space left on device; the report is in {name}/report.json" in full.err
    assert read.code == 0
    assert asked


@pytest.mark.cargo
@pytest.mark.parametrize(
    "command",
    [
        "list-models --provider chat",
        "run --quiet --eval-set tiny.toml --models chat/a",
        "run --quiet --eval-set tiny.toml --models chat/a --format json",
        "run --quiet --resume RUN",
    ],
)
def test_a_command_that_asks_a_server_loses_no_answer_when_its_output_is_full(
    here: Program, command: str
) -> None:
    shutil.rmtree(here.folder / "RUN")
    with FakeLLM("no code here", models=["a"]) as fake:
        text = f'[providers.chat]\npreset = "vllm"\nbase_url = "{fake.url}/v1"\n'
        (here.folder / "forgetest.toml").write_text(text, encoding="utf-8")
        if "RUN" in command:
            run = "run --quiet --eval-set tiny.toml --models chat/a"
            assert here(*run.split()).code == 0
            here.run_folder().rename(here.folder / "runs" / "RUN")
        full = redirected(here, command.replace("RUN", "runs/RUN"), ">/dev/full")
        asked = len(fake.completions)
        if "run" in command:
            resumed = here("run", "--quiet", "--resume", here.run_folder())

    assert full.code == LOST
    assert full.err.count("\n") == 1
    assert full.err.startswith("error: standard output: No space left on device")
    if "run" in command:
        assert asked == len(fake.completions) == 2  # the journal has both answers
        assert resumed.code == 0, resumed.err
        report = json.loads((here.run_folder() / "report.json").read_text(encoding="utf-8"))
        assert report["complete"] is True


@pytest.mark.parametrize(
    ("encoding", "command"),
    [
        *(("ascii", command) for command in PRINTING),
        *((encoding, "show RUN") for encoding in ("latin-1", "ascii:strict", "cp437", "koi8-r")),
    ],
)
def test_a_terminal_that_knows_few_characters_is_written_to_all_the_same(
    apart: Program, command: str, encoding: str
) -> None:
    few = {"LC_ALL": "C", "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    done = redirected(apart, command, "", afresh=encoding != "ascii", **few)

    assert done.code == 0, done.err
    assert done.out
    if command.endswith("json"):
        json.loads(done.out)


def test_what_other_programs_read_is_utf_8_on_every_terminal(here: Program) -> None:
    plain = here("report", "RUN", "--format", "markdown")
    ascii_only = here("report", "RUN", "--format", "markdown", PYTHONIOENCODING="ascii")
    text = redirected(here, "report RUN", "", PYTHONIOENCODING="ascii", afresh=True)

    assert plain.out == ascii_only.out
    assert text.out.isascii()
    assert "\\u" not in text.out


def test_a_closed_standard_input_is_told_and_no_file_takes_its_place(here: Program) -> None:
    closed = redirected(here, "compare --baseline - --current RUN", "<&-", afresh=True)
    one_way = redirected(here, "report -", "0>written", afresh=True)
    run = redirected(here, "report RUN", "<&- 2>&-", afresh=True)

    assert (closed.code, one_way.code) == (2, 2)
    assert "standard input is closed" in closed.err
    assert "standard input: cannot be read: Bad file descriptor" in one_way.err
    assert run.code == 0


def test_a_pipe_that_is_full_and_does_not_block_is_waited_for(here: Program) -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    argv = here.argv("schema", "report")
    process = subprocess.Popen(argv, cwd=here.folder, env=here.env(), stdout=writer)
    os.close(writer)
    process.poll()
    with Path(f"/dev/fd/{reader}").open("rb") as file:
        os.close(reader)
        text = file.read()

    assert process.wait(timeout=60) == 0
    json.loads(text)
