"""Carries out `forgetest show`: open the run, pick what is meant, print it or write it out."""

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Group, RenderableType
from rich.text import Text

from forgetest.cli.exporting import export_crate
from forgetest.cli.printing import print_tables, say_doubts, write_text
from forgetest.cli.streams import write_document
from forgetest.cli.wholeruns import note_unfinished
from forgetest.errors import ConfigError, ExitCode
from forgetest.render.safe import many_lines
from forgetest.render.show.run import RunView, run_tables
from forgetest.render.show.sample import prompt_parts, sample_parts, samples_table
from forgetest.report.files import (
    OpenRun,
    Picked,
    doubts,
    leading,
    open_run,
    pick_case,
    pick_models,
    pick_samples,
    samples_of,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line asks for."""

    run: Path
    case: str | None
    model: str | None
    sample: int | None
    failed: bool
    raw: bool
    export: Path | None


def carry_out(asked: Asked) -> ExitCode:
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


def _check_table(asked: Asked) -> None:
    given = {"--sample": asked.sample, "--raw": asked.raw or None, "--export": asked.export}
    for option, value in given.items():
        if value is not None:
            raise ConfigError(f"{option} is of one case: name it after the run")


def _show_run(asked: Asked) -> ExitCode:
    run = open_run(asked.run)
    note_unfinished(asked.run)
    models = pick_models(run.report, asked.model)
    view = RunView(run.name, run.report, models, failed=asked.failed)
    print_tables(lambda width: run_tables(view, width=width))
    return ExitCode.DONE


def _show_case(asked: Asked, run: OpenRun, key: str, samples: Sequence[Picked]) -> ExitCode:
    if asked.raw or asked.export is not None:
        one = _one(asked, key, samples)
        if asked.export is not None:
            export_crate(run, one, asked.export)
        else:
            _write_raw(one)
        return ExitCode.DONE
    print_tables(lambda width: Group(*_parts(asked, run, key, samples, width)))
    return ExitCode.DONE


def _one(asked: Asked, key: str, samples: Sequence[Picked]) -> Picked:
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
    asked: Asked, run: OpenRun, key: str, samples: Sequence[Picked], width: int
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


def _write_raw(one: Picked) -> None:
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
