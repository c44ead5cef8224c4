"""Grading over HTTP: what `grade - --stream` reads and prints, for programs in other processes.

    POST /grade         one answer, as JSON: its verdict, as JSON
    POST /grade-many    answers, as JSON lines: a line for each as soon as its verdict is known
    GET /health         what grades, and how much is under way; needs no token

What the machine does wrong is a value in an answer of status 200, as everywhere. Every refusal is
`{"error": "..."}`. A client that goes away stops its gradings. A web page cannot use the server:
see `Access`.
"""

import asyncio
import contextlib
import ipaddress
import json
import secrets
import socket
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator, Mapping
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from forgetest.api.cases import Cases
from forgetest.api.flow import ended
from forgetest.api.grader import Grader
from forgetest.api.stream import LONGEST_LINE, LineGrader, split_lines
from forgetest.evalset.forms import quoted
from forgetest.version import __version__

T = TypeVar("T")

HEALTH = "/health"
_RETRY = {"Retry-After": "1"}
_DISCARD_SECS = 5.0  # for a client to send what is refused: many read only afterwards
_IDLE_SECS = 75  # of a connection between two requests: a step of a trainer takes long
_SLOW_READER_SECS = 5  # for the last bytes of an answer to be read when the server stops
_ROUTES = "this server has POST /grade, POST /grade-many and GET /health"
_AGAIN = "send the lines that have no answer again"
_STOPPING = "the server is stopping: send it again"
_STOPPING_BATCH = f"the server is stopping; {_AGAIN}"


@dataclass(frozen=True)
class ServerLimits:
    """What clients may use."""

    body: int = 16 << 20  # bytes of one request
    requests: int = 256  # under way at once
    drain_secs: float = 10.0  # for what is under way when the server stops


@dataclass(frozen=True)
class Access:
    """Who may ask: whoever has the token, by a name of this machine, and never a web page.

    A page on the web can send requests to this machine, and by DNS rebinding under a name of its
    own. Browsers then name the page in `Origin`, or its name in `Host`; only addresses, localhost
    and `hosts` are taken there.
    """

    token: str
    hosts: frozenset[str] = frozenset()

    def refusal(self, scope: Scope) -> HTTPException | None:
        """Return why a request is not allowed; None if it is."""
        headers = Headers(scope=scope)
        if (origin := headers.get("origin")) is not None:
            return HTTPException(
                403, f"web pages may not use this server, nor may {quoted(origin)}"
            )
        if not self._knows(host := headers.get("host", "")):
            message = f"{quoted(host)} is not a name of this server: --allow-host adds names"
            return HTTPException(403, message)
        if scope["path"] == HEALTH or self._has_token(headers.get("authorization", "")):
            return None
        message = "wrong or missing token: send the header `Authorization: Bearer TOKEN`"
        return HTTPException(401, message, {"WWW-Authenticate": "Bearer"})

    def _knows(self, host: str) -> bool:
        name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
        return name.lower() in {"localhost", *self.hosts} or is_address(name.strip("[]"))

    def _has_token(self, authorization: str) -> bool:
        scheme, _, given = authorization.partition(" ")
        wanted = self.token.encode()
        return scheme.lower() == "bearer" and secrets.compare_digest(given.strip().encode(), wanted)


