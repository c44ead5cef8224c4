"""The command line: parse, one call, render, exit code."""

import typer

app = typer.Typer(no_args_is_help=True)


def main() -> None:
    """Run the program and leave with its exit code."""
    app()
