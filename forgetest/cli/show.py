"""`forgetest show`: look at a run, at one of its cases, at one sample."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from forgetest.cli.completion import complete_run
from forgetest.cli.options import CALLED
from forgetest.errors import ConfigError

if CALLED:
    from rich.console import Group, RenderableType
    from rich.text import Text

    from forgetest.cli.runs import latest, note_unfinished, runs_folder
    from forgetest.cli.streams import write_document
    from forgetest.cli.terminal import print_tables, say_doubts, write_text
    from forgetest.evalset.types import Case
    from forgetest.render.safe import many_lines
    from forgetest.render.show.run import RunView, run_tables
    from forgetest.render.show.sample import prompt_parts, sample_parts, samples_table
    from forgetest.report.files import (
        PickedSample,
        doubts,
        leading,
        open_run,
        pick_case,
        pick_models,
        pick_samples,
        samples_of,
    )
    from forgetest.run.history import is_run, run_folders

RunArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="RUN",
        help="Run folder or report.json. Default: the latest run.",
        show_default=False,
        autocompletion=complete_run,
    ),
]
CaseArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="CASE", help="Case to show: its id, SET/ID, or a glob.", show_default=False
    ),
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        "-m",
        metavar="NAME",
        help="Show this model only; part of its name is enough.",
        show_default=False,
    ),
]
SampleOption = Annotated[
    int | None,
    typer.Option(
        "--sample",
        "-n",
        metavar="N",
        help="Sample to show in full, counted from 1. Default: the first that failed.",
    ),
]
FailedOption = Annotated[
    bool, typer.Option("--failed", help="Show only cases or samples that failed.")
]
RawOption = Annotated[
    bool, typer.Option("--raw", help="Print the completion as received, and nothing else.")
]
ExportOption = Annotated[
    Path | None,
    typer.Option(
        "--export", metavar="DIR", help="Write the graded crate to DIR, to run cargo in it."
    ),
]


def show(
    run: RunArgument = None,
    case: CaseArgument = None,
    model: ModelOption = None,
    sample: SampleOption = None,
    failed: FailedOption = False,
    raw: RawOption = False,
    export: ExportOption = None,
) -> None:
    """Show a run's cases, a case's samples, or one sample: code, errors, tests, lints.

    Example: forgetest show bounded-stack --sample 2

    A single name that is not a run is a case of the latest run.
    """
    if raw and export is not None:
        raise ConfigError("--raw and --export cannot be combined")
    run, case = _run_and_case(run, case)
    if case is None:
        _refuse_without_case(sample=sample, raw=raw, export=export)
    opened = open_run(run)
    note_unfinished(run)
    if case is None:
        view = RunView(opened.name, opened.report, pick_models(opened.report, model), failed=failed)
        print_tables(lambda width: run_tables(view, width=width))
        return
    say_doubts(opened.name, doubts(opened.report))
    key = pick_case(opened.report, case)
    samples = [
        picked
        for picked in samples_of(pick_models(opened.report, model), key)
        if picked.failed or not failed
    ]
    if export is not None:
        from forgetest.cli.export import export_crate

        export_crate(opened, _pick_sample(key, samples, sample, failed=failed), export)
    elif raw:
        print_raw(_pick_sample(key, samples, sample, failed=failed))
    elif sample is not None:
        numbered = pick_samples(samples, sample)
        print_tables(lambda _: Group(*_samples_in_full(opened.case(key), numbered)))
    else:
        asked = opened.case(key)
        print_tables(lambda width: Group(*_case(asked, samples, width, failed=failed)))


def _run_and_case(run: Path | None, case: str | None) -> tuple[Path, str | None]:
    """Return the run and the case; a single name that is not a run is a case of the latest run."""
    if run is None:
        return latest(), None
    if case is not None or is_run(run):
        return run, case
    is_path = (
        run.exists() or run.suffix == ".json" or (run.parent != Path() and run.parent.exists())
    )
    if is_path or not run_folders(runs_folder()):
        return run, None  # opening it says what is wrong
    return latest(), str(run)


def _refuse_without_case(**options: object) -> None:
    for name, value in options.items():
        if value is not None and value is not False:
            raise ConfigError(f"--{name} needs a case: forgetest show [RUN] CASE --{name}")


def _pick_sample(
    key: str, samples: Sequence[PickedSample], number: int | None, *, failed: bool
) -> PickedSample:
    """Return the sample of a number, or else the first that failed; ConfigError if not one."""
    if number is not None:
        numbered = pick_samples(samples, number)
        if len(numbered) > 1:
            models = ", ".join(sample.model for sample in numbered)
            raise ConfigError(
                f"{key}: several models have this sample: add --model, one of {models}"
            )
        return numbered[0]
    first = leading(samples)
    if first is None:
        raise ConfigError(f"{key}: {'no scored sample fails' if failed else 'no samples'}")
    return first


def _case(
    case: Case | None, samples: Sequence[PickedSample], width: int, *, failed: bool
) -> Iterator[RenderableType]:
    yield from prompt_parts(case, whole=False)
    yield Text()
    first = leading(samples)
    if first is None:
        yield Text("every scored sample passes" if failed else "no samples", style="green")
        return
    yield samples_table(samples, width=width)
    yield Text()
    yield sample_parts(first, case, prompt=False)


def _samples_in_full(
    case: Case | None, samples: Sequence[PickedSample]
) -> Iterator[RenderableType]:
    for place, sample in enumerate(samples):
        yield from [Text()] if place else []
        yield sample_parts(sample, case, prompt=not place)


def print_raw(sample: PickedSample) -> None:
    """Print a completion as received; made safe where a terminal or a workflow would obey it."""
    if sample.sample.completion is None:
        reason = sample.sample.fault or "no request was sent"
        raise ConfigError(f"{sample.key} of {sample.model}: no completion was received: {reason}")
    text = sample.sample.completion.text
    if sys.stdout.isatty() or os.environ.get("GITHUB_ACTIONS"):
        write_text(many_lines(text))
    else:
        write_document(text)
