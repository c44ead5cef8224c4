"""`forgetest serve`: real sockets, many clients, and clients that stall, cheat or die."""

import asyncio
import contextlib
import json
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from program import ROOT, Program, program_in
from tiny import RIGHT, SET

pytestmark = pytest.mark.cargo

TOKEN = "a-token-that-the-tests-made-up"
RIGHT_ANSWER = {"case_id": "tiny/is-even", "completion": f"```rust\n{RIGHT['is_even']}\n```"}
WRONG_ANSWER = {"case_id": "triple", "code": "pub fn triple(n: i32) -> i32 { n + 2 }"}
NO_ANSWER = {"case_id": "triple", "completion": "no idea"}
SLEEP = "std::thread::sleep(std::time::Duration::from_secs(100))"
ENDLESS = {"case_id": "patient", "code": f"pub fn patient() {{ {SLEEP} }}"}
PATIENT = '''
[[cases]]
id = "patient"
name = "Patient"
prompt = "Write `pub fn patient()`."
timeout_secs = 100
[cases.expectations]
expected_functions = ["patient"]
test_file = """
#[test]
fn returns() { patient(); }
"""

[[cases]]
id = "checked"
name = "Checked"
prompt = "Write `pub fn checked()`."
[cases.expectations]
expected_functions = ["checked"]
custom_check = "true"
should_pass_tests = false
'''
AT_ONCE = 66  # requests, as the server of these tests allows


@dataclass(frozen=True)
class Served:
    """A server that runs."""

    process: subprocess.Popen[str]
    port: int

    @property
    def headers(self) -> dict[str, str]:
        """What a client sends with every request."""
        return {"Authorization": f"Bearer {TOKEN}"}

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    def post(self, path: str, **options: Any) -> httpx.Response:
        """Send one request."""
        return httpx.post(self.url + path, **{"headers": self.headers, "timeout": 60} | options)

    def health(self) -> dict[str, Any]:
        """Ask how it is."""
        health: dict[str, Any] = httpx.get(f"{self.url}/health", timeout=60).json()
        return health

    def wait_for(self, true: Callable[[dict[str, Any]], object], what: str) -> None:
        """Wait until its health is as wanted."""
        deadline = time.monotonic() + 30
        while not true(health := self.health()):
            assert time.monotonic() < deadline, f"{what}: {health}"
            time.sleep(0.02)

    def raw(self, path: str, *, headers: str = "Transfer-Encoding: chunked\r\n") -> socket.socket:
        """Open a connection that has sent the head of a request."""
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        head += f"Authorization: Bearer {TOKEN}\r\n"
        connection.sendall(f"{head}{headers}\r\n".encode())
        return connection


@contextlib.contextmanager
def serving(program: Program, *options: str) -> Iterator[Served]:
    (program.folder / "tiny.toml").write_text(SET + PATIENT, encoding="utf-8")
    line = ("serve", "-e", "tiny.toml", "--port", "0", "-j", "2", *options)
    with program.start(*line, FORGETEST_SERVE_TOKEN=TOKEN) as process:
        try:
            assert process.stdout is not None
            ready = re.fullmatch(r"ready http://127\.0\.0\.1:(\d+)\n", process.stdout.readline())
            assert ready, process.communicate()
            yield Served(process, int(ready[1]))
        finally:
            process.terminate()
            process.communicate(timeout=60)


