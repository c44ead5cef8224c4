"""`forgetest show`: look at a run, at one case of it, at one sample.

Carries out `forgetest show`: open the run, pick what is meant, print it or write it out.

Writes the crate of a sample to a folder in which a person can run cargo.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from forgetest.cli.prepare import cache_folder
from forgetest.cli.runs import note_unfinished
from forgetest.cli.streams import write_document
from forgetest.cli.terminal import print_tables, say_doubts, write_text
from forgetest.errors import ConfigError, ExitCode, ToolchainError
from forgetest.evalset.types import Case
from forgetest.grading.crate import Exported, graded_crate
from forgetest.grading.dependencies import locked
from forgetest.render.safe import many_lines
from forgetest.render.show.exported import instructions, printed
from forgetest.render.show.run import RunView, run_tables
from forgetest.render.show.sample import prompt_parts, sample_parts, samples_table
from forgetest.report.files import (
    OpenRun,
    PickedSample,
    doubts,
    leading,
    open_run,
    pick_case,
    pick_models,
    pick_samples,
    samples_of,
)
from forgetest.system.files import remove
from forgetest.system.toolchain import Toolchain


def show(
    run: Annotated[
        Path, typer.Argument(help="A run folder, or a report.json.", show_default=False)
    ],
    case: Annotated[
        str | None,
        typer.Argument(help="A case: id, set/id, or a glob of one.", show_default=False),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", help="A model, or a part of its name.", show_default=False),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(
            "--sample", "-n", help="Which sample in full, from 1. Default: the first that fails."
        ),
    ] = None,
    failed: Annotated[
        bool, typer.Option("--failed", help="Only cases, or samples, that fail.")
    ] = False,
    raw: Annotated[
        bool, typer.Option("--raw", help="The completion as received, and nothing else.")
    ] = False,
    export: Annotated[
        Path | None,
        typer.Option("--export", help="Write the crate that was graded there, to run cargo in it."),
    ] = None,
) -> None:
    """Show a run's cases; a case's samples; a sample's code, errors, tests and lints.

    Example: forgetest show runs/2026-11-21-a1b2c3 bounded-stack --sample 2
    """
    asked = ShowRequest(
        run=run, case=case, model=model, sample=sample, failed=failed, raw=raw, export=export
    )
    raise typer.Exit(carry_out(asked))


README = ("README.md", "README-forgetest.md")  # the second where the case brings the first


def export_crate(run: OpenRun, one: PickedSample, folder: Path) -> None:
    """Write the crate that was graded, and say how to run cargo in it.

    Raises ConfigError for a folder that is not empty, a sample without code, and a report without
    its run folder, which alone holds the tests.
    """
    case = run.case(one.key)
    if case is None:
        raise ConfigError(f"{run.name}: --export needs the run folder: a report has no tests")
    if one.sample.code is None:
        raise ConfigError(f"{one.key} of {one.model}: the sample has no code to export")
    _check_empty(folder)
    exported = graded_crate(case, one.sample.code, one.sample.verdict, lock=_lock(case))
    rustc = run.report.toolchain.rustc.split("\n", 1)[0]
    _write(exported, folder, instructions(exported, one, rustc=rustc))
    typer.echo(printed(exported, one, folder=str(folder), rustc=rustc))


def _check_empty(folder: Path) -> None:
    try:
        empty = not folder.exists() or not any(folder.iterdir())
    except OSError as error:
        raise ConfigError(f"{folder}: {error.strerror}; name a new folder") from None
    if not empty:
        raise ConfigError(f"{folder}: is not empty; name a new folder")


def _lock(case: Case) -> bytes | None:
    """Return the versions that this machine grades with; None where nothing is there to ask."""
    if not case.dependencies:
        return None
    try:
        return locked(Toolchain.resolve(os.environ), cache_folder(), case.dependencies)
    except ToolchainError:
        return None


def _write(exported: Exported, folder: Path, readme: str) -> None:
    name = next(name for name in README if name not in exported.crate.files)
    try:
        exported.crate.write(folder)
        (folder / name).write_text(readme, encoding="utf-8")
        if exported.lock is not None:
            (folder / "Cargo.lock").write_bytes(exported.lock)
    except OSError as error:
        remove(folder)  # it was empty, or not there
        raise ConfigError(f"{folder}: cannot be written: {error.strerror}") from None


@dataclass(frozen=True, slots=True)
class ShowRequest:
    """What the command line asks for."""

    run: Path
    case: str | None
    model: str | None
    sample: int | None
    failed: bool
    raw: bool
    export: Path | None


def carry_out(asked: ShowRequest) -> ExitCode:
    """Show what is asked for; return the exit code."""
    if asked.case is None:
        _check_table(asked)
        return _show_run(asked)
    if asked.raw and asked.export is not None:
        raise ConfigError("--raw and --export are two things; ask for one")
    run = open_run(asked.run)
    note_unfinished(asked.run)
    say_doubts(run.name, doubts(run.report))
    key = pick_case(run.report, asked.case)
    samples = samples_of(pick_models(run.report, asked.model), key)
    if asked.failed:
        samples = tuple(one for one in samples if one.failed)
    return _show_case(asked, run, key, samples)


def _check_table(asked: ShowRequest) -> None:
    given = {"--sample": asked.sample, "--raw": asked.raw or None, "--export": asked.export}
    for option, value in given.items():
        if value is not None:
            raise ConfigError(f"{option} is of one case: name it after the run")


def _show_run(asked: ShowRequest) -> ExitCode:
    run = open_run(asked.run)
    note_unfinished(asked.run)
    models = pick_models(run.report, asked.model)
    view = RunView(run.name, run.report, models, failed=asked.failed)
    print_tables(lambda width: run_tables(view, width=width))
    return ExitCode.DONE


def _show_case(
    asked: ShowRequest, run: OpenRun, key: str, samples: Sequence[PickedSample]
) -> ExitCode:
    if asked.raw or asked.export is not None:
        one = _one(asked, key, samples)
        if asked.export is not None:
            export_crate(run, one, asked.export)
        else:
            _write_raw(one)
        return ExitCode.DONE
    print_tables(lambda width: Group(*_parts(asked, run, key, samples, width)))
    return ExitCode.DONE


def _one(asked: ShowRequest, key: str, samples: Sequence[PickedSample]) -> PickedSample:
    """Return the one sample that is meant; ConfigError when none is, or several are."""
    if asked.sample is not None:
        found = pick_samples(samples, asked.sample)
        if len(found) > 1:
            names = ", ".join(one.model for one in found)
            raise ConfigError(f"{key}: which model's? say --model, one of {names}")
        return found[0]
    one = leading(samples)
    if one is None:
        raise ConfigError(f"{key}: no sample {'fails' if asked.failed else 'is there'}")
    return one


def _parts(
    asked: ShowRequest, run: OpenRun, key: str, samples: Sequence[PickedSample], width: int
) -> Iterator[RenderableType]:
    case = run.case(key)
    if asked.sample is not None:
        for place, one in enumerate(pick_samples(samples, asked.sample)):
            yield from [Text()] if place else []
            yield sample_parts(one, case, prompt=not place)
        return
    yield from prompt_parts(case, whole=False)
    yield Text()
    first = leading(samples)
    if first is None:
        yield Text("no scored sample fails" if asked.failed else "no samples", style="green")
        return
    yield samples_table(samples, width=width)
    yield Text()
    yield sample_parts(first, case, prompt=False)


def _write_raw(one: PickedSample) -> None:
    """Write a completion as it was received; where a terminal or a workflow obeys, made safe."""
    if one.sample.completion is None:
        why = one.sample.fault or "it was not asked"
        raise ConfigError(f"{one.key} of {one.model}: no completion was received: {why}")
    text = one.sample.completion.text
    obeyed = sys.stdout.isatty() or bool(os.environ.get("GITHUB_ACTIONS"))
    if obeyed:
        write_text(many_lines(text))
    else:
        write_document(text)
