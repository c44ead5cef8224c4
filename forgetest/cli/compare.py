"""`forgetest compare`: what got better or worse between two runs, and how sure that is.

Carries out `forgetest compare`: open both sides, compare, print, and the exit code.

Prints a comparison in the form that was asked for.

Writes a comparison as an HTML page, for which it reads the whole reports of both sides.

Grades the baseline of a comparison again, with today's toolchain and grader.
"""

import dataclasses
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from forgetest.cli import options as opt
from forgetest.cli.grade import regrading
from forgetest.cli.prepare import run_table
from forgetest.cli.run import RunRequest, carried_out
from forgetest.cli.runs import check_alpha, open_named, open_whole
from forgetest.cli.terminal import (
    Watch,
    check_format,
    print_tables,
    say_doubts,
    write_out,
    write_tables,
)
from forgetest.compare.compare import compare_sides
from forgetest.compare.gate import exit_code
from forgetest.compare.read import STANDARD_INPUT, open_side
from forgetest.compare.selfcheck import SelfCheck, self_check
from forgetest.compare.side import Side
from forgetest.compare.types import CompareOptions, Comparison, Rule
from forgetest.errors import ConfigError, ExitCode
from forgetest.render.html import comparison_files
from forgetest.run.manifest import MANIFEST, REPORT
from forgetest.runner.session import RecordedRun
from forgetest.system.files import temporary_folder


def compare(
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline",
            help="The run to compare with: a report.json, a run folder, or -.",
            show_default=False,
        ),
    ] = None,
    current: Annotated[
        str | None,
        typer.Option("--current", help="The run to judge, likewise.", show_default=False),
    ] = None,
    map_: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            help="OLD=NEW: compare a model, or an eval set, with one of another name; repeatable.",
            show_default=False,
        ),
    ] = None,
    threshold: Annotated[
        float,
        typer.Option(
            "--threshold", help="Points of mean score that a case may drop by.", min=0, max=1
        ),
    ] = 0.05,
    fail_on_regression: Annotated[
        bool,
        typer.Option("--fail-on-regression", help="Exit 1 when a case drops by more than that."),
    ] = False,
    gate: Annotated[
        list[str] | None,
        typer.Option(
            "--gate",
            help="Exit 1 by threshold, by evidence (only drops beyond noise), or by either.",
            show_default=False,
        ),
    ] = None,
    alpha: Annotated[
        float,
        typer.Option("--alpha", help="The chance of a false alarm that evidence may have."),
    ] = 0.05,
    margin: Annotated[
        float,
        typer.Option(
            "--margin", help="Points of pass rate that do not matter, for evidence.", min=0, max=1
        ),
    ] = 0.0,
    allow_unscored: Annotated[
        float,
        typer.Option(
            "--allow-unscored",
            help="Share of samples that a gate lets be unscored or gone.",
            min=0,
            max=1,
        ),
    ] = 0.0,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Exit 3 when inconclusive, or when cases have changed."),
    ] = False,
    allow_incomparable: Annotated[
        bool,
        typer.Option(
            "--allow-incomparable",
            help="Compare changed cases and other scoring rules too; that cannot gate.",
        ),
    ] = False,
    allow_incomplete: Annotated[
        bool,
        typer.Option("--allow-incomplete", help="Compare what an unfinished run has so far."),
    ] = False,
    regrade: Annotated[
        bool,
        typer.Option(
            "--regrade",
            help="Grade the baseline's completions with today's toolchain; tell its part from"
            " the model's.",
        ),
    ] = False,
    self_check: Annotated[
        str | None,
        typer.Option(
            "--self-check",
            help="Compare random halves of one run with each other: how often do gates err?",
            show_default=False,
        ),
    ] = None,
    splits: Annotated[
        int, typer.Option("--splits", help="How many random halves --self-check draws.", min=1)
    ] = 200,
    seed: Annotated[int, typer.Option("--seed", help="Of whatever is drawn by lot.")] = 1,
    format_: Annotated[
        str,
        typer.Option("--format", "-f", help="text, json, markdown, html or github. Default: text."),
    ] = "text",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write there, not to standard output.")
    ] = None,
    sandbox: opt.Sandbox = None,
    allow_custom_checks: opt.AllowChecks = False,
    config: opt.Config = None,
    quiet: opt.Quiet = False,
) -> None:
    """Tell what got better or worse between two runs, and how sure that is.

    Example: forgetest compare --baseline main/report.json --current runs/2026-11-21-a1b2c3

    Exit codes: 0 no regression, 1 regression, 2 unusable input, 3 not comparable or incomplete.
    """
    options = options_of(
        maps=map_ or (),
        gates=[*(gate or ()), *(["threshold"] if fail_on_regression else ())],
        alpha=alpha,
        threshold=threshold,
        margin=margin,
        allow_unscored=allow_unscored,
        allow_incomparable=allow_incomparable,
        strict=strict,
        seed=seed,
    )
    asked = CompareRequest(
        baseline=baseline,
        current=current,
        options=options,
        allow_incomplete=allow_incomplete,
        self_check=self_check,
        splits=splits,
        format=format_,
        output=output,
        regrading=Regrading(
            sandbox=sandbox,
            config=config,
            allow_custom_checks=allow_custom_checks,
            quiet=quiet,
        )
        if regrade
        else None,
    )
    raise typer.Exit(carry_out(asked))


