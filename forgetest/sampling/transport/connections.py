"""Connections to one server, as the transport below the HTTP client.

The client's own pool looks at every connection for each request that comes or goes, and tries to
import what is not installed some times a request: with 200 requests at once that takes 20 ms each.
Here a request takes any idle connection or makes one; how many there are is limited by the slots
of the endpoint. HTTP/1.1 itself is httpcore's.

`other_scheme` finds out whether a server that does not answer speaks https instead of http, or the
reverse.
"""

import asyncio
import os
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

import httpcore
import httpx

IDLE_SECS = 5.0
FIRST_ADDRESS_SECS = 0.25  # the next address of a name is tried then
PORTS = {"http": 80, "https": 443}
SCHEME_SECS = 3.0  # to find out which scheme a server speaks
HEAD = b"HEAD / HTTP/1.1\r\nhost: %s\r\nconnection: close\r\n\r\n"


class Wire(asyncio.Protocol, httpcore.AsyncNetworkStream):
    """The bytes of one connection, and when the last request left and the last byte came.

    Time limits are the caller's: those of single reads and writes are not looked at.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        loop = asyncio.get_running_loop()
        self.sent_at = self.heard_at = 0.0
        self.closed: asyncio.Future[None] = loop.create_future()
        self._clock, self._loop = clock, loop
        self._transport: asyncio.Transport | None = None
        self._read, self._unsent = bytearray(), bytearray()
        self._ended = False
        self._reader: asyncio.Future[None] | None = None

    @property
    def secs(self) -> float:
        """Seconds from the moment the last request was sent to the last byte of its reply."""
        return self.heard_at - self.sent_at

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        if isinstance(transport, asyncio.Transport):
            self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Keep the bytes until they are read."""
        self.heard_at = self._clock()
        self._read += data
        self._wake()

    def eof_received(self) -> bool:
        """Close: who sends nothing more to a client has done with it."""
        self._end()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """Let the reader find the end."""
        del exc
        self._end()
        if not self.closed.done():
            self.closed.set_result(None)

    def _end(self) -> None:
        self._ended = True
        self._wake()

    def _wake(self) -> None:
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        """Return all bytes that have come, waiting for some; none at the end."""
        del max_bytes, timeout
        self._flush()
        if not (self._read or self._ended):
            self._reader = self._loop.create_future()
            await self._reader
        data = bytes(self._read)
        self._read.clear()
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        """Keep bytes until a reply is waited for, so that head and body leave together."""
        del timeout
        self._unsent += buffer

    def _flush(self) -> None:
        if self._unsent and self._transport is not None:
            self.sent_at = self._clock()
            self._transport.write(bytes(self._unsent))
            self._unsent.clear()

    async def aclose(self) -> None:
        """Drop the connection."""
        if self._transport is not None:
            self._transport.abort()

    def get_extra_info(self, info: str) -> Any:
        """Return whether there is something to read, or the end; nothing else is known."""
        return bool(self._ended or self._read) if info == "is_readable" else None


@dataclass(frozen=True, slots=True)
class Line:
    """A connection that speaks HTTP/1.1."""

    wire: Wire
    http: httpcore.AsyncHTTP11Connection

    @property
    def is_ready(self) -> bool:
        """Whether another request may be sent."""
        return self.http.is_idle() and not self.http.has_expired()


