"""`forgetest sets`: the eval sets that ship with forgetest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from forgetest.cli import options as opt
from forgetest.cli.completion import complete_set
from forgetest.errors import ConfigError
from forgetest.evalset.shipped import FOLDER, shipped_files

if opt.CALLED:
    from forgetest.cli.terminal import print_tables, write_files
    from forgetest.evalset.context_dir import visible_files
    from forgetest.evalset.forms import quoted, suggestion
    from forgetest.evalset.load import context_dirs, load
    from forgetest.evalset.types import Case, EvalSet
    from forgetest.render.sets import case_tables, list_tables, set_tables

app = typer.Typer(
    add_completion=False,
    invoke_without_command=True,
    help="List the eval sets that ship with forgetest, show one, or copy it to edit.",
)


def complete_case(incomplete: str) -> Iterator[str]:
    """Yield the names of shipped sets that begin so, or after a `/` the cases of one."""
    name, slash, _ = incomplete.partition("/")
    files = shipped_files()
    names = [case.key for case in _set(name).cases] if slash and name in files else files
    yield from (known for known in names if known.startswith(incomplete))


NameArgument = Annotated[
    str,
    typer.Argument(
        metavar="NAME[/CASE]",
        help="Shipped eval set, or one of its cases.",
        show_default=False,
        autocompletion=complete_case,
    ),
]
NamesArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="NAMES",
        help="Shipped eval sets.",
        show_default=False,
        autocompletion=complete_set,
    ),
]
FolderOption = Annotated[
    Path, typer.Option("--output", "-o", metavar="DIR", help="Folder to write to.")
]
AllOption = Annotated[bool, typer.Option("--all", help="Copy all shipped eval sets.")]
ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite existing files.")]


@app.callback()
def list_sets(context: typer.Context) -> None:
    """Print a table of the shipped sets, unless a subcommand is called."""
    if context.invoked_subcommand is None:
        eval_sets = load(list(shipped_files().values()))
        print_tables(lambda width: list_tables(eval_sets, width=width))
        typer.echo("next: forgetest sets show NAME, or forgetest run --eval-set NAME", err=True)


@app.command("show", cls=opt.OnceEach)
def show_set(name: NameArgument) -> None:
    """Show a shipped eval set with its cases, or one case with its prompt and tests.

    Example: forgetest sets show rust-basics/merge-intervals
    """
    set_name, slash, case_id = name.partition("/")
    eval_set = _set(set_name)
    if slash:
        case = _case(eval_set, case_id)
        print_tables(lambda _: case_tables(case))
    else:
        print_tables(lambda width: set_tables(eval_set, width=width))


@app.command("copy", cls=opt.OnceEach)
def copy_sets(
    names: NamesArgument = None,
    all_: AllOption = False,
    output: FolderOption = Path(FOLDER),
    force: ForceOption = False,
) -> None:
    """Copy shipped eval sets to DIR/NAME.toml, as a start for your own.

    Example: forgetest sets copy rust-basics
    """
    if bool(names) is all_:
        raise ConfigError("name the eval sets to copy, or copy --all")
    sources = [_shipped_file(name) for name in names or shipped_files()]
    texts = {output / path: text for source in sources for path, text in _texts(source)}
    _refuse_overwriting(texts, force=force)
    write_files(texts)
    for path in texts:
        typer.echo(f"wrote {path}", err=True)
    typer.echo(f"next: forgetest run --eval-set {next(iter(texts))}", err=True)


def _texts(source: Path) -> Iterator[tuple[str, str]]:
    """Yield the path of an eval set and of each context file beside it, with its text."""
    text = source.read_text("utf-8")
    yield source.name, text
    for folder in context_dirs(text):
        for name in sorted(visible_files(source.parent / folder)):
            content = (source.parent / folder / name).read_bytes().decode()
            yield f"{folder}/{name}", content


def _refuse_overwriting(paths: Sequence[Path] | dict[Path, str], *, force: bool) -> None:
    existing = next((path for path in paths if path.exists()), None)
    if existing and not force:
        raise ConfigError(f"{existing} exists: choose another --output, or add --force")


def _shipped_file(name: str) -> Path:
    files = shipped_files()
    if name not in files:
        hint = suggestion(name, files, most=1) or "forgetest sets lists them"
        raise ConfigError(f"no shipped eval set is named {quoted(name)}; {hint}")
    return files[name]


def _set(name: str) -> EvalSet:
    (eval_set,) = load([_shipped_file(name)])
    return eval_set


def _case(eval_set: EvalSet, case_id: str) -> Case:
    cases = {case.id: case for case in eval_set.cases}
    if case_id not in cases:
        hint = suggestion(case_id, cases) or f"forgetest sets show {eval_set.id} lists them"
        raise ConfigError(f"{eval_set.id} has no case {quoted(case_id)}; {hint}")
    return cases[case_id]