FORMS = ("text", "json", "markdown", "html", "github")
SUMMARY = "GITHUB_STEP_SUMMARY"  # the file that GitHub shows beside a job
WORKSPACE = "GITHUB_WORKSPACE"  # the repository's folder there


def write_comparison(
    comparison: Comparison, form: str, output: Path | None, *, environ: Mapping[str, str]
) -> None:
    """Write a comparison in one of `FORMS` to a file or to standard output."""
    match form:
        case "json":
            write_out(comparison.model_dump_json(indent=1) + "\n", output)
        case "markdown":
            from forgetest.render.comparison.markdown import comparison_markdown

            write_out(comparison_markdown(comparison), output)
        case "github":
            _write_github(comparison, output, environ)
        case _:
            from forgetest.render.comparison.terminal import comparison_tables

            write_tables(lambda width: comparison_tables(comparison, width=width), output)


def _write_github(comparison: Comparison, output: Path | None, environ: Mapping[str, str]) -> None:
    """Write annotations to standard output, markdown to the file and the step's summary."""
    from forgetest.render.comparison.github import annotations
    from forgetest.render.comparison.markdown import comparison_markdown

    text = comparison_markdown(comparison)
    summary = environ.get(SUMMARY)
    if summary:
        _append(Path(summary), text)
    if output is not None or not summary:
        write_out(text, output)
    root = environ.get(WORKSPACE)
    sys.stdout.write(annotations(comparison, root=Path(root) if root else None, here=Path.cwd()))


def write_self_check(found: SelfCheck, form: str, output: Path | None) -> None:
    """Write a self-check as text, JSON or markdown to a file or to standard output."""
    from forgetest.render.comparison.terminal import self_check_markdown, self_check_table

    if form == "json":
        write_out(found.model_dump_json(indent=1) + "\n", output)
    elif form == "markdown" or output is not None:
        write_out(self_check_markdown(found), output)
    else:
        print_tables(lambda _: self_check_table(found))


def _append(file: Path, text: str) -> None:
    try:
        with file.open("a", encoding="utf-8") as summary:
            summary.write(text)
    except OSError as error:
        raise ConfigError(f"{file}: cannot be written: {error.strerror}") from None


@dataclass(frozen=True, slots=True)
class Regrading:
    """How the baseline is graded again."""

    sandbox: str | None
    config: Path | None
    allow_custom_checks: bool
    quiet: bool


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """What the command line asks for."""

    baseline: str | None
    current: str | None
    options: CompareOptions
    allow_incomplete: bool
    self_check: str | None
    splits: int
    format: str
    output: Path | None
    regrading: Regrading | None


def options_of(
    *, maps: Sequence[str], gates: Sequence[str], alpha: float, **rest: float | bool
) -> CompareOptions:
    """Return the checked options of a comparison; ConfigError for one that makes no sense."""
    for gate in gates:
        if gate not in tuple(Rule):
            raise ConfigError(f"--gate {gate} does not exist; choose {', '.join(Rule)}")
    check_alpha(alpha)
    return CompareOptions.model_validate(
        {"maps": tuple(map(_map, maps)), "rule": _rule(gates), "alpha": alpha, **rest}
    )


def _rule(gates: Sequence[str]) -> Rule | None:
    """Return the rule of all gates that are asked for: of two, either."""
    rules = {Rule(gate) for gate in gates}
    if len(rules) > 1:
        return Rule.EITHER
    return next(iter(rules), None)