def is_address(host: str) -> bool:
    """Tell whether a host is an IP address, which nobody can rebind."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


async def serve(service: "Service", listener: socket.socket, ready: Callable[[], object]) -> None:
    """Answer requests on a bound socket, until this is cancelled; `ready` is called when they come.

    A cancellation lets what is under way come to its end, for a limited time, and returns.
    """
    config = uvicorn.Config(
        service.app,
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=_IDLE_SECS,
        timeout_graceful_shutdown=int(service.limits.drain_secs) + _SLOW_READER_SECS,
    )
    server = _Server(config)
    listener.listen()
    ready()
    running = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        await asyncio.shield(running)
    except asyncio.CancelledError:
        service.stop()
        server.should_exit = True
        await running


class _Server(uvicorn.Server):
    """A server that leaves signals to the program that it is a part of."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class Service:
    """Grades what clients send, with one open grader."""

    def __init__(self, cases: Cases, grader: Grader, access: Access, limits: ServerLimits) -> None:
        self.limits = limits
        self.lines = LineGrader(cases, grader)
        self._cases = cases
        self._grader = grader
        self._requests = 0
        self._bodies: set[_RequestBody] = set()
        self._stopping = False
        self._stopped = asyncio.Event()
        self.app = Starlette(
            routes=[
                Route(HEALTH, self._health),
                Route("/grade", self._grade, methods=["POST"]),
                Route("/grade-many", _GradeMany(self), methods=["POST"]),
            ],
            middleware=[Middleware(_Gate, access=access)],
            exception_handlers={
                HTTPException: _refused,
                ClientDisconnect: _left,
                Exception: _bug,
            },
        )

    def stop(self) -> None:
        """Take nothing new; what is under way has the time that the limits give it."""
        self._stopping = True
        for body in self._bodies:
            if not body.consumed:
                body.cut(_STOPPING_BATCH)
        asyncio.get_running_loop().call_later(self.limits.drain_secs, self._stopped.set)

    @contextmanager
    def admitted(self, request: Request, most: int) -> Iterator[None]:
        """Count a request; refuse it when there are too many, or when its body is too long."""
        if self._stopping:
            raise HTTPException(503, _STOPPING, _RETRY)
        if self._requests >= self.limits.requests:
            message = f"{self._requests} requests are under way: send it again later"
            raise HTTPException(429, message, _RETRY)
        if int(request.headers.get("content-length", 0)) > most:
            raise _too_long(most)
        self._requests += 1
        try:
            yield
        finally:
            self._requests -= 1

    @contextmanager
    def stoppable(self, body: "_RequestBody") -> Iterator[None]:
        """Have the server cut a body when it stops."""
        self._bodies.add(body)
        try:
            yield
        finally:
            self._bodies.remove(body)

    async def unless_stopped(
        self, work: Coroutine[Any, Any, T], *ends: Coroutine[Any, Any, object]
    ) -> T | None:
        """Return what `work` returns; None if the server stops before, or one of `ends` comes."""
        working = asyncio.create_task(work)
        others = [asyncio.create_task(end) for end in (self._stopped.wait(), *ends)]
        try:
            await asyncio.wait([working, *others], return_when=asyncio.FIRST_COMPLETED)
            return working.result() if working.done() else None
        finally:
            await ended([working, *others])

    async def _health(self, _request: Request) -> Response:
        sets = {chosen.id: len(chosen.cases) for chosen in self._cases.eval_sets}
        health = {
            "ready": not self._stopping,
            "forgetest": __version__,
            "toolchain": self._grader.toolchain.model_dump(mode="json"),
            "sandbox": self._grader.sandbox.model_dump(mode="json"),
            "parallelism": self._grader.parallelism,
            "cases": sets,
            "requests": self._requests,
            "under_way": self.lines.under_way,
            "answered": self.lines.answered,
            "unscored": self.lines.unscored,
        }
        return JSONResponse(health)

    async def _grade(self, request: Request) -> Response:
        most = min(self.limits.body, LONGEST_LINE)
        with self.admitted(request, most):
            answer = await self.unless_stopped(_whole(request, most))
            if answer is None:
                raise HTTPException(503, _STOPPING, _RETRY)
            grading, gone = self.lines.grade(answer), _gone(request.receive)
            graded = await self.unless_stopped(grading, gone)
        if graded is None:
            raise HTTPException(503, _STOPPING, _RETRY)
        status = 400 if graded.wrong else 200
        return Response(graded.line + "\n", status, media_type="application/json")


