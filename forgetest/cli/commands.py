"""The table of commands. The module of a command is loaded when it is called.

`forgetest --help` must be quick, so it prints this table and loads no module.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Annotated, Any

import typer

from forgetest.cli.options import CommandGroup, OnceEach
from forgetest.version import __version__

PURPOSE = "Find out which model, prompt or version really writes better Rust."
COMMANDS: Mapping[str, str] = {  # each with the first line of its own help
    "run": "Run eval sets against models and report how often each gets its Rust right.",
    "grade": "Grade recorded completions, or grade a run again with today's compiler.",
    "serve": "Grade answers that other programs send over HTTP, each as soon as it comes.",
    "compare": "Compare two runs: what got better or worse, and how sure that is.",
    "report": "Write reports of one or more runs, for people and for other tools.",
    "show": "Show a run's cases, a case's samples, or one sample: code, errors, tests, lints.",
    "runs": "List the runs, the latest first: state, eval sets, and the pass rate of each model.",
    "rank": "Rank the models, or variants, of one or more runs on the cases they have in common.",
    "prompt": "Print what a model would be asked, without asking it.",
    "import": "Convert another tool's benchmark or recording into an eval set and its completions.",
    "sets": "List the eval sets that ship with forgetest, show one, or copy it to edit.",
    "validate": "Check eval sets: keys are valid, references pass, stubs fail.",
    "schema": "Print the JSON Schema of an eval set, forgetest.toml, report or other file.",
    "list-models": "List the models of one provider, or of all providers whose key is set.",
    "doctor": "Check the Rust toolchain, linker, disk space, sandbox and optional parts.",
    "init": "Create forgetest.toml and eval-sets/first.toml, without overwriting anything.",
    "local": "Install the embedded model, or serve it to other programs.",
    "cache": "Show or clear cached verdicts, checks, built dependencies and programs.",
}


def load_command(name: str) -> Any:
    """Load the module of a command and return the command, or a group of commands.

    A module holds the command as a function of its own name, or a group as `app`.
    """
    file = {"import": "import_"}.get(name, name.replace("-", "_"))
    module = import_module(f"forgetest.cli.{file}")
    group = getattr(module, "app", None)
    if group is None:
        group = typer.Typer(add_completion=False)
        group.command(name, cls=OnceEach)(getattr(module, file))
    command = typer.main.get_command(group)
    command.name = name
    return command


class Commands(CommandGroup):
    """The group of all commands, which loads only the one that is called."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the name of the command that is called, the command, and its arguments."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, None if name is None else load_command(name), rest


app = typer.Typer(
    name="forgetest",
    help=PURPOSE,
    cls=Commands,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _not_loaded() -> None:
    """Stand in for a command in the list that --help prints."""


for _name, _help in COMMANDS.items():
    app.command(_name, help=_help)(_not_loaded)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"forgetest {__version__}")
        raise typer.Exit


@app.callback(help=PURPOSE)
def main_options(
    _version_wanted: Annotated[
        bool,
        typer.Option(
            "--version", "-V", callback=_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Handle the options before the command."""