@pytest.fixture(scope="module")
def served(
    tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> Iterator[Served]:
    home = tmp_path_factory.mktemp("cache")
    program = program_in(tmp_path_factory.mktemp("served"), home, pytestconfig)
    with serving(program, "-e", "starter", "--max-requests", str(AT_ONCE)) as server:
        yield server


def lines(*answers: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(answer).encode() + b"\n" for answer in answers)


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def test_an_answer_gets_the_json_of_its_result(served: Served) -> None:
    answer = served.post("/grade", json={**RIGHT_ANSWER, "id": {"any": 1}})

    assert answer.status_code == 200
    sample = answer.json()
    assert list(sample)[:2] == ["id", "case"]
    assert (sample["id"], sample["case"]) == ({"any": 1}, "tiny/is-even")
    assert (sample["outcome"], sample["score"], sample["fault"]) == ("passed", 1.0, None)


def test_the_health_needs_no_token_and_names_what_grades(served: Served) -> None:
    health = served.health()

    assert health["ready"] is True
    assert health["toolchain"]["rustc"].startswith("rustc 1.")
    assert health["sandbox"]["guarantees"]["network"] in {"enforced", "best effort", "absent"}
    assert health["cases"] == {"tiny": 4, "starter": 6}
    assert health["parallelism"] == 2


@pytest.mark.parametrize("ordered", ["true", "false"])
def test_a_batch_gets_a_line_for_each_line(served: Served, ordered: str) -> None:
    body = lines(RIGHT_ANSWER, {**WRONG_ANSWER, "id": 7}) + b"\nnonsense\n" + lines(NO_ANSWER)[:-1]
    answer = served.post(f"/grade-many?ordered={ordered}", content=body)
    graded = [json.loads(line) for line in answer.text.splitlines()]

    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/x-ndjson")
    if ordered == "false":
        graded.sort(key=lambda line: line["line"])
    assert [line["line"] for line in graded] == [1, 2, 4, 5]
    outcomes = [line.get("outcome") for line in graded]
    assert outcomes == ["passed", "tests_failed", None, "no_code"]
    assert graded[1]["id"] == 7
    assert graded[2]["error"].startswith("not JSON")


def test_lines_without_order_come_as_they_are_known(served: Served) -> None:
    slow = {**RIGHT_ANSWER, "completion": f"{RIGHT_ANSWER['completion']} // not graded before"}
    answer = served.post("/grade-many?ordered=false", content=lines(slow, NO_ANSWER))

    assert [json.loads(line)["line"] for line in answer.text.splitlines()] == [2, 1]


def test_a_case_that_may_not_be_graded_says_nothing_of_others(served: Served) -> None:
    refused = {"case_id": "checked", "code": "pub fn checked() {}"}
    answer = served.post("/grade-many", content=lines(refused, RIGHT_ANSWER, refused))
    graded = [json.loads(line) for line in answer.text.splitlines()]

    assert "custom_check runs only with --allow-custom-checks" in graded[0]["error"]
    assert graded[1]["outcome"] == "passed"
    assert graded[2]["error"] == graded[0]["error"]


def test_verdicts_come_while_the_input_goes_on(served: Served) -> None:
    with served.raw("/grade-many") as connection, connection.makefile("rb") as answer:
        for number in (1, 2):
            connection.sendall(chunk(lines(NO_ANSWER)))
            graded = next(line for line in answer if line.startswith(b"{"))
            assert json.loads(graded)["line"] == number
        connection.sendall(chunk(b""))
        assert [line for line in answer if line.strip()] == [b"0\r\n"]


def test_64_clients_are_answered_at_once(served: Served) -> None:
    wanted = [("passed", RIGHT_ANSWER), ("tests_failed", WRONG_ANSWER), ("no_code", NO_ANSWER)]

    async def client(number: int) -> tuple[str, str]:
        outcome, answer = wanted[number % 3]
        async with httpx.AsyncClient(headers=served.headers, timeout=60) as http:
            if number % 2:
                graded = await http.post(f"{served.url}/grade", json={**answer, "id": number})
            else:
                content = lines({**answer, "id": number})
                graded = await http.post(f"{served.url}/grade-many", content=content)
        assert graded.json()["id"] == number
        return outcome, graded.json()["outcome"]

    async def clients() -> list[tuple[str, str]]:
        return await asyncio.gather(*map(client, range(64)))

    for outcome, graded in asyncio.run(clients()):
        assert graded == outcome


@pytest.mark.parametrize(
    ("path", "options", "status", "error"),
    [
        ("/grade", {"headers": {}}, 401, "wrong or missing token"),
        ("/grade", {"headers": {"Authorization": f"Bearer {TOKEN}x"}}, 401, "wrong or missing"),
        ("/grade", {"headers": {"Authorization": "Bearer ä"}}, 401, "wrong or missing"),
        ("/nowhere", {"headers": {}}, 401, "wrong or missing token"),
        ("/grade", {"headers": {"Origin": "http://localhost:3000"}}, 403, "web pages may not use"),
        ("/health", {"headers": {"Origin": "null"}}, 403, "web pages may not use this server"),
        ("/grade", {"headers": {"Host": "evil.example"}}, 403, '"evil.example" is not a name of'),
        ("/nowhere", {}, 404, 'POST "/nowhere": this server has POST /grade, POST /grade-many'),
        ("/health", {}, 405, 'POST "/health": this server has POST /grade'),
        ("/grade", {"content": b"{"}, 400, "not JSON"),
        ("/grade", {"json": {"case_id": "tripel", "code": ""}}, 400, 'did you mean "triple"?'),
        ("/grade", {"json": {"case_id": "triple"}}, 400, '"completion" is missing'),
        ("/grade-many?ordered=1", {}, 400, "ordered must be true or false, got 1"),
        ("/grade", {"content": b" " * (9 << 20)}, 413, "the body is longer than 8,388,608 bytes"),
        ("/grade", {"content": iter([b" " * (9 << 20)])}, 413, "longer than 8,388,608 bytes"),
    ],
)
def test_refusals_are_json_of_one_form(
    served: Served, path: str, options: dict[str, Any], status: int, error: str
) -> None:
    if "Authorization" not in options.get("headers", {"Authorization": ""}) and status != 401:
        options = {**options, "headers": {**served.headers, **options["headers"]}}
    if "ä" in str(options.get("headers")):
        options = {**options, "headers": {"Authorization": "Bearer ä".encode()}}
    answer = served.post(path, **options)

    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/json"
    assert list(answer.json()) == ["error"]
    assert error in answer.json()["error"]


def test_a_client_that_reads_after_it_has_sent_learns_why_it_is_refused(served: Served) -> None:
    body = b" " * (20 << 20)
    with served.raw("/grade", headers=f"Content-Length: {len(body)}\r\n") as connection:
        connection.sendall(body)
        assert connection.recv(100).startswith(b"HTTP/1.1 413 ")


def test_a_batch_that_is_too_long_is_refused_at_once_or_where_it_is_cut(served: Served) -> None:
    declared = "Content-Length: 99999999\r\nExpect: 100-continue\r\n"
    with served.raw("/grade-many", headers=declared) as connection:
        assert connection.recv(100).startswith(b"HTTP/1.1 413 ")
    with served.raw("/grade-many") as connection:
        connection.sendall(chunk(lines(NO_ANSWER)) + chunk(b" " * (20 << 20)) + chunk(b""))
        answer = connection.makefile("rb").read()

    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"the body is longer than 16,777,216 bytes; send the lines that have no" in answer


def test_more_requests_than_allowed_are_told_to_come_again(served: Served) -> None:
    with contextlib.ExitStack() as held:
        for _ in range(AT_ONCE):
            held.enter_context(served.raw("/grade-many"))
        served.wait_for(lambda health: health["requests"] == AT_ONCE, "all are under way")
        answer = served.post("/grade", json=NO_ANSWER)

        assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")
        assert answer.json()["error"] == "66 requests are under way: send it again later"
    served.wait_for(lambda health: health["requests"] == 0, "clients that leave make room")


def test_nothing_more_is_graded_for_a_client_that_does_not_read(served: Served) -> None:
    before = served.health()["answered"]
    body = lines(*[{**NO_ANSWER, "id": "x" * 100_000}] * 150)
    with served.raw("/grade-many", headers=f"Content-Length: {len(body)}\r\n") as connection:
        connection.sendall(body)  # all of it is taken in: the client need not read meanwhile
        served.wait_for(lambda health: health["under_way"] == 0, "the answers are in the way")
        assert 0 < served.health()["answered"] - before < 150
    served.wait_for(lambda health: health["requests"] == 0, "it is gone")


CLIENT = """
import sys, httpx
url, token, body = sys.argv[1:]
httpx.post(url, content=body.encode(), headers={"Authorization": "Bearer " + token}, timeout=None)
"""


@pytest.mark.parametrize(("path", "answers"), [("/grade", 1), ("/grade-many", 9)])
def test_a_client_that_is_killed_stops_its_gradings(
    served: Served, path: str, answers: int
) -> None:
    variants = [{**ENDLESS, "code": f"{ENDLESS['code']} // {number}"} for number in range(answers)]
    body = lines(*variants).decode()
    argv = [sys.executable, "-c", CLIENT, served.url + path, TOKEN, body]
    with subprocess.Popen(argv) as client:
        served.wait_for(lambda health: health["under_way"] == min(answers, 4), "it is graded")
        client.send_signal(signal.SIGKILL)
    served.wait_for(lambda health: not health["requests"] and not health["under_way"], "freed")

    assert served.post("/grade", json={**WRONG_ANSWER, "id": path}).json()["id"] == path


def test_sigterm_answers_what_is_under_way_and_leaves_nothing_behind(forgetest: Program) -> None:
    temp = forgetest.folder / "temp"
    temp.mkdir()
    with serving(_in(forgetest, temp), "--drain", "0.3") as served:
        with served.raw("/grade-many") as batch, served.raw("/grade") as single:
            batch.sendall(chunk(lines(NO_ANSWER, ENDLESS)))
            single.sendall(chunk(lines(ENDLESS)) + chunk(b""))
            served.wait_for(lambda health: health["under_way"] == 2, "both are graded")
            served.process.send_signal(signal.SIGTERM)
            streamed, answer = batch.makefile("rb").read(), single.makefile("rb").read()
        out, err = served.process.communicate(timeout=60)

    assert b'"outcome": "no_code"' in streamed
    assert b"the server is stopping; send the lines that have no answer again" in streamed
    assert streamed.endswith(b"0\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 503 ")
    assert b"retry-after: 1" in answer.lower()
    assert (served.process.returncode, out) == (0, "")
    assert err.splitlines()[-1] == "stopped: 1 answer graded"
    assert list(temp.iterdir()) == []


def test_a_batch_that_waits_for_input_ends_as_soon_as_the_server_stops(forgetest: Program) -> None:
    with serving(forgetest, "--drain", "100") as served, served.raw("/grade-many") as batch:
        served.wait_for(lambda health: health["requests"] == 1, "it is under way")
        served.process.send_signal(signal.SIGINT)
        streamed = batch.makefile("rb").read()
        assert served.process.wait(60) == 0

    assert b"the server is stopping; send the lines that have no answer again" in streamed


def _in(program: Program, temp: Path) -> Program:
    return Program(program.folder, {**program.environ, "TMPDIR": str(temp)})


def test_the_client_of_the_docs_works_as_it_stands(served: Served, tmp_path: Path) -> None:
    page = (ROOT / "docs/python.md").read_text("utf-8")
    (code,) = re.findall(r"^```python\n((?:(?!^```).)*8642.*?)^```", page, re.DOTALL | re.MULTILINE)
    done = subprocess.run(
        [sys.executable, "-c", code.replace("8642", str(served.port))],
        cwd=tmp_path,
        env={"FORGETEST_SERVE_TOKEN": TOKEN},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == ["a passed", "b no_code"]