class _GradeMany:
    """Reads lines and answers lines, both at once.

    The body is taken in as it comes, up to the limit: many clients read nothing before they have
    sent all of it. What holds back a client that does not read is that nothing more is graded.
    """

    def __init__(self, service: Service) -> None:
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        ordered = _flag(request, "ordered", default=True)
        body = _RequestBody(self._service.limits.body)
        with self._service.admitted(request, body.most), self._service.stoppable(body):
            headers = [(b"content-type", b"application/x-ndjson")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            work = self._answered(body, send, ordered=ordered)
            gone = _gone(body.filled_by(receive))
            answered = await self._service.unless_stopped(work, gone)
            if not answered:
                body.cut(_STOPPING_BATCH)
            last = _line(body.error) if body.error else b""
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(None if answered else _SLOW_READER_SECS / 2):
                    await send({"type": "http.response.body", "body": last})

    async def _answered(self, body: "_RequestBody", send: Send, *, ordered: bool) -> bool:
        lines = self._service.lines.grade_lines(body.lines(), ordered=ordered)
        async with aclosing(lines) as answers:
            async for answer in answers:
                line = answer.line.encode() + b"\n"
                await send({"type": "http.response.body", "body": line, "more_body": True})
        await body.discarded()
        return True


class _RequestBody:
    """What has come of a body of lines, until it ends or is cut."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.error = ""  # why it was cut
        self.consumed = False  # whether its last line has been read
        self._size = 0
        self._whole = asyncio.Event()
        self._chunks: asyncio.Queue[bytes] = asyncio.Queue()

    def cut(self, error: str) -> None:
        """Let nothing more be read of it."""
        self.error = self.error or error
        self._chunks.put_nowait(b"")

    def filled_by(self, receive: Receive) -> Receive:
        """Return a `receive` that keeps what comes."""

        async def keep() -> Message:
            message = await receive()
            if message["type"] == "http.request":
                self._take(message.get("body", b""), more=message.get("more_body", False))
            return message

        return keep

    async def lines(self) -> AsyncGenerator[bytes, None]:
        """Yield the lines, each as soon as it is there."""
        with contextlib.suppress(_CutError):
            async with aclosing(split_lines(self._read())) as lines:
                async for line in lines:
                    yield line

    async def discarded(self) -> None:
        """Wait until a client has sent all of a body that is too long: many read only then."""
        if self._size > self.most:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._whole.wait(), _DISCARD_SECS)

    async def _read(self) -> AsyncGenerator[bytes, None]:
        while True:
            chunk = await self._chunks.get()
            if self.error:
                raise _CutError
            if not chunk:
                self.consumed = True
                return
            yield chunk

    def _take(self, chunk: bytes, *, more: bool) -> None:
        self._size += len(chunk)
        if self._size > self.most:
            self.cut(f"the body is longer than {self.most:,} bytes; {_AGAIN}")
        elif chunk:
            self._chunks.put_nowait(chunk)
        if not more:
            self._whole.set()
            self._chunks.put_nowait(b"")


class _CutError(Exception):
    """The rest of a body is not read."""


class _Gate:
    """Lets in who may ask, and has refused clients send their body to its end."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._access.refusal(scope)
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            response = await _refused(Request(scope, receive), refusal)
            await response(scope, receive, send)


async def _refused(request: Request, error: Exception) -> Response:
    """Return the answer to a request that is refused, once its body has come."""
    if not isinstance(error, HTTPException):
        raise error
    if "expect" not in request.headers:  # a client that waits before it sends its body
        with contextlib.suppress(TimeoutError, ClientDisconnect, RuntimeError):
            async with asyncio.timeout(_DISCARD_SECS):
                async for _ in request.stream():
                    pass
    unknown = error.status_code in {404, 405}
    detail = f"{request.method} {quoted(request.url.path)}: {_ROUTES}" if unknown else error.detail
    return _error(detail, error.status_code, error.headers)


async def _left(_request: Request, _error: Exception) -> Response:
    """Return an answer that nobody reads: the client went away before it had sent its body."""
    return Response()


async def _bug(_request: Request, error: Exception) -> Response:
    """Return the answer to a request that met a bug; the trace goes to standard error."""
    message = f"this is a bug in forgetest ({error!r}): the server's standard error says more"
    return _error(message, 500)


async def _whole(request: Request, most: int) -> bytes:
    """Return a body; refuses one that is too long."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            raise _too_long(most)
    return bytes(body)


async def _gone(receive: Receive) -> None:
    """Return when the client has gone away; what comes of its body is read."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _too_long(most: int) -> HTTPException:
    return HTTPException(413, f"the body is longer than {most:,} bytes")


def _flag(request: Request, name: str, *, default: bool) -> bool:
    given = request.query_params.get(name, str(default).lower())
    if given not in {"true", "false"}:
        raise HTTPException(400, f"{name} must be true or false, got {given}")
    return given == "true"


def _error(message: str, status: int, headers: Mapping[str, str] | None = None) -> Response:
    return Response(_line(message), status, headers, media_type="application/json")


def _line(error: str) -> bytes:
    return json.dumps({"error": error}, ensure_ascii=False).encode() + b"\n"
