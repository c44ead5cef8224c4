"""Addresses that are not where the model server is: one line says what is wrong."""

import asyncio
import gc
import ssl
import subprocess
import threading
import time
import warnings
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from draws import ask, completion, draw, endpoint, fault
from fake_llm import Fail, FakeLLM

from forgetest.sampling.providers.presets import PROTOCOLS, Preset
from forgetest.sampling.transport import Endpoint
from forgetest.sampling.transport.connections import Connections, other_scheme

every_protocol = pytest.mark.parametrize("protocol", PROTOCOLS)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file with a key and a certificate for localhost that nobody trusts."""
    folder = tmp_path_factory.mktemp("certificate")
    key, cert = folder / "key.pem", folder / "cert.pem"
    argv = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost"]
    paths = ["-keyout", str(key), "-out", str(cert), "-days", "2"]
    subprocess.run([*argv, *paths], check=True, capture_output=True)
    cert.write_text(cert.read_text() + key.read_text())
    return cert


class Tls(HTTPServer):
    """Speaks TLS in a thread; what a client does wrong in the handshake is no error."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        del request, client_address


@pytest.fixture
def tls_port(certificate: Path) -> Iterator[int]:
    """Return the port of a server that speaks TLS alone."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server = Tls(("127.0.0.1", 0), BaseHTTPRequestHandler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()
    thread.join()


def at(url: str, protocol: Any) -> Endpoint:
    path = "/v1" if protocol == "openai" else ""
    preset = Preset(name="fake", protocol=protocol, base_url=url + path, local=True)
    return Endpoint(preset)


@every_protocol
def test_https_against_plain_http_says_so_at_once(protocol: Any) -> None:
    with FakeLLM("x") as fake:
        url = fake.url.replace("http:", "https:")
        first, second = ask(at(url, protocol), draw(), draw())

    assert f"{url}" in fault(first).message
    assert "uses https, but the server speaks http; change base_url" in fault(first).message
    assert [fault(first).final, fault(second).final] == [True, True]


@every_protocol
def test_plain_http_against_https_says_so_at_once(protocol: Any, tls_port: int) -> None:
    url = f"http://127.0.0.1:{tls_port}"

    first, second = ask(at(url, protocol), draw(), draw())

    assert "uses http, but the server speaks https; change base_url" in fault(first).message
    assert [fault(first).final, fault(second).final] == [True, True]


def test_a_server_of_the_right_scheme_is_not_taken_for_the_other(tls_port: int) -> None:
    with FakeLLM("x") as fake:
        assert asyncio.run(other_scheme(fake.url)) is None
    assert asyncio.run(other_scheme(f"https://127.0.0.1:{tls_port}")) is None
    assert asyncio.run(other_scheme("http://127.0.0.1:9")) is None


def test_a_connection_that_is_given_up_while_it_is_made_leaves_no_socket() -> None:
    async def given_up(url: str) -> None:
        connections = Connections(None, time.monotonic, 5.0)
        for turns in range(12):
            asking = asyncio.create_task(
                connections.handle_async_request(httpx.Request("GET", url))
            )
            for _ in range(turns):
                await asyncio.sleep(0)
            asking.cancel()
            await asyncio.wait([asking])
        await connections.aclose()

    with FakeLLM("x") as fake, warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        asyncio.run(given_up(fake.url))
        gc.collect()

    assert [str(one.message) for one in told] == []


@every_protocol
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    ("location", "shown"),
    [
        ("https://elsewhere.example/login?token=s3cret", "https://elsewhere.example/login"),
        ("https://me:s3cret@elsewhere.example/", "https://elsewhere.example/"),
        ("/v2/chat", "/v2/chat"),
        ("http://[broken", "no message"),
    ],
)
def test_a_redirection_names_where_to(
    protocol: Any, status: int, location: str, shown: str
) -> None:
    page = Fail(status, html="", headers={"location": location})
    with FakeLLM(page) as fake:
        (outcome,) = ask(endpoint(fake, protocol), draw())

    assert f"fake/tiny: {status}: " in fault(outcome).message
    place = fake.openai_url if protocol == "openai" else fake.url
    assert fault(outcome).message.endswith(f"{shown}; change base_url, which is {place}")
    assert "s3cret" not in fault(outcome).message
    assert fault(outcome).final
    assert len(fake.requests) == 1


@every_protocol
@pytest.mark.parametrize("status", [202, 204, 205])
def test_a_reply_without_content_says_so_and_ends_a_model_that_never_answered(
    protocol: Any, status: int
) -> None:
    with FakeLLM(Fail(status, html="")) as fake:
        first, second = ask(endpoint(fake, protocol), draw(), draw())

    assert f"{status}: empty reply instead of a completion" in fault(first).message
    assert fault(first).message.endswith(" a model server?")
    assert [fault(first).final, fault(second).final] == [True, True]
    assert len(fake.requests) == 1


@every_protocol
def test_a_reply_without_content_in_between_is_asked_for_again(protocol: Any) -> None:
    with FakeLLM("x", script=["x", Fail(204, html="")]) as fake:
        first, second = ask(endpoint(fake, protocol), draw(), draw())

    assert completion(first).text == completion(second).text == "x"
    assert len(fake.requests) == 3
