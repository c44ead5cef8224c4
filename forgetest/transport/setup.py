"""What must hold before a provider is asked at all, and what of it nobody may see.

Pure: the key is an argument, read from the environment by the command line alone.
"""

import ipaddress
import json
import re
from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlsplit

from forgetest.errors import ProviderSetupError
from forgetest.providers.contract import Preset

SECRET_NAMES = re.compile(r"auth|key|token|secret|cookie", re.IGNORECASE)
HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
HEADER_VALUE = re.compile(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?")
SHORTEST_SECRET = 6  # shorter header values are words, and hiding them would garble messages


@dataclass(frozen=True, slots=True)
class Secrets:
    """The key of a provider and what else must not be shown."""

    key: str | None = field(repr=False)
    values: tuple[str, ...] = field(repr=False)

    def hide(self, text: str) -> str:
        """Return the text with every secret replaced."""
        for value in self.values:
            text = text.replace(value, "[hidden]")
        return text


def check(preset: Preset, key: str | None) -> Secrets:
    """Return what to keep secret; raise `ProviderSetupError` if the provider can not be asked."""
    url = _url(preset)
    _check_extras(preset)
    key = _key(preset, key)
    secret_headers = [name for name in preset.extra_headers if SECRET_NAMES.search(name)]
    if url.scheme == "http" and not is_loopback(url.hostname or "") and (key or secret_headers):
        raise ProviderSetupError(
            f"provider {preset.name}: a key would go over plain http to {url.hostname}; "
            "use an https base_url"
        )
    hidden = (key or "", *preset.extra_headers.values())
    longest_first = sorted({value for value in hidden if len(value) >= SHORTEST_SECRET}, key=len)
    return Secrets(key=key, values=tuple(reversed(longest_first)))


def is_loopback(host: str) -> bool:
    """Return whether a host name or address never leaves this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _url(preset: Preset) -> SplitResult:
    problem = f"provider {preset.name}: base_url"
    try:
        url = urlsplit(preset.base_url)
        usable = url.scheme in {"http", "https"} and bool(url.hostname) and url.port != 0
    except ValueError:
        usable = False
    if not usable or re.search(r"\s", preset.base_url):
        raise ProviderSetupError(f"{problem} is not an http or https address")
    if url.username is not None or url.query or url.fragment:
        raise ProviderSetupError(
            f"{problem} holds more than host, port and path; name the key's variable in key_env"
        )
    if preset.protocol != "openai" and url.path.rstrip("/").endswith("/v1"):
        raise ProviderSetupError(
            f"{problem} of the {preset.protocol} protocol is the server's root; leave out /v1"
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
            f"provider {preset.name}: {preset.key_env} holds characters that no key has"
        )
    return key


def _check_extras(preset: Preset) -> None:
    for name, value in preset.extra_headers.items():
        if not (HEADER_NAME.fullmatch(name) and HEADER_VALUE.fullmatch(value)):
            raise ProviderSetupError(
                f"provider {preset.name}: extra_headers: {name!r} can not be sent as a header"
            )
    try:
        json.dumps(preset.extra_body, allow_nan=False)
    except ValueError as error:
        raise ProviderSetupError(
            f"provider {preset.name}: extra_body holds a number that JSON has not"
        ) from error
