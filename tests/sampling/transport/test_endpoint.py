"""What must hold before a provider is asked, and what nobody gets to see."""

import pytest

from forgetest.errors import ProviderSetupError
from forgetest.sampling.providers.presets import Preset
from forgetest.sampling.transport.endpoint import check, is_loopback

KEY = "sk-very-secret-1234"


def preset(base_url: str = "https://api.example/v1", **fields: object) -> Preset:
    return Preset.model_validate({"name": "mine", "base_url": base_url, **fields})


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("localhost", True),
        ("box.localhost", True),
        ("0.0.0.0", False),  # noqa: S104 - an address to be told apart, not bound
        ("192.168.0.5", False),
        ("localhost.example", False),
        ("127.0.0.1.example", False),
        ("", False),
    ],
)
def test_loopback_never_leaves_the_machine(host: str, loopback: bool) -> None:
    assert is_loopback(host) == loopback


@pytest.mark.parametrize("key", [None, "", "  \n"])
def test_a_missing_key_names_the_variable_to_set(key: str | None) -> None:
    with pytest.raises(ProviderSetupError, match="mine needs a key: set MY_KEY in the environment"):
        check(preset(key_env="MY_KEY"), key)


def test_a_key_never_goes_over_plain_http_to_another_machine() -> None:
    with pytest.raises(ProviderSetupError, match=r"plain http to gpu\.example") as caught:
        check(preset("http://gpu.example:8000/v1", key_env="MY_KEY"), KEY)

    assert KEY not in str(caught.value)


@pytest.mark.parametrize("name", ["Authorization", "x-api-key", "X-Team-Token", "cookie"])
def test_nor_does_a_secret_header(name: str) -> None:
    with pytest.raises(ProviderSetupError, match="plain http"):
        check(preset("http://gpu.example/v1", extra_headers={name: "s3cr3t-value"}), None)


@pytest.mark.parametrize(
    ("base_url", "key_env"),
    [
        ("https://api.example/v1", "MY_KEY"),
        ("http://127.0.0.1:8080/v1", "MY_KEY"),
        ("http://localhost:8080/v1", "MY_KEY"),
        ("http://[::1]:8080/v1", "MY_KEY"),
        ("http://gpu.example:8000/v1", None),
    ],
)
def test_these_can_be_asked(base_url: str, key_env: str | None) -> None:
    secrets = check(preset(base_url, key_env=key_env), f" {KEY}\n")

    assert secrets.key == (KEY if key_env else None)


@pytest.mark.parametrize(
    "base_url",
    [
        "",
        "api.example/v1",
        "ftp://api.example",
        "https://",
        "https://api.example:99999/v1",
        "https://api.example/v 1",
        "https://[::1/v1",
    ],
)
def test_an_address_that_is_none_is_refused(base_url: str) -> None:
    with pytest.raises(ProviderSetupError, match="mine: base_url must be an http"):
        check(preset(base_url), None)


@pytest.mark.parametrize(
    "base_url",
    [
        "https://me:s3cr3t-s3@api.example/v1",
        "https://api.example/v1?key=s3cr3t-s3",
        "https://a.b/#x",
    ],
)
def test_an_address_with_secrets_in_it_is_refused_without_showing_it(base_url: str) -> None:
    with pytest.raises(ProviderSetupError, match="key_env") as caught:
        check(preset(base_url), None)

    assert "s3cr3t-s3" not in str(caught.value)


@pytest.mark.parametrize("protocol", ["anthropic", "ollama"])
def test_a_root_is_told_from_a_versioned_address(protocol: str) -> None:
    with pytest.raises(ProviderSetupError, match=f"{protocol} protocol .* remove /v1"):
        check(preset("https://api.example/v1/", protocol=protocol), None)

    check(preset("https://api.example/gateway", protocol=protocol), None)


@pytest.mark.parametrize("key", ["sk-very secret\nx-evil: 1", "sk-véry-secret", "sk-\x00secret"])
def test_a_key_that_can_not_be_a_header_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(ProviderSetupError, match="MY_KEY contains characters") as caught:
        check(preset(key_env="MY_KEY"), key)

    assert key not in str(caught.value)


@pytest.mark.parametrize("headers", [{"bad name": "v"}, {"x-a": "v\r\nx-b: 1"}, {"x-a": ""}])
def test_headers_that_can_not_be_sent_are_refused(headers: dict[str, str]) -> None:
    with pytest.raises(ProviderSetupError, match="mine: extra_headers"):
        check(preset(extra_headers=headers), None)


def test_a_body_that_is_no_json_is_refused() -> None:
    broken = preset().model_copy(update={"extra_body": {"min_p": float("nan")}})

    with pytest.raises(ProviderSetupError, match="mine: extra_body"):
        check(broken, None)


def test_secrets_are_hidden_longest_first_and_never_shown() -> None:
    headers = {"x-token": f"{KEY}-and-more", "x-team": "eval"}
    secrets = check(preset(key_env="MY_KEY", extra_headers=headers), KEY)

    hidden = secrets.hide(f"eval used {KEY}-and-more and {KEY}")

    assert hidden == "eval used [hidden] and [hidden]"
    assert KEY not in repr(secrets)
