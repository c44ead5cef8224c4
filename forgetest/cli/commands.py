"""The commands of the program, each one module."""

from typing import Annotated

import typer

from forgetest import __version__
from forgetest.cli import (
    cache,
    compare,
    doctor,
    grade,
    import_,
    init,
    list_models,
    local,
    rank,
    report,
    run,
    schema,
    show,
    validate,
)
from forgetest.cli.options import OnceEach

app = typer.Typer(
    name="forgetest",
    help="Tell which model, prompt or version really writes better Rust.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("run", cls=OnceEach)(run.run)
app.command("grade", cls=OnceEach)(grade.grade)
app.command("compare", cls=OnceEach)(compare.compare)
app.command("report", cls=OnceEach)(report.report)
app.command("show", cls=OnceEach)(show.show)
app.command("rank", cls=OnceEach)(rank.rank)
app.command("import", cls=OnceEach)(import_.import_)
app.command("validate", cls=OnceEach)(validate.validate)
app.command("schema", cls=OnceEach)(schema.schema)
app.command("list-models", cls=OnceEach)(list_models.list_models)
app.command("doctor", cls=OnceEach)(doctor.doctor)
app.command("init", cls=OnceEach)(init.init)
app.add_typer(local.app, name="local")
app.add_typer(cache.app, name="cache")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"forgetest {__version__}")
        raise typer.Exit


@app.callback()
def options(
    _version_wanted: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Tell which model, prompt or version really writes better Rust."""
