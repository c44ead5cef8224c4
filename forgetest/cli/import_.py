"""`forgetest import`: other tools' benchmarks and recordings as eval sets and completions."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Annotated

import typer

from forgetest.cli import options as opt
from forgetest.errors import ConfigError, ExitCode

if opt.CALLED:
    from forgetest.cli.configuration import configuration, run_table
    from forgetest.cli.prepare import load_cases, workbench
    from forgetest.cli.terminal import results, write_files
    from forgetest.cli.validate import validate_references
    from forgetest.evalset.dump import dump
    from forgetest.evalset.load import parse
    from forgetest.evalset.schema import ADDRESS
    from forgetest.evalset.types import Protocol
    from forgetest.importers.catalogue import all_importers, importer
    from forgetest.importers.recorded import recording
    from forgetest.importers.types import Imported, ImportOptions, set_id
    from forgetest.render.machine import formats_table, import_lines, next_line

FormatArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="FORMAT",
        help="Format of the source. Without it, the formats are listed.",
        show_default=False,
    ),
]
SourceArgument = Annotated[
    Path | None,
    typer.Argument(metavar="SOURCE", help="File or folder to read.", show_default=False),
]
FolderOption = Annotated[
    Path, typer.Option("--output", "-o", metavar="DIR", help="Folder to write to.")
]
IdOption = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="ID",
        help="Id of the eval set, and name of its files. Default: the name of the source.",
    ),
]
ProtocolOption = Annotated[
    str | None,
    typer.Option(
        "--protocol",
        metavar="NAME",
        help="chat or completion, for formats that support both.",
        show_default=False,
    ),
]
ModelOption = Annotated[
    str | None,
    typer.Option("--model", metavar="NAME", help="Model of completions that do not name theirs."),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite existing files.")]
NoValidateOption = Annotated[
    bool, typer.Option("--no-validate", help="Do not grade the references afterwards.")
]


def import_(
    format_: FormatArgument = None,
    source: SourceArgument = None,
    output: FolderOption = Path(),
    id_: IdOption = None,
    protocol: ProtocolOption = None,
    model: ModelOption = None,
    force: ForceOption = False,
    no_validate: NoValidateOption = False,
    parallelism: opt.Parallelism = None,
    sandbox: opt.Sandbox = None,
    quiet: opt.Quiet = False,
) -> None:
    """Convert another tool's benchmark or recording into an eval set and its completions.

    Example: forgetest import multipl-e prompts.jsonl --output eval-sets

    Writes DIR/ID.toml, and DIR/ID.jsonl if the source has completions; then validates the eval set.
    """
    if format_ is None:
        importers, broken = all_importers()
        results().print(formats_table(importers))
        for error in broken:
            typer.echo(f"note: {error}", err=True)
        typer.echo("next: forgetest import FORMAT SOURCE --output DIR", err=True)
        return
    table = None if no_validate else run_table(parallelism=parallelism, sandbox=sandbox)
    chosen = importer(format_)
    if source is None:
        raise ConfigError(f"forgetest import {chosen.name} needs a file or folder to read")
    if protocol not in {None, *Protocol}:
        raise ConfigError(f"--protocol must be {' or '.join(Protocol)}, got {protocol}")
    options = ImportOptions(id=id_, protocol=protocol, model=model)
    imported = chosen.read(source, options)
    texts = dict(_texts(imported, output, source=source, options=options))
    _refuse_overwriting(texts, source, force=force)
    write_files(texts)
    files = list(texts)
    for line in import_lines(imported, files):
        typer.echo(line, err=True)
    code = ExitCode.DONE
    if imported.eval_set is not None and table is not None:
        bench = workbench(table, allow_custom_checks=False, cache=configuration(None).cache)
        code = validate_references(load_cases(files[:1]), bench, quiet=quiet)
    typer.echo(next_line(imported, files), err=True)
    raise typer.Exit(code)


def _texts(
    imported: Imported, folder: Path, *, source: Path, options: ImportOptions
) -> Iterator[tuple[Path, str]]:
    """Yield the files of an import; the eval set is parsed again, which proves it readable."""
    eval_set = imported.eval_set
    name = set_id(source, options) if eval_set is None else eval_set.id
    if eval_set is not None:
        text = dump(eval_set)
        parse(text, file=f"{name}.toml")
        yield folder / f"{name}.toml", f"#:schema {ADDRESS}\n\n{text}"
    if imported.recorded:
        yield folder / f"{name}.jsonl", recording(imported)


def _refuse_overwriting(paths: Collection[Path], source: Path, *, force: bool) -> None:
    for path in paths:
        if path.exists() and path.samefile(source):
            raise ConfigError(f"{path} is the source itself: choose another --output or --id")
        if path.exists() and not force:
            raise ConfigError(f"{path} exists: choose another --output or --id, or add --force")
