"""`forgetest serve` refuses in one line what cannot be served, or should not be."""

import socket

import pytest
from program import Program

REMOTE = "--host 0.0.0.0 can be reached from other machines, and whoever learns the token there"


@pytest.mark.parametrize(
    ("arguments", "environ", "error"),
    [
        (("--host", "0.0.0.0"), {}, REMOTE),  # noqa: S104 - refused
        (("--host", "::"), {}, "if you trust that network, add --allow-remote"),
        (("--host", "example.org"), {}, "--host must be an IP address or localhost, got example"),
        (("--token-file", "none.txt"), {}, "none.txt: the token cannot be read: No such file"),
        ((), {"FORGETEST_SERVE_TOKEN": "short"}, "FORGETEST_SERVE_TOKEN: a token has at least 16"),
        ((), {"FORGETEST_SERVE_TOKEN": ""}, "FORGETEST_SERVE_TOKEN: a token has at least 16"),
        ((), {}, "no eval set given"),
        (("-e", "nowhere.toml"), {}, "nowhere.toml: "),
    ],
)
def test_what_cannot_be_served_is_refused(
    forgetest: Program, arguments: tuple[str, ...], environ: dict[str, str], error: str
) -> None:
    done = forgetest("serve", *arguments, **environ)

    assert (done.code, done.out) == (2, "")
    assert error in done.err


def test_a_port_that_is_taken_is_named(forgetest: Program) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = forgetest("serve", "-e", "starter", "--port", port)

    assert done.code == 2
    assert done.err == (
        f"error: cannot listen on 127.0.0.1 port {port}: Address already in use;"
        " choose another with --port, or 0 for a free one\n"
    )
