"""`forgetest grade - --stream`: both ends of the pipe may stall, end, or go away."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from program import Program, as_in_a_terminal
from tiny import RIGHT, SET

pytestmark = pytest.mark.cargo

WRONG = "pub fn triple(n: i32) -> i32 { n + 2 }"
LINES: list[dict[str, Any]] = [
    {"id": "a", "case_id": "tiny/is-even", "completion": f"```rust\n{RIGHT['is_even']}\n```"},
    {"case_id": "tripel", "completion": "x"},
    {"case_id": "triple", "code": WRONG, "id": {"any": 1}},
    {"case_id": "triple"},
    {"case_id": "triple", "completion": "no idea"},
]


def stream(
    program: Program, *options: str, stdout: int = subprocess.PIPE, **environ: str
) -> subprocess.Popen[bytes]:
    (program.folder / "tiny.toml").write_text(SET, encoding="utf-8")
    return subprocess.Popen(
        program.argv("grade", "-", "--stream", "-e", "tiny.toml", *options),
        cwd=program.folder,
        env=program.env(**environ),
        stdin=subprocess.PIPE,
        stdout=stdout,
        stderr=subprocess.PIPE,
        preexec_fn=as_in_a_terminal,  # noqa: PLW1509 - no thread of the tests holds a lock here
    )


def test_each_line_gets_its_verdict_in_order_and_a_wrong_one_stops_nothing(
    forgetest: Program,
) -> None:
    raw = "\n".join(["", *map(json.dumps, LINES), "nonsense", json.dumps(LINES[0])])
    with stream(forgetest) as process:
        out, err = process.communicate(raw.encode())
    answers = [json.loads(line) for line in out.splitlines()]

    assert process.returncode == 2, err
    assert [answer["line"] for answer in answers] == [2, 3, 4, 5, 6, 7, 8]
    assert [answer.get("id") for answer in answers] == ["a", None, {"any": 1}, *[None] * 3, "a"]
    assert [answer.get("outcome") for answer in answers] == [
        *("passed", None, "tests_failed", None, "no_code", None, "passed"),
    ]
    assert answers[1]["error"] == 'there is no case "tripel"; did you mean "triple"?'
    assert answers[3]["error"] == 'case "triple": "completion" is missing'
    assert answers[5]["error"].startswith("not JSON")
    assert answers[0]["verdict"]["tests"][0]["outcome"] == "passed"


def test_a_consumer_that_stalls_holds_the_input_back(forgetest: Program) -> None:
    line = json.dumps({**LINES[2], "id": "x" * 20_000}).encode() + b"\n"
    with stream(forgetest, "--unordered", "--parallelism", "2") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        os.set_blocking(process.stdin.fileno(), False)
        taken = _fill(process.stdin.fileno(), line, secs=30)
        assert taken < 400, "the input is read no faster than the verdicts are"
        os.set_blocking(process.stdin.fileno(), True)
        first = json.loads(process.stdout.readline())
        process.stdout.close()
        process.stdin.close()
        assert process.wait(60) == 74, "nobody reads the verdicts any more"
    assert first["outcome"] == "tests_failed"


def _fill(descriptor: int, line: bytes, *, secs: float) -> int:
    """Write lines until none has been taken for a second; return how many were taken."""
    taken, written, last = 0, 0, time.monotonic()
    end = last + secs
    while time.monotonic() < min(end, last + 3):
        try:
            written += os.write(descriptor, line[written:])
        except BlockingIOError:
            time.sleep(0.05)
            continue
        last = time.monotonic()
        if written == len(line):
            taken, written = taken + 1, 0
    return taken


def test_a_consumer_that_is_killed_ends_it(forgetest: Program, tmp_path: Path) -> None:
    temp = tmp_path / "temp"
    temp.mkdir()
    read_one = (
        "import sys, time; print(len(sys.stdin.buffer.readline()), flush=True); time.sleep(99)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", read_one], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as consumer:
        assert consumer.stdin is not None
        assert consumer.stdout is not None
        pipe = consumer.stdin.fileno()
        with stream(forgetest, stdout=pipe, TMPDIR=str(temp)) as process:
            consumer.stdin.close()  # the program alone has it now
            assert process.stdin is not None
            process.stdin.write(json.dumps(LINES[4]).encode() + b"\n")
            process.stdin.flush()
            assert int(consumer.stdout.readline()) > 0
            consumer.kill()
            consumer.wait()
            _, err = process.communicate(json.dumps(LINES[0]).encode() + b"\n")

    assert process.returncode == 74, err
    assert list(temp.iterdir()) == []


def test_what_was_not_answered_when_it_was_killed_is_graded_when_it_is_sent_again(
    forgetest: Program, tmp_path: Path
) -> None:
    temp = tmp_path / "temp"
    temp.mkdir()
    endless = "pub fn triple(n: i32) -> i32 { loop {} }"
    rows = [{**LINES[0], "id": "first"}, {"id": "under way", "case_id": "triple", "code": endless}]
    with stream(forgetest, TMPDIR=str(temp)) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("".join(json.dumps(row) + "\n" for row in rows).encode())
        process.stdin.flush()
        answered = [json.loads(process.stdout.readline())]
        process.kill()
        answered += [json.loads(line) for line in process.stdout if line.endswith(b"\n")]
    again = [{**rows[1], "code": RIGHT["triple"]}]
    with stream(forgetest, TMPDIR=str(temp)) as process:
        out, err = process.communicate(json.dumps(again[0]).encode())

    assert [answer["id"] for answer in answered] == ["first"]
    assert process.returncode == 0, err
    assert json.loads(out)["outcome"] == "passed"
    assert list(temp.iterdir()) == [], "what the killed one left behind is cleared"


def test_ctrl_c_ends_it_while_it_waits_for_input(forgetest: Program) -> None:
    with stream(forgetest) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(LINES[4]).encode() + b"\n")
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (
            ("answers.jsonl", "--stream"),
            "--stream reads standard input: forgetest grade - --stream",
        ),
        (("-", "--stream", "--pass-k", "2"), "--stream prints verdicts alone: leave out --pass-k"),
        (("-", "--unordered"), "--unordered is for --stream"),
        (("-", "--stream"), "no eval set given"),
    ],
)
def test_what_does_not_go_with_a_stream_is_refused(
    forgetest: Program, arguments: tuple[str, ...], error: str
) -> None:
    done = forgetest("grade", *arguments)

    assert done.code == 2
    assert error in done.err