def _map(text: str) -> tuple[str, str]:
    old, sign, new = text.partition("=")
    if not (old and sign and new):
        raise ConfigError(f"--map {text} is not OLD=NEW, such as openai/gpt-a=openai/gpt-b")
    return old, new


def carry_out(asked: CompareRequest) -> ExitCode:
    """Carry out what is asked; return the exit code."""
    if asked.self_check is not None:
        _demand_self_check_alone(asked)
        check_format(asked.format)
        return _self_check(asked, asked.self_check)
    check_format(asked.format, FORMS)
    if asked.baseline is None or asked.current is None:
        raise ConfigError("compare needs --baseline and --current, or --self-check RUN")
    if asked.baseline == asked.current == STANDARD_INPUT:
        raise ConfigError("only one of --baseline and --current can be standard input")
    return _compare(asked, asked.baseline, asked.current)


def _demand_self_check_alone(asked: CompareRequest) -> None:
    """Raise ConfigError for options that would be taken for heeded."""
    given = {
        "--baseline": asked.baseline,
        "--current": asked.current,
        "--map": asked.options.maps,
        "--gate and --fail-on-regression": asked.options.rule,
        "--strict": asked.options.strict,
        "--regrade": asked.regrading,
    }
    for option, value in given.items():
        if value:
            raise ConfigError(
                f"--self-check compares a run with itself and gates nothing; leave out {option}"
            )


def _self_check(asked: CompareRequest, name: str) -> ExitCode:
    side = open_named(name, allow_incomplete=asked.allow_incomplete)
    say_doubts(name, side.doubts)
    found = self_check(side, asked.options, splits=asked.splits)
    write_self_check(found, asked.format, asked.output)
    return ExitCode.DONE if any(model.cases for model in found.models) else ExitCode.UNSCORED


def _compare(asked: CompareRequest, baseline: str, current: str) -> ExitCode:
    then, after = (
        open_named(name, allow_incomplete=asked.allow_incomplete) for name in (baseline, current)
    )
    if asked.regrading is not None:
        now = regraded(baseline, then, asked.regrading)
        comparison = compare_sides(now, after, asked.options, graded_then=then)
    else:
        comparison = compare_sides(then, after, asked.options)
    if asked.format == "html":
        write_page(comparison, (baseline, current), asked.output)
    else:
        write_comparison(comparison, asked.format, asked.output, environ=os.environ)
    return exit_code(comparison.gate)


def write_page(
    comparison: Comparison,
    names: tuple[str, str],
    output: Path | None,
) -> None:
    """Write the page to a file, with what it loads beside it, or whole to standard output.

    `names` are those of baseline and current on the command line. Raises ReportError for a report
    that has not what a page shows, ConfigError for a file that cannot be written.
    """
    baseline, current = map(open_whole, names)
    if output is None:
        (page,) = comparison_files(comparison, baseline, current, budget=sys.maxsize).values()
        write_out(page, None)
        return
    _write(output, comparison_files(comparison, baseline, current, stem=output.stem))


def _write(output: Path, files: dict[str, str]) -> None:
    page, *beside = files
    targets = {output: files[page], **{output.with_name(name): files[name] for name in beside}}
    for target, text in targets.items():
        write_out(text, target)


def regraded(name: str, then: Side, asked: Regrading) -> Side:
    """Return the run behind a side with its completions graded now; nothing of it is kept.

    Raises ConfigError when `name` leads to no run folder, and what grading a run raises.
    """
    folder = _run_folder(name)
    request = RunRequest(
        table=run_table(sandbox=asked.sandbox),
        config=asked.config,
        allow_custom_checks=asked.allow_custom_checks,
        quiet=asked.quiet,
    )
    watch = Watch(Console(stderr=True), quiet=asked.quiet)
    with temporary_folder() as root:
        opening, bench, plan = regrading(folder, root, request)
        sources = RecordedRun(folder)
        finished = carried_out(opening, bench, sources, plan=plan, watch=watch)
        side = open_side(str(finished.path))
    return dataclasses.replace(side, file=then.file, created=then.created)


def _run_folder(name: str) -> Path:
    path = Path(name)
    folder = path.parent if path.name == REPORT else path
    if not (folder / MANIFEST).is_file():
        raise ConfigError(
            f"{name}: --regrade needs the baseline's run folder: a report alone has no tests"
        )
    return folder