class Connections(httpx.AsyncBaseTransport):
    """Every connection to one origin; a reply's extension `wire` is the `Wire` it came by."""

    def __init__(
        self, context: ssl.SSLContext | None, clock: Callable[[], float], connect_secs: float
    ) -> None:
        self._context, self._clock, self._connect_secs = context, clock, connect_secs
        self._idle: list[Line] = []  # the one that was used last is taken first
        self._open: set[Wire] = set()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Return the reply, its body still to come; raise `httpx.RequestError` if there is none."""
        url = request.url
        port = url.port or PORTS[url.scheme]
        line = await self._ready_line() or await self._connect(url.raw_scheme, url.raw_host, port)
        message = httpcore.Request(
            request.method,
            httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=port, target=url.raw_path),
            headers=request.headers.raw,
            content=request.stream,
        )
        try:
            reply = await line.http.handle_async_request(message)
        except httpcore.ProtocolError as error:
            raise httpx.RemoteProtocolError(str(error)) from error
        return httpx.Response(
            reply.status,
            headers=reply.headers,
            stream=_Body(reply, lambda: self._give_back(line)),
            extensions={"wire": line.wire},
        )

    async def _ready_line(self) -> Line | None:
        while self._idle:
            line = self._idle.pop()
            if line.is_ready:
                return line
            await line.http.aclose()
        return None

    def _give_back(self, line: Line) -> None:
        if line.http.is_idle():
            self._idle.append(line)

    async def _connect(self, scheme: bytes, host: bytes, port: int) -> Line:
        name = host.decode("ascii")
        try:
            async with asyncio.timeout(self._connect_secs):
                _, wire = await asyncio.get_running_loop().create_connection(
                    lambda: Wire(self._clock),
                    name,
                    port,
                    ssl=self._context if scheme == b"https" else None,
                    happy_eyeballs_delay=_race_secs(name),
                )
        except TimeoutError as error:
            raise httpx.ConnectTimeout(f"no connection in {self._connect_secs:g} s") from error
        except OSError as error:
            raise httpx.ConnectError(_words(error)) from error
        self._open.add(wire)
        wire.closed.add_done_callback(lambda _: self._open.discard(wire))
        origin = httpcore.Origin(scheme, host, port)
        return Line(wire, httpcore.AsyncHTTP11Connection(origin, wire, keepalive_expiry=IDLE_SECS))

    async def aclose(self) -> None:
        """Drop every connection, and return when all are closed."""
        left = [wire.closed for wire in self._open]
        for wire in list(self._open):
            await wire.aclose()
        if left:
            await asyncio.wait(left, timeout=self._connect_secs)


def _race_secs(host: str) -> float | None:
    """Return when the next address of a host is tried; None for an address, which has no other.

    asyncio's race of addresses leaves a socket open when it is given up in the moment it is won.
    """
    try:
        ip_address(host)
    except ValueError:
        return FIRST_ADDRESS_SECS
    return None


class _Body(httpx.AsyncByteStream):
    def __init__(self, reply: httpcore.Response, done: Callable[[], None]) -> None:
        self._reply, self._done = reply, done

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for part in self._reply.aiter_stream():
                yield part
        except httpcore.ProtocolError as error:
            raise httpx.RemoteProtocolError(str(error)) from error

    async def aclose(self) -> None:
        await self._reply.aclose()
        self._done()


def _words(error: OSError) -> str:
    if isinstance(error, ssl.SSLError | socket.gaierror) or error.errno is None:
        return str(error.strerror or error)
    return os.strerror(error.errno)


async def other_scheme(base_url: str) -> str | None:
    """Return the scheme that base_url should have; None when its own is right or nothing answers.

    Sends only a handshake, or a request without path, key or body.
    """
    url = urlsplit(base_url)
    host, port = url.hostname or "", url.port or PORTS[url.scheme]
    other = "http" if url.scheme == "https" else "https"
    try:
        async with asyncio.timeout(SCHEME_SECS):
            speaks = await (_speaks_http if other == "http" else _speaks_tls)(host, port)
    except (OSError, TimeoutError, asyncio.IncompleteReadError):
        return None
    return other if speaks else None


async def _speaks_http(host: str, port: int) -> bool:
    reader, writer = await asyncio.open_connection(host, port)
    try:
        writer.write(HEAD % host.encode("idna"))
        return await reader.readexactly(5) == b"HTTP/"
    finally:
        writer.close()


async def _speaks_tls(host: str, port: int) -> bool:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # the question is whether a server shakes hands, not which one
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    _, writer = await asyncio.open_connection(host, port, ssl=context)
    writer.transport.abort()
    return True
