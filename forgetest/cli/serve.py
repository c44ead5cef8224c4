"""`forgetest serve`: grading over HTTP, for a trainer in another process or container."""

from __future__ import annotations

import os
import secrets
import socket
from contextlib import closing
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forgetest.cli import options as opt
from forgetest.errors import ConfigError

if TYPE_CHECKING:
    from forgetest.api.server import Service

if opt.CALLED:
    import ipaddress

    from forgetest.api.cases import Cases
    from forgetest.api.grader import Grader
    from forgetest.cli.configuration import configuration, run_table
    from forgetest.cli.interrupts import INTERRUPTS, Interrupted
    from forgetest.cli.prepare import load_cases
    from forgetest.cli.streams import write_document
    from forgetest.run.settings import eval_set_paths
    from forgetest.sandbox.backends import Backend
    from forgetest.value import count

TOKEN_VARIABLE = "FORGETEST_SERVE_TOKEN"  # noqa: S105 - the name of a variable
_SHORTEST_TOKEN = 16
_MIB = 1 << 20
_SERVING = "Serving"

HostOption = Annotated[
    str,
    typer.Option(
        "--host", metavar="ADDRESS", help="Address to listen on.", rich_help_panel=_SERVING
    ),
]
PortOption = Annotated[
    int,
    typer.Option(
        "--port",
        metavar="PORT",
        help="Port to listen on; 0 picks a free one.",
        min=0,
        max=65535,
        rich_help_panel=_SERVING,
    ),
]
RemoteOption = Annotated[
    bool,
    typer.Option(
        "--allow-remote",
        help="Allow a --host that other machines can reach.",
        rich_help_panel=_SERVING,
    ),
]
NamesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-host",
        metavar="LIST",
        help="Names that clients may call the server by, besides localhost and addresses.",
        show_default=False,
        rich_help_panel=_SERVING,
    ),
]
TokenOption = Annotated[
    Path | None,
    typer.Option(
        "--token-file",
        metavar="FILE",
        help=f"File with the token of clients. Default: ${TOKEN_VARIABLE}, or a new token.",
        show_default=False,
        rich_help_panel=_SERVING,
    ),
]
BodyOption = Annotated[
    int,
    typer.Option(
        "--max-body", metavar="MIB", help="Largest request.", min=1, rich_help_panel=_SERVING
    ),
]
RequestsOption = Annotated[
    int,
    typer.Option(
        "--max-requests",
        metavar="N",
        help="Requests under way at once; more are told to come again.",
        min=1,
        rich_help_panel=_SERVING,
    ),
]
DrainOption = Annotated[
    float,
    typer.Option(
        "--drain",
        metavar="SECONDS",
        help="Time for what is under way when the server is stopped.",
        min=0,
        rich_help_panel=_SERVING,
    ),
]


def serve(
    eval_set: opt.EvalSets = None,
    filter_: opt.Filter = None,
    case: opt.CaseGlobs = None,
    limit: opt.Limit = None,
    host: HostOption = "127.0.0.1",
    port: PortOption = 8642,
    allow_remote: RemoteOption = False,
    allow_host: NamesOption = None,
    token_file: TokenOption = None,
    max_body: BodyOption = 16,
    max_requests: RequestsOption = 256,
    drain: DrainOption = 10.0,
    parallelism: opt.Parallelism = None,
    sandbox: opt.Sandbox = None,
    repeat_grading: opt.RepeatGrading = None,
    config_file: opt.Config = None,
    extractor: opt.ExtractorName = None,
    allow_custom_checks: opt.AllowChecks = False,
    no_verdict_cache: opt.NoVerdictCache = False,
) -> None:
    """Grade answers that other programs send over HTTP, each as soon as it comes.

    Example: forgetest serve -e rust-basics

    Prints `ready URL token TOKEN` and answers until it is stopped. docs/python.md has a client.
    """
    demand_extra()
    from forgetest.api.server import Access, ServerLimits, Service
    from forgetest.api.server import serve as serve_http

    remote = demand_trust(host, allow_remote=allow_remote)
    token = given_token(token_file)
    new_token = None if token else secrets.token_hex(24)
    names = frozenset(name.lower() for name in opt.comma_list(allow_host) or ())
    access = Access(token or new_token or "", names)
    limits = ServerLimits(body=max_body * _MIB, requests=max_requests, drain_secs=drain)
    config = configuration(config_file)
    options = run_table(
        eval_sets=eval_set,
        parallelism=parallelism,
        extractor=extractor,
        sandbox=sandbox,
        repeat_grading=repeat_grading,
        no_verdict_cache=no_verdict_cache,
    )
    table = options.over(config.run)
    cases = Cases(
        load_cases(eval_set_paths(table.eval_sets), filters=filter_, globs=case, limit=limit)
    )
    drained = False

    async def until_stopped(listener: socket.socket) -> None:
        nonlocal drained
        async with Grader.of(
            table, config.cache, allow_custom_checks=allow_custom_checks
        ) as grader:
            if remote:
                demand_sandbox(grader)
            service = Service(cases, grader, access, limits)
            await serve_http(
                service, listener, partial(print_ready, listener, grader, cases, new_token)
            )
            print_stopped(service)
            drained = True

    with closing(bound(host, port)) as listener:
        try:
            INTERRUPTS.run(until_stopped(listener))
        except Interrupted:
            if not drained:
                raise


