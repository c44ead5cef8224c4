"""The sockets of the fake model server: HTTP in, a behaviour carried out, HTTP out or cut."""

import json
import socket
import sys
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from fake_dialects import DIALECTS, Asked, Dialect, Fail, Say

if TYPE_CHECKING:
    from fake_llm import FakeLLM

ENDS = {"/chat/completions": "openai", "/v1/messages": "anthropic", "/api/chat": "ollama"}


@dataclass(frozen=True)
class Cut:
    """The connection is cut: before any answer, or after so many bytes of the body."""

    after: int | None = None


@dataclass(frozen=True)
class Slow:
    """The reply comes in pieces, with a pause before each."""

    text: str
    pieces: int = 4
    pause: float = 0.02


@dataclass(frozen=True)
class Hang:
    """Nothing comes until `FakeLLM.release` or the end; then the text."""

    text: str = ""


Behaviour = str | Say | Fail | Cut | Slow | Hang


@dataclass(frozen=True)
class Ask(Asked):
    """A completion request as a reply function sees it."""

    nth: int = 1  # among the requests for this model, prompt and seed, from 1
    number: int = 1  # among all requests, from 1
    body: dict[str, Any] = field(default_factory=dict)


@dataclass
class Recorded:
    """One request and what became of it; headers are lower case."""

    number: int
    time: float
    method: str
    path: str
    dialect: str
    headers: dict[str, str]
    body: Any
    model: str | None = None
    prompt: str | None = None
    seed: int | None = None
    status: int | None = None
    answered: bool = False  # the whole reply was written, and the client was still there


class Server(ThreadingHTTPServer):
    """Threads that answer for one `FakeLLM`."""

    daemon_threads = False
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], fake: "FakeLLM") -> None:
        super().__init__(address, Handler)
        self.fake = fake
        self.connections: set[socket.socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        self.connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self.connections.discard(request)
        super().shutdown_request(request)

    def cut_connections(self) -> None:
        """End every open connection, so that the threads that serve them end."""
        for connection in list(self.connections):
            hang_up(connection)

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], OSError):  # a client that went away is no error
            super().handle_error(request, client_address)


def streamed(body: dict[str, Any]) -> bytes:
    """Return an Ollama body as the stream of lines for a client that forgot to refuse it."""
    return (json.dumps({**body, "done": False}) + "\n" + json.dumps(body) + "\n").encode()


def events(body: dict[str, Any]) -> bytes:
    """Return an OpenAI body as the events of a client that asked for a stream."""
    whole = {**body, "object": "chat.completion.chunk"}
    said = [
        {"index": choice["index"], "delta": choice["message"], "finish_reason": None}
        for choice in body["choices"]
    ]
    ends = [
        {"index": choice["index"], "delta": {}, "finish_reason": choice["finish_reason"]}
        for choice in body["choices"]
    ]
    chunks = ({**whole, "choices": said, "usage": None}, {**whole, "choices": ends})
    lines = (*(json.dumps(chunk) for chunk in chunks), "[DONE]")
    return "".join(f"data: {line}\n\n" for line in lines).encode()


def hang_up(connection: socket.socket) -> None:
    """End a connection without waiting for the other side."""
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return


def is_gone(connection: socket.socket) -> bool:
    """Return whether the client has closed its side."""
    try:
        return connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


class Handler(BaseHTTPRequestHandler):
    """One connection: every request is recorded first and logged last."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are two writes
    server: Server

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        del format, args

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        anthropic = "anthropic-version" in self.headers
        name = "ollama" if path == "/api/tags" else "anthropic" if anthropic else "openai"
        fake, dialect = self.server.fake, DIALECTS[name]
        recorded = fake.record(self, name, None)
        refusal = dialect.refuse(recorded.headers, None, fake.key)
        if not path.endswith(("/models", "/tags")):
            refusal = Fail(404, f"Invalid URL (GET {path})")
        if refusal is not None:
            self._fail(recorded, dialect, refusal)
            return
        query = dict(parse_qsl(urlsplit(self.path).query))
        self._send(recorded, dialect.models(fake.models or ["tiny", "small", "tall"], query))

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["content-length"]))
        path = urlsplit(self.path).path
        name = next((name for end, name in ENDS.items() if path.endswith(end)), None)
        recorded = self.server.fake.record(self, name or "openai", json.loads(raw))
        dialect = DIALECTS[name or "openai"]
        if name is None:
            self._fail(recorded, dialect, Fail(404, f"Invalid URL (POST {path})"))
            return
        self._act(recorded, dialect, *self.server.fake.behave(dialect, recorded))

    def _act(
        self, recorded: Recorded, dialect: Dialect, asked: Asked | None, behaviour: Behaviour
    ) -> None:
        if isinstance(behaviour, Fail) or asked is None:
            self._fail(recorded, dialect, behaviour)
            return
        if isinstance(behaviour, Cut) and behaviour.after is None:
            self._hang_up(recorded)
            return
        if isinstance(behaviour, Hang):
            self.server.fake.released.wait()
        text = behaviour if isinstance(behaviour, str) else getattr(behaviour, "text", "cut off")
        say = behaviour if isinstance(behaviour, Say) else Say(text)
        body = dialect.completion(asked, say, recorded.number)
        headers = {}
        payload = json.dumps(body).encode()
        if recorded.dialect == "ollama" and recorded.body.get("stream") is not False:
            payload = streamed(body)
        elif recorded.dialect == "openai" and recorded.body.get("stream") is True:
            payload, headers = events(body), {"content-type": "text/event-stream"}
        self._send_bytes(recorded, 200, payload, headers=headers, behaviour=behaviour)

    def _fail(self, recorded: Recorded, dialect: Dialect, fail: Any) -> None:
        if fail.html is not None:
            page = fail.html.encode()
            headers = {"content-type": "text/html", **fail.headers}
            self._send_bytes(recorded, fail.status, page, headers=headers)
            return
        self._send(recorded, dialect.error(fail), status=fail.status, headers=fail.headers)

    def _send(
        self,
        recorded: Recorded,
        body: Any,
        *,
        status: int = 200,
        headers: dict[str, str] | None = None,
    ) -> None:
        self._send_bytes(recorded, status, json.dumps(body).encode(), headers=headers)

    def _send_bytes(
        self,
        recorded: Recorded,
        status: int,
        payload: bytes,
        *,
        headers: dict[str, str] | None = None,
        behaviour: Behaviour = "",
    ) -> None:
        recorded.status = status
        if is_gone(self.connection):
            self._hang_up(recorded)
            return
        own = {"content-type": "application/json", "x-request-id": f"req-{recorded.number}"}
        self.send_response(status)
        for name, value in {**own, **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        if isinstance(behaviour, Cut):
            self.wfile.write(payload[: behaviour.after])
            self._hang_up(recorded)
            return
        pieces = behaviour.pieces if isinstance(behaviour, Slow) else 1
        pause = behaviour.pause if isinstance(behaviour, Slow) else 0
        step = -(-len(payload) // pieces)
        *starts, last = range(0, len(payload), step)
        for start in starts:
            self.wfile.write(payload[start : start + step])
            time.sleep(pause)
        # noted before the last piece, so that whoever has the reply finds it in the log
        recorded.answered = True
        self.server.fake.note(recorded)
        self.wfile.write(payload[last:])

    def _hang_up(self, recorded: Recorded) -> None:
        self.server.fake.note(recorded)
        self.close_connection = True
        hang_up(self.connection)
