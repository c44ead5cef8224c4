"""One provider as all its models share it: connections, slots, waits, what was learned.

`check` first makes sure that a provider can be asked safely at all, and says what must stay secret;
the key is an argument, read from the environment by the command line alone. `Endpoint` then sends
single requests: `exchange` brings a status with a body, or a `Trouble` when the connection brought
none. What a status means is decided in `source` and `policy`.
"""

import asyncio
import ipaddress
import json
import re
import ssl
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies

import httpx

from forgetest.errors import ProviderSetupError
from forgetest.sampling.price import load_price_list
from forgetest.sampling.providers.contract import HttpRequest
from forgetest.sampling.providers.presets import Preset, protocol_of
from forgetest.sampling.providers.sampling import Terms
from forgetest.sampling.secrets import Secrets, secrets_of
from forgetest.sampling.transport.admission import Circuit, Slot, Slots
from forgetest.sampling.transport.connections import Connections, Wire, other_scheme
from forgetest.sampling.transport.policy import Pace, RetryPolicy, Trouble, Wait
from forgetest.value import count
from forgetest.version import __version__

CONNECT_SECS = 10.0
LARGEST_BODY = 32 * 2**20
SECRET_NAMES = re.compile(r"auth|key|token|secret|cookie", re.IGNORECASE)
HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
HEADER_VALUE = re.compile(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?")


def check(preset: Preset, key: str | None) -> Secrets:
    """Return what to keep secret; raise `ProviderSetupError` if the provider cannot be used."""
    url = _url(preset)
    _check_extras(preset)
    key = _key(preset, key)
    secret_headers = [name for name in preset.extra_headers if SECRET_NAMES.search(name)]
    if url.scheme == "http" and not is_loopback(url.hostname or "") and (key or secret_headers):
        raise ProviderSetupError(
            f"provider {preset.name}: refusing to send a key over plain http to {url.hostname}; "
            "use an https base_url"
        )
    return secrets_of((key or "", *preset.extra_headers.values()), key=key)


def is_loopback(host: str) -> bool:
    """Return whether a host name or address never leaves this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _url(preset: Preset) -> SplitResult:
    setting = f"provider {preset.name}: base_url"
    try:
        url = urlsplit(preset.base_url)
        usable = url.scheme in {"http", "https"} and bool(url.hostname) and url.port != 0
    except ValueError:
        usable = False
    if not usable or re.search(r"\s", preset.base_url):
        raise ProviderSetupError(f"{setting} must be an http or https URL")
    if url.username is not None or url.query or url.fragment:
        raise ProviderSetupError(
            f"{setting} must be only scheme, host, port and path; "
            "keep keys in the variable that api_key_env names"
        )
    if protocol_of(preset.protocol).BASE_URL_IS_ROOT and url.path.rstrip("/").endswith("/v1"):
        raise ProviderSetupError(
            f"{setting} of the {preset.protocol} protocol must be the server's root; remove /v1"
        )
    return url


def _key(preset: Preset, key: str | None) -> str | None:
    if preset.key_env is None:
        return None
    key = (key or "").strip()
    if not key:
        raise ProviderSetupError(
            f"provider {preset.name} needs a key: set {preset.key_env} in the environment"
        )
    if not HEADER_VALUE.fullmatch(key):
        raise ProviderSetupError(
            f"provider {preset.name}: {preset.key_env} contains characters that no key has"
        )
    return key


def _check_extras(preset: Preset) -> None:
    for name, value in preset.extra_headers.items():
        if not (HEADER_NAME.fullmatch(name) and HEADER_VALUE.fullmatch(value)):
            raise ProviderSetupError(
                f"provider {preset.name}: extra_headers: {name!r} is not a valid header"
            )
    try:
        json.dumps(preset.extra_body, allow_nan=False)
    except ValueError as error:
        raise ProviderSetupError(
            f"provider {preset.name}: extra_body contains NaN or infinity, which JSON forbids"
        ) from error


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What came back: `body` is JSON, or text where it is not JSON; header names are lower case."""

    status: int
    headers: dict[str, str]
    body: object
    secs: float


class Endpoint:
    """What all models of one provider share; an async context manager."""

    def __init__(
        self,
        preset: Preset,
        key: str | None = None,
        *,
        policy: RetryPolicy | None = None,
        pace: Pace | None = None,
        strict_params: bool = False,
    ) -> None:
        """Check that the provider can be used; raise `ProviderSetupError` if it cannot."""
        self.secrets = check(preset, key)
        self.preset = preset
        self.protocol = protocol_of(preset.protocol)
        self.policy = policy or RetryPolicy()
        self.pace = pace or Pace()
        self.strict_params = strict_params
        self.concurrency = preset.most_at_once
        self.slots = Slots(self.concurrency, preset.concurrency)
        self._refusals: Counter[str] = Counter()  # by model
        self._listeners: list[Callable[[str], None]] = []
        self._wait_listeners: list[Callable[[Wait], None]] = []
        self.circuit = self.circuit_of(preset.name)
        self.ended: str | None = None  # why no more requests are sent to it
        self._terms: dict[str, Terms] = {}
        self._urls: dict[str, httpx.URL] = {}
        self._cool_until = 0.0
        self._has_answered = False  # it has answered something
        self._has_tried_schemes = False
        self._door = _door(preset, self.concurrency, self.pace.monotonic)

    async def __aenter__(self) -> Self:
        if not self.preset.local:
            # or the first completion's price would hold up the clocks of all others
            await asyncio.to_thread(load_price_list)
        return self

    async def __aexit__(self, *_: object) -> None:
        for model, refused in self._refusals.items():
            now = self.slots.limit(model).now
            name = f"{self.preset.name}/{model}"
            self.say(
                f"{name}: {count(refused, 'request')} refused; at most {now} in flight at last"
            )
        await self._door.close()

    def refused(self, slot: Slot, trouble: Trouble) -> None:
        """Note that the server has too much to do, and say so when it is sent less from now on."""
        model = slot.holder
        has_less = self.slots.refused(slot)
        if has_less and model not in self._refusals:
            limit, why = self.slots.limit(model), trouble.error.status if trouble.error else ""
            self.say(
                f"{self.preset.name}/{model}: {why} with {limit.refused_at} requests in flight;"
                f" sending at most {limit.now}, and more again as it answers"
            )
        if has_less or model in self._refusals:
            self._refusals[model] += 1

    def terms(self, model: str) -> Terms:
        """Return what the model has refused so far."""
        return self._terms.get(model, Terms())

    def learn(self, model: str, terms: Terms) -> None:
        """Use the terms for every later request for the model."""
        self._terms[model] = terms

    def cool_down(self, secs: float, why: str = "") -> None:
        """Send no request before so many seconds have passed."""
        until = self.pace.monotonic() + secs
        if until <= self._cool_until:
            return
        self._cool_until = until
        for waits in self._wait_listeners:
            waits(Wait(self.preset.name, why, secs))

    async def cooled(self) -> None:
        """Return when requests may be sent."""
        while (left := self._cool_until - self.pace.monotonic()) > 0:
            await self.pace.sleep(left)

    def listen(
        self, listener: Callable[[str], None], waits: Callable[[Wait], None] | None = None
    ) -> None:
        """Call the listener with a line about each thing that concerns all requests.

        `waits` hears of each time for which no request is sent.
        """
        self._listeners.append(listener)
        if waits is not None:
            self._wait_listeners.append(waits)

    def say(self, line: str) -> None:
        """Send a line to the listeners."""
        for listener in self._listeners:
            listener(self.secrets.hide(line))

    def circuit_of(self, name: str) -> Circuit:
        """Return a circuit for the provider or for one of its models."""
        return Circuit(name, self.policy, self.pace, self.say)

    def end(self, reason: str) -> None:
        """Send no more requests, for this reason."""
        if self.ended is None:
            self.ended = reason
            self.say(f"{self.preset.name}: {reason}; its remaining samples stay unscored")

    async def exchange(self, request: HttpRequest) -> HttpAnswer | Trouble:
        """Return the answer to one request, or why there is none.

        A server that cannot be connected to is final trouble, unless it has answered before.
        """
        try:
            async with asyncio.timeout(self.preset.timeout_secs):
                answer = await self._send(request)
        except (TimeoutError, httpx.ReadTimeout):
            limit = f"{self.preset.timeout_secs:g} s"
            silence = Trouble(f"no reply within {limit}", passing=True, timed_out=True, silent=True)
            return await self._or_wrong_scheme(silence)
        except httpx.DecodingError as error:
            return Trouble(f"cut off: {error}", passing=True)
        except httpx.RequestError as error:
            return await self._or_wrong_scheme(self._connection_trouble(error))
        self._has_answered = True
        return answer

    def _connection_trouble(self, error: httpx.RequestError) -> Trouble:
        unreachable = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
        words = str(error) or type(error).__name__
        where = f"cannot connect to {self.preset.base_url}" if unreachable else "cut off"
        return Trouble(f"{where}: {words}", passing=True, final=unreachable, silent=True)

    async def _or_wrong_scheme(self, trouble: Trouble) -> Trouble:
        """Return the trouble, or a better one when base_url has http for https or the reverse."""
        if self._has_answered or self._has_tried_schemes:
            return trouble
        self._has_tried_schemes = True
        other = await other_scheme(self.preset.base_url)
        if other is None:
            return trouble
        scheme = urlsplit(self.preset.base_url).scheme
        message = f"{self.preset.base_url} uses {scheme}, but the server speaks {other}"
        return replace(
            trouble, message=message, hint="; change base_url", passing=False, final=True
        )

    async def _send(self, request: HttpRequest) -> HttpAnswer:
        started = self.pace.monotonic()
        content = None if request.body is None else json.dumps(request.body).encode()
        response = await self._door.send(
            httpx.Request(
                "GET" if content is None else "POST",
                self._url(request.path),
                headers=self._headers(request),
                content=content,
                extensions=self._door.extensions,
            )
        )
        try:
            body = await _read(response)
        finally:
            await response.aclose()
        wire = response.extensions.get("wire")
        # without the wait in our own queue, where the connection measured it
        secs = wire.secs if isinstance(wire, Wire) else self.pace.monotonic() - started
        return HttpAnswer(response.status_code, dict(response.headers.items()), body, secs)

    def _url(self, path: str) -> httpx.URL:
        url = self._urls.get(path)
        if url is None:  # to parse one takes a tenth of all that a request costs
            url = self._urls[path] = httpx.URL(self.preset.base_url.rstrip("/") + path)
        return url

    def _headers(self, request: HttpRequest) -> dict[str, str]:
        key = self.secrets.key
        headers = {
            "accept": "application/json",
            "accept-encoding": "gzip, deflate",
            "connection": "keep-alive",
            "content-type": "application/json",
            "user-agent": f"forgetest/{__version__}",
            **request.headers,
            **(self.protocol.auth(key) if key else {}),
        }
        extra = {name.lower(): value for name, value in self.preset.extra_headers.items()}
        return headers | extra


@dataclass(frozen=True, slots=True)
class _Door:
    """The way out: our own connections, or the HTTP client where a proxy stands between.

    The client adds cookies, redirects and credentials to each request, which nothing here uses and
    which take a fifth of the time.
    """

    send: Callable[[httpx.Request], Awaitable[httpx.Response]]
    close: Callable[[], Awaitable[None]]
    extensions: dict[str, Any]


def _door(preset: Preset, concurrency: int, clock: Callable[[], float]) -> _Door:
    url = urlsplit(preset.base_url)
    # plain http needs no authorities, and reading them takes a tenth of a second
    context = httpx.create_ssl_context() if url.scheme == "https" else None
    # a proxy for the world outside must not see what stays on this machine
    if is_loopback(url.hostname or "") or getproxies().keys().isdisjoint({url.scheme, "all"}):
        connections = Connections(context, clock, CONNECT_SECS)
        return _Door(connections.handle_async_request, connections.aclose, {})
    timeout = httpx.Timeout(preset.timeout_secs, connect=CONNECT_SECS, pool=None)
    client = httpx.AsyncClient(
        limits=httpx.Limits(max_connections=concurrency + 1),
        verify=context or ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
        trust_env=True,
    )
    return _Door(partial(client.send, stream=True), client.aclose, {"timeout": timeout.as_dict()})


async def _read(response: httpx.Response) -> object:
    raw = bytearray()
    async for chunk in response.aiter_bytes():
        raw += chunk
        if len(raw) > LARGEST_BODY:
            raise httpx.DecodingError("the reply is larger than any completion")
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return raw.decode(errors="replace")
