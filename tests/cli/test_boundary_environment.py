"""What the system refuses and what files of others hold is told in a line, never as our bug."""

import contextlib
import copy
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from disks import mounted
from hypothesis import given, settings
from hypothesis import strategies as st
from placing import place
from program import Done, Program
from tiny import SET

from forgetest.cli.boundary import run_to_exit_code
from forgetest.cli.commands import app
from forgetest.errors import ExitCode

NAME = os.fsdecode(b"a\xff")  # a name that is not UTF-8
WRONG: list[Any] = [
    None,
    [],
    ["x"],
    {},
    {"a": 1},
    "",
    "x",
    "\ud800",
    -1,
    0,
    1.5,
    1e308,
    True,
    10**30,
]
READING = (
    "report FILE",
    "report FILE --format html",
    "report FILE --format json",
    "report FILE --format csv,junit,sarif,ctrf,markdown --output OUT",
    "show FILE",
    "show FILE alpha --sample 1",
    "rank FILE",
    "compare --baseline FILE --current FILE",
    "compare --self-check FILE --splits 2",
)


def below(node: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the place of every value in parsed JSON."""
    items = node.items() if isinstance(node, dict) else enumerate(node)
    for key, value in items if isinstance(node, (dict, list)) else ():
        yield (*place, key)
        if isinstance(value, (dict, list)):
            yield from below(value, (*place, key))


@pytest.fixture(scope="module")
def a_report(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return a report as JSON."""
    folder = place(tmp_path_factory.mktemp("runs"))
    return json.loads((folder / "report.json").read_text(encoding="utf-8"))


@given(data=st.data())
@settings(max_examples=25, derandomize=True)
def test_a_report_with_any_wrong_value_is_refused_or_read(
    tmp_path_factory: pytest.TempPathFactory, a_report: Any, data: st.DataObject
) -> None:
    broken, folder = copy.deepcopy(a_report), tmp_path_factory.mktemp("broken")
    *way, last = data.draw(st.sampled_from(list(below(a_report))))
    node = broken
    for key in way:
        node = node[key]
    node[last] = data.draw(st.sampled_from(WRONG))
    (folder / "r.json").write_text(json.dumps(broken), encoding="utf-8")
    for command in READING:
        words = command.replace("FILE", str(folder / "r.json")).replace("OUT", str(folder / "out"))
        out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run_to_exit_code(lambda: app(words.split(), standalone_mode=False))  # noqa: B023

        assert code != ExitCode.BUG, (command, way, last, node[last], err.getvalue())
        told = [line for line in err.getvalue().splitlines() if not line.startswith("warning:")]
        assert code != ExitCode.USAGE or len(told) == 1


@pytest.mark.parametrize("text", [["x"], 1, None, {"a": "b"}])
@pytest.mark.parametrize("command", ["report FILE", "show FILE alpha --raw", "report FILE -f html"])
def test_a_completion_that_is_no_text_is_named(
    forgetest: Program, a_report: Any, command: str, text: Any
) -> None:
    broken = copy.deepcopy(a_report)
    broken["models"][0]["cases"][0]["samples"][0]["completion"] = {"text": text}
    (forgetest.folder / "r.json").write_text(json.dumps(broken), encoding="utf-8")

    done = forgetest(*command.replace("FILE", "r.json").split())

    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "r.json: models.0.cases.0.samples.0.completion.text: " in done.err


@pytest.mark.parametrize("folder", ["", NAME])
def test_an_eval_set_whose_name_is_not_utf_8_is_refused(forgetest: Program, folder: str) -> None:
    (forgetest.folder / folder).mkdir(exist_ok=True)
    (forgetest.folder / folder / (NAME + ".toml")).write_text(SET, encoding="utf-8")
    where = folder or f"{NAME}.toml"

    for command in ("validate", "run -m ollama/x -e"):
        done = forgetest(*command.split(), where)
        assert done.code == 2
        assert "a\\xff" in done.err
        assert "its path is not UTF-8; rename the file or its folder" in done.err
    assert not (forgetest.folder / "runs").exists()


def test_a_run_in_a_folder_whose_name_is_not_utf_8_is_read_by_every_command(
    forgetest: Program,
) -> None:
    place(forgetest.folder / NAME).rename(forgetest.folder / NAME / NAME)
    run = f"{NAME}/{NAME}"

    for command in READING:
        words = command.replace("FILE", run).replace("OUT", f"{NAME}.out")
        done = forgetest(*words.split())
        assert done.code == 0, done.err
    assert (forgetest.folder / f"{NAME}.out" / "junit.xml").exists()


@pytest.mark.cargo
@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ("-n 64", "open files to 64, which must be at least 256 (ulimit -Hn)"),
        ("-v 4000000", "memory in KiB to 4000000, which must be at least 4194304 (ulimit -Hv)"),
        ("-f 2000", "files in KiB to"),
        ("-t 10", "processor time in seconds to 10"),
        ("-s 4096", "the stack in KiB to 4096"),
        ("-n 64 -t 10", "open files to 64"),
    ],
)
def test_hard_limits_below_those_of_grading_are_named(
    forgetest: Program, limit: str, said: str
) -> None:
    (forgetest.folder / "tiny.toml").write_text(SET, encoding="utf-8")
    afresh = limit == "-n 64 -t 10"
    done = limited(forgetest, limit, "run", "-e", "tiny.toml", "-m", "vllm/x", afresh=afresh)
    doctor = limited(forgetest, limit, "doctor", "--quiet")

    *notes, error = done.err.splitlines()  # few files mean few requests in flight, which is noted
    assert (done.code, doctor.code) == (2, 2)
    assert said in error
    assert all(" in flight" in note for note in notes)
    assert said in doctor.err
    assert "sandbox" not in done.err
    assert not (forgetest.folder / "runs").exists()


