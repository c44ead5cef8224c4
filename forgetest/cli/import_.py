"""`forgetest import`: other people's benchmarks and recordings as eval sets and completions.

Carries out `forgetest import`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from forgetest.cli import options as opt
from forgetest.cli.terminal import results, write_files
from forgetest.cli.validate import validate_paths
from forgetest.errors import ConfigError, ExitCode
from forgetest.evalset.dump import dump
from forgetest.evalset.load import parse
from forgetest.evalset.types import Protocol
from forgetest.importers.catalogue import IMPORTERS, importer
from forgetest.importers.recorded import recording
from forgetest.importers.types import Imported, ImportOptions, set_id
from forgetest.render.machine import formats_table, import_lines, next_line
from forgetest.run.settings import RunTable


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
    """Turn another tool's benchmark or recording into an eval set and its completions.

    Example: forgetest import multipl-e prompts.jsonl --output eval-sets

    Writes DIR/ID.toml, and DIR/ID.jsonl where the source holds completions, then validates.
    """
    from forgetest.importers.types import ImportOptions

    if format_ is None:
        list_formats()
        return
    wanted = Wanted(
        format=format_,
        source=source,
        options=ImportOptions(id=id_, protocol=protocol, model=model),
        output=output,
        force=force,
    )
    grading = None
    if not no_validate:
        from forgetest.cli.prepare import run_table

        grading = run_table(parallelism=parallelism, sandbox=sandbox)
    raise typer.Exit(import_source(wanted, grading=grading, quiet=quiet))


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command line asks for."""

    format: str
    source: Path | None
    options: ImportOptions
    output: Path
    force: bool


def list_formats() -> None:
    """Print the formats that there are."""
    results().print(formats_table(IMPORTERS))
    typer.echo("next: forgetest import FORMAT SOURCE --output DIR", err=True)


def import_source(wanted: Wanted, *, grading: RunTable | None, quiet: bool) -> ExitCode:
    """Read a source, write its files and validate them; None for `grading` leaves that out.

    ForgetestError when the source gives nothing or a file is there already.
    """
    chosen = importer(wanted.format)
    if wanted.source is None:
        raise ConfigError(f"forgetest import {chosen.name} needs a file or folder to read")
    if wanted.options.protocol not in {None, *Protocol}:
        raise ConfigError(f"--protocol must be {' or '.join(Protocol)}")
    imported = chosen.read(wanted.source, wanted.options)
    files = _write(imported, wanted, wanted.source)
    for line in import_lines(imported, files):
        typer.echo(line, err=True)
    code = _validated(imported, files, grading, quiet=quiet)
    typer.echo(next_line(imported, files), err=True)
    return code


def _write(imported: Imported, wanted: Wanted, source: Path) -> list[Path]:
    """Write all files of an import, or none when one of them cannot be written."""
    texts = dict(_texts(imported, wanted, source))
    for path in texts:
        if path.exists() and path.samefile(source):
            raise ConfigError(f"{path} is the source itself; choose another --output or --id")
        if path.exists() and not wanted.force:
            raise ConfigError(f"{path} exists; choose another --output or --id, or say --force")
    write_files(texts)
    return list(texts)


def _texts(imported: Imported, wanted: Wanted, source: Path) -> Iterator[tuple[Path, str]]:
    """Yield the files of an import; what is dumped is parsed again, so that it surely can be."""
    eval_set = imported.eval_set
    name = set_id(source, wanted.options) if eval_set is None else eval_set.id
    if eval_set is not None:
        text = dump(eval_set)
        parse(text, file=f"{name}.toml")
        yield wanted.output / f"{name}.toml", text
    if imported.recorded:
        yield wanted.output / f"{name}.jsonl", recording(imported)


def _validated(
    imported: Imported, files: list[Path], grading: RunTable | None, *, quiet: bool
) -> ExitCode:
    if imported.eval_set is None or grading is None:
        return ExitCode.DONE
    return validate_paths(files[:1], grading=grading, checks=False, quiet=quiet)
