"""`forgetest import`: other people's benchmarks and recordings as eval sets and completions."""

from pathlib import Path
from typing import Annotated

import typer

from forgetest.cli import options as opt


def import_(
    format_: Annotated[
        str | None,
        typer.Argument(
            metavar="FORMAT", help="The format; without one they are listed.", show_default=False
        ),
    ] = None,
    source: Annotated[
        Path | None, typer.Argument(help="The file or folder to read.", show_default=False)
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder that the files go into.")
    ] = Path(),
    id_: Annotated[
        str | None,
        typer.Option(
            "--id", help="The eval set's id, and the files' name. Default: the source's name."
        ),
    ] = None,
    protocol: Annotated[
        str | None,
        typer.Option(
            "--protocol", help="chat or completion, where a format knows both.", show_default=False
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", help="The model of completions that name none."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write over files that are there already.")
    ] = False,
    no_validate: Annotated[
        bool, typer.Option("--no-validate", help="Do not grade the references at the end.")
    ] = False,
    parallelism: opt.Parallelism = None,
    sandbox: opt.Sandbox = None,
    quiet: opt.Quiet = False,
) -> None:
    """Turn a benchmark or a recording of another tool into an eval set and its completions.

    Example: forgetest import multipl-e prompts.jsonl --output eval-sets

    Writes DIR/ID.toml, and DIR/ID.jsonl where the source holds completions, then validates.
    """
    from forgetest.cli.importing import Wanted, import_source, list_formats
    from forgetest.importers.types import Options

    if format_ is None:
        list_formats()
        return
    wanted = Wanted(
        format=format_,
        source=source,
        options=Options(id=id_, protocol=protocol, model=model),
        output=output,
        force=force,
    )
    grading = None
    if not no_validate:
        from forgetest.cli.table import run_table

        grading = run_table(parallelism=parallelism, sandbox=sandbox)
    raise typer.Exit(import_source(wanted, grading=grading, quiet=quiet))
