"""The commands of the program: each is one module, loaded when it is called.

`forgetest --help` must be quick, so it reads a table here instead of the modules.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from forgetest import __version__
from forgetest.cli.options import OnceEach

PURPOSE = "Tell which model, prompt or version really writes better Rust."
COMMANDS: Mapping[str, str] = {  # with the first sentence of each command's own help
    "run": "Run eval sets against models and report how often each gets its Rust right.",
    "grade": "Grade recorded completions, or grade a run again with today's compiler.",
    "compare": "Tell what got better or worse between two runs, and how sure that is.",
    "report": "Write what one run or several found, for people and for other tools.",
    "show": "Show a run's cases; a case's samples; a sample's code, errors, tests and lints.",
    "rank": "Rank the models of one or several runs on the cases that all of them have in common.",
    "import": "Turn another tool's benchmark or recording into an eval set and its completions.",
    "validate": "Check eval sets: every key, then that references score 1.0 and stubs do not pass.",
    "schema": "Print the JSON Schema of an eval set, report, comparison, ranking or validation.",
    "list-models": "List the models of one provider, or of every provider whose key is set.",
    "doctor": "Check the Rust toolchain, the linker, the disk, the sandbox and the optional parts.",
    "init": "Write forgetest.toml and eval-sets/first.toml; nothing that exists is overwritten.",
    "local": "The embedded model: install it, or serve it to other programs.",
    "cache": "Show or clear what earlier runs left: verdicts, checks, built crates, the launcher.",
}


def command(name: str) -> Any:
    """Return a command, or a group of them, with its options; its module is loaded for it.

    The function is called like the module, but where the module has an `app` of several commands.
    """
    file = {"import": "import_"}.get(name, name.replace("-", "_"))
    module = import_module(f"forgetest.cli.{file}")
    group = getattr(module, "app", None)
    if group is None:
        group = typer.Typer(add_completion=False)
        group.command(name, cls=OnceEach)(getattr(module, file))
    found = typer.main.get_command(group)
    found.name = name
    return found


class Commands(TyperGroup):
    """Knows the names of all commands, and loads the one that is called."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the name of the command that is called, the command, and its arguments."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, None if name is None else command(name), rest


app = typer.Typer(
    name="forgetest",
    help=PURPOSE,
    cls=Commands,
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _not_loaded() -> None:
    """Stand for a command in the list of all."""


for _name, _help in COMMANDS.items():
    app.command(_name, help=_help)(_not_loaded)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"forgetest {__version__}")
        raise typer.Exit


@app.callback(help=PURPOSE)
def options(
    _version_wanted: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Take the options that belong to no command."""
