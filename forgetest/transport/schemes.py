"""Whether a server that does not answer speaks the other of http and https."""

import asyncio
import ssl
from urllib.parse import urlsplit

LONGEST_SECS = 3.0
PORTS = {"http": 80, "https": 443}
HEAD = b"HEAD / HTTP/1.1\r\nhost: %s\r\nconnection: close\r\n\r\n"


async def other_scheme(base_url: str) -> str | None:
    """Return the scheme that base_url should have, None where its own is right or nobody speaks.

    Nothing is sent but a handshake, or a request without path, key or body.
    """
    url = urlsplit(base_url)
    host, port = url.hostname or "", url.port or PORTS[url.scheme]
    other = "http" if url.scheme == "https" else "https"
    try:
        async with asyncio.timeout(LONGEST_SECS):
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
    # whether anybody shakes hands is the question, not who
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    _, writer = await asyncio.open_connection(host, port, ssl=context)
    writer.transport.abort()
    return True