@pytest.mark.cargo
@pytest.mark.parametrize("limit", ["-Sn 64", "-n 300", "-u 256", "-c 0"])
def test_limits_that_leave_room_are_no_hindrance(forgetest: Program, limit: str) -> None:
    (forgetest.folder / "tiny.toml").write_text(SET, encoding="utf-8")
    rows = [{"case_id": name, "completion": "no code"} for name in ("is-even", "triple")]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (forgetest.folder / "r.jsonl").write_text(text, encoding="utf-8")

    done = limited(forgetest, limit, "grade", "r.jsonl", "-e", "tiny.toml", "-q")

    assert done.code == 0, done.err


def limited(program: Program, limits: str, *arguments: str, afresh: bool = False) -> Done:
    """Run a command under limits of the shell, such as `-n 64 -t 10`."""
    words = limits.split()
    set_ = "; ".join(f"ulimit {' '.join(words[at : at + 2])}" for at in range(0, len(words), 2))
    return program.in_shell(f'{set_}; exec "$@"', *arguments, afresh=afresh)


@pytest.mark.parametrize(
    "command",
    [
        "report RUN --format html,csv,junit --output DISK/out",
        "report RUN --format inspect --output DISK/out",
        "rank RUN --format json --output DISK/r.json",
        "compare --baseline RUN --current RUN --format html --output DISK/c.html",
        "compare --baseline RUN --current RUN --format json --output DISK/c.json",
        "show RUN alpha --export DISK/crate",
        "import samples RUN/completions.jsonl --id x --output DISK",
        "init DISK/new",
    ],
)
def test_a_full_disk_is_told_and_no_half_file_stays(
    forgetest: Program, tmp_path_factory: pytest.TempPathFactory, command: str
) -> None:
    place(forgetest.folder / "runs").rename(forgetest.folder / "RUN")
    row = {"case_id": "x", "completion": "c"}
    recorded = forgetest.folder / "RUN" / "completions.jsonl"
    recorded.write_text(json.dumps(row) + "\n", encoding="utf-8")
    with mounted(tmp_path_factory.mktemp("disk"), "size=8k") as disk:
        (disk / "full").write_bytes(b"x" * 8192)
        done = forgetest(*command.replace("DISK", str(disk)).split())
        files = [path for path in disk.rglob("*") if path.is_file() and path.name != "full"]

    assert done.code == 2, done.err
    assert "No space left on device" in done.err
    assert [path.name for path in files] == []


@pytest.mark.parametrize("argument", ["/proc/self/mem", "/root/none/x", "/dev/null/x", "x" * 300])
def test_what_can_not_be_opened_is_one_line(forgetest: Program, argument: str) -> None:
    for command in ("report X", "show X", "rank X", "grade X", "validate X", "run --resume X"):
        done = forgetest(*command.replace("X", argument).split())
        assert done.code == 2, done.err
        assert "Traceback" not in done.err


def test_a_bug_is_told_even_where_its_log_can_not_be_written(tmp_path: Path) -> None:
    code = (
        "import tempfile\nfrom forgetest.cli.boundary import run_to_exit_code\n"
        f"tempfile.tempdir = {str(tmp_path / 'none')!r}\n"
        "raise SystemExit(run_to_exit_code(lambda: 1 / 0))\n"
    )
    argv = [sys.executable, "-c", code]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)

    assert done.returncode == ExitCode.BUG
    assert (
        "this is a bug in forgetest (ZeroDivisionError: division by zero); its log" in done.stderr
    )
    assert "Traceback" not in done.stderr