def demand_extra() -> None:
    """Raise ConfigError where the packages of the extra are missing."""
    missing = [name for name in ("starlette", "uvicorn") if find_spec(name) is None]
    if missing:
        raise ConfigError(
            f"forgetest serve needs {' and '.join(missing)}: pip install 'forgetest[serve]'"
        )


def demand_trust(host: str, *, allow_remote: bool) -> bool:
    """Return whether other machines can reach an address; ConfigError where that is not allowed."""
    if host == "localhost":
        return False
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        raise ConfigError(f"--host must be an IP address or localhost, got {host}") from None
    if address.is_loopback:
        return False
    if not allow_remote:
        raise ConfigError(
            f"--host {host} can be reached from other machines, and whoever learns the token there"
            " runs code here, in the sandbox; the token and all answers travel unencrypted; if you"
            " trust that network, add --allow-remote"
        )
    return True


def demand_sandbox(grader: Grader) -> None:
    """Raise ConfigError where code of other machines would run without a sandbox."""
    if grader.sandbox.backend is Backend.NONE:
        raise ConfigError("--allow-remote needs a sandbox: others would run code as you")


def given_token(file: Path | None) -> str | None:
    """Return the token of a file or of the environment; None where neither has one.

    ConfigError for one that cannot be used.
    """
    if file is None and TOKEN_VARIABLE not in os.environ:
        return None
    place = TOKEN_VARIABLE if file is None else str(file)
    try:
        text = os.environ[TOKEN_VARIABLE] if file is None else file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not text"
        raise ConfigError(f"{place}: the token cannot be read: {why}") from None
    token = text.strip()
    if len(token) < _SHORTEST_TOKEN or not token.isascii() or not token.isprintable():
        raise ConfigError(
            f"{place}: a token has at least {_SHORTEST_TOKEN} characters of ASCII, all on one line;"
            " `openssl rand -hex 24` makes one"
        )
    return token


def bound(host: str, port: int) -> socket.socket:
    """Return a socket that has an address, and does not listen yet; ConfigError if it is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise ConfigError(
            f"cannot listen on {host} port {port}: {error.strerror};"
            " choose another with --port, or 0 for a free one"
        ) from None
    return listener


def print_ready(listener: socket.socket, grader: Grader, cases: Cases, token: str | None) -> None:
    """Print the address, with a `token` that was made for it, and on standard error what grades."""
    host, port = listener.getsockname()[:2]
    url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    write_document(f"ready {url} token {token}\n" if token else f"ready {url}\n")
    sandbox, toolchain = grader.sandbox, grader.toolchain.rustc.partition("\n")[0]
    typer.echo(
        f"grading {count(len(cases), 'case')} with {toolchain}, sandbox {sandbox.backend},"
        f" {count(grader.parallelism, 'answer')} at once; Ctrl-C stops",
        err=True,
    )


def print_stopped(service: Service) -> None:
    """Print what was done until the server stopped."""
    lines = service.lines
    unscored = f", {lines.unscored} unscored" if lines.unscored else ""
    typer.echo(f"stopped: {count(lines.answered, 'answer')} graded{unscored}", err=True)
