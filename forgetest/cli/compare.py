"""`forgetest compare`: what got better or worse between two runs, and how sure that is."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from forgetest.cli import options as opt
from forgetest.cli.output import OpenOption, floods, form_of, is_folder, place_of_page
from forgetest.errors import ConfigError, ExitCode

if opt.CALLED:
    from forgetest.api.comparisons import CompareRequest, compared, configured_table
    from forgetest.cli.comparison import FORMS, write_comparison, write_page, write_self_check
    from forgetest.cli.runs import check_alpha, latest, open_named
    from forgetest.cli.terminal import (
        check_format,
        say_doubts,
    )
    from forgetest.compare.gate import exit_code
    from forgetest.compare.read import STANDARD_INPUT
    from forgetest.compare.selfcheck import self_check as halves_check
    from forgetest.compare.side import Side
    from forgetest.compare.types import CompareOptions, Rule
    from forgetest.evalset.forms import choices
    from forgetest.run.settings import CompareTable
    from forgetest.sampling.plan import unsaid

SPLITS = 200

RunsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[BASELINE CURRENT]",
        help="Old and new run: folder or report.json; - reads a report from stdin.",
        show_default=False,
    ),
]
BaselineOption = Annotated[
    str | None,
    typer.Option("--baseline", metavar="RUN", help="Old run, by name.", show_default=False),
]
CurrentOption = Annotated[
    str | None,
    typer.Option("--current", metavar="RUN", help="New run, by name.", show_default=False),
]
BetweenOption = Annotated[
    tuple[str, str] | None,
    typer.Option(
        "--between",
        metavar="A B",
        help="Compare two models of one run, or all its models in two variants, the second with"
        " the first. Default: the latest run.",
        show_default=False,
    ),
]
MapOption = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="OLD=NEW",
        help="Compare a model or eval set of the old run with one named differently in the new"
        " run. Repeatable.",
        show_default=False,
    ),
]
GateOption = Annotated[
    list[str] | None,
    typer.Option(
        "--gate",
        metavar="RULE",
        help="Exit with 1 on a regression by this rule: threshold (--threshold), evidence (a drop"
        " that noise does not explain), or either. Two rules fail by either.",
        show_default=False,
    ),
]
FailOnRegressionOption = Annotated[
    bool, typer.Option("--fail-on-regression", help="Same as --gate threshold.")
]
ThresholdOption = Annotated[
    float | None,
    typer.Option(
        "--threshold",
        metavar="NUMBER",
        help="Tolerated drop of a case's mean score. Default: 0.05.",
        min=0,
        max=1,
    ),
]
AlphaOption = Annotated[
    float | None,
    typer.Option(
        "--alpha",
        metavar="NUMBER",
        help="Significance level: accepted risk of a false alarm. Default: 0.05.",
    ),
]
MarginOption = Annotated[
    float | None,
    typer.Option(
        "--margin",
        metavar="NUMBER",
        help="Tolerated drop of the pass rate, for the evidence rule. Default: 0.",
        min=0,
        max=1,
    ),
]
AllowUnscoredOption = Annotated[
    float | None,
    typer.Option(
        "--allow-unscored",
        metavar="NUMBER",
        help="Share of samples that may be unscored or missing without failing the gate. Default:"
        " 0.",
        min=0,
        max=1,
    ),
]
AllowRemovedOption = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-removed",
        metavar="CASE",
        help="Case that may be missing from the new run: id, set/case or glob. Repeatable.",
        show_default=False,
    ),
]
StrictOption = Annotated[
    bool,
    typer.Option(
        "--strict", help="Exit with 3 if the result is inconclusive or cases have changed."
    ),
]
NoStrictOption = Annotated[
    bool, typer.Option("--no-strict", help="Not strict, even if forgetest.toml says so.")
]
AllowIncomparableOption = Annotated[
    bool,
    typer.Option(
        "--allow-incomparable",
        help="Also compare changed cases and different scoring rules; disables the gate.",
    ),
]
RegradeOption = Annotated[
    bool,
    typer.Option(
        "--regrade",
        help="Grade the baseline again with today's toolchain, to separate its effect from the"
        " model's.",
    ),
]
SelfCheckOption = Annotated[
    str | None,
    typer.Option(
        "--self-check",
        metavar="RUN",
        help="Compare random halves of one run, to measure how often gates fail by chance.",
        show_default=False,
    ),
]
SplitsOption = Annotated[
    int | None,
    typer.Option(
        "--splits",
        metavar="N",
        help=f"Number of random halvings of --self-check. Default: {SPLITS}.",
        min=1,
    ),
]
FormatOption = Annotated[
    list[str] | None,
    typer.Option(
        "--format",
        "-f",
        metavar="LIST",
        help="text, json, markdown, html or github; comma-separated or repeated, for files in a"
        " folder. Default: what the ending of --output says, or text.",
        show_default=False,
    ),
]
OutputOption = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="PATH",
        help="File, or folder (an existing one, or with a trailing slash). Default: stdout.",
    ),
]


def compare(
    runs: RunsArgument = None,
    baseline: BaselineOption = None,
    current: CurrentOption = None,
    between: BetweenOption = None,
    map_: MapOption = None,
    gate: GateOption = None,
    fail_on_regression: FailOnRegressionOption = False,
    threshold: ThresholdOption = None,
    alpha: AlphaOption = None,
    margin: MarginOption = None,
    allow_unscored: AllowUnscoredOption = None,
    allow_removed: AllowRemovedOption = None,
    strict: StrictOption = False,
    no_strict: NoStrictOption = False,
    allow_incomparable: AllowIncomparableOption = False,
    allow_incomplete: opt.AllowIncomplete = False,
    regrade: RegradeOption = False,
    self_check: SelfCheckOption = None,
    splits: SplitsOption = None,
    seed: opt.Seed = 1,
    format_: FormatOption = None,
    output: OutputOption = None,
    open_: OpenOption = False,
    sandbox: opt.Sandbox = None,
    allow_custom_checks: opt.AllowChecks = False,
    config_file: opt.Config = None,
    quiet: opt.Quiet = False,
) -> None:
    """Compare two runs: what got better or worse, and how sure that is.

    Example: forgetest compare main/report.json runs/2026-11-21-a1b2c3 --gate evidence

    The table `compare` of forgetest.toml sets a gate and its limits; options win over it.

    Exit codes: 0 no regression, 1 regression, 2 unusable input, 3 not comparable or incomplete.
    """
    if alpha is not None:
        check_alpha(alpha)
    given = CompareTable(
        gate=_gate([*(gate or ()), *(["threshold"] if fail_on_regression else ())]),
        threshold=threshold,
        alpha=alpha,
        margin=margin,
        allow_unscored=allow_unscored,
        allow_removed=tuple(allow_removed) if allow_removed else None,
        strict=_strictness(strict=strict, no_strict=no_strict),
    )
    renamed = tuple(map(_renamed, map_ or ()))
    file = opt.config_path(config_file)
    request = CompareRequest(
        table=given if file is None else given.over(configured_table(file)),
        maps=renamed,
        between=between,
        seed=seed,
        allow_incomparable=allow_incomparable,
    )
    documents = _documents(format_, output, open_=open_)
    named = [*(runs or ()), *filter(None, (baseline, current))]
    if self_check is not None:
        _refuse_with_self_check(given, named, between, {"--map": renamed, "--regrade": regrade})
        form, file = _only_document(documents)
        side = open_named(self_check, allow_incomplete=allow_incomplete)
        code = check_run(side, request.options, splits=splits or SPLITS, form=form, output=file)
        raise typer.Exit(code)
    _refuse_unheeded({"--splits": splits}, needed="--self-check")
    if not regrade:
        grading = {"--sandbox": sandbox, "--allow-custom-checks": allow_custom_checks}
        _refuse_unheeded(grading, needed="--regrade")
    if between is not None:
        _refuse_with_between(between, named, {"--map": renamed, "--regrade": regrade})
        names = (str(named[0] if named else latest()),) * 2
        old = new = open_named(names[0], allow_incomplete=allow_incomplete)
    else:
        names = two_runs(runs, baseline, current)
        old, new = (open_named(name, allow_incomplete=allow_incomplete) for name in names)
    again = None
    if regrade:
        from forgetest.cli.grade import regraded

        again = partial(
            regraded,
            names[0],
            sandbox=sandbox,
            config_file=config_file,
            allow_custom_checks=allow_custom_checks,
            quiet=quiet,
        )
    comparison = compared(request, old, new, say=_say, grade_again=again)
    for form, file in documents.items():
        if form == "html":
            write_page(comparison, names, file, show=open_)
        else:
            write_comparison(comparison, form, file)
    raise typer.Exit(exit_code(comparison.gate))


def _documents(
    formats: Sequence[str] | None, output: str | None, *, open_: bool
) -> dict[str, Path | None]:
    """Return the file of each format that is asked for; None for standard output.

    Raises ConfigError for a format that does not exist, for several without a folder, and for
    --open without a page.
    """
    names = _format_names(formats, output, open_=open_)
    if output is not None and is_folder(output, unclear=len(names) > 1):
        return {name: Path(output, f"comparison{FORMS[name]}") for name in names}
    form, *others = names
    if others:
        raise ConfigError(f"--format {','.join(names)} writes several files: add --output DIR/")
    if output is None:
        return {form: place_of_page("comparison.html") if open_ or floods(form) else None}
    return {form: Path(output)}


def _format_names(
    formats: Sequence[str] | None, output: str | None, *, open_: bool
) -> tuple[str, ...]:
    """Return the formats of --format, and without it what a file's ending says; of --open, html."""
    given = (name.strip() for text in formats or () for name in text.split(","))
    names = tuple(dict.fromkeys(filter(None, given)))
    if not names and output is not None and not is_folder(output, unclear=False):
        names = (form_of(Path(output)),)
    names = names or ("html" if open_ else "text",)
    for name in names:
        check_format(name, FORMS)
    if open_ and "html" not in names:
        raise ConfigError(f"--open shows an HTML page, not {','.join(names)}: use --format html")
    return names


def _only_document(documents: Mapping[str, Path | None]) -> tuple[str, Path | None]:
    """Return format and file of a self-check, which is not a comparison and has fewer formats."""
    (form, file), *others = documents.items()
    if others:
        raise ConfigError("--self-check writes a single format")
    check_format(form)
    return form, file


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


def _strictness(*, strict: bool, no_strict: bool) -> bool | None:
    """Return what the options say; None if nothing; ConfigError for both."""
    if strict and no_strict:
        raise ConfigError("--strict and --no-strict cannot be combined")
    return strict if strict or no_strict else None


def two_runs(
    runs: Sequence[str] | None, baseline: str | None, current: str | None
) -> tuple[str, str]:
    """Return baseline and current; what has no option is taken from the arguments, in order."""
    names = list(runs or ())
    old = names.pop(0) if baseline is None and names else baseline
    new = names.pop(0) if current is None and names else current
    if names:
        raise ConfigError(f"compare takes two runs: {names[0]} is one too many")
    if old is None or new is None:
        raise ConfigError(
            "compare needs two runs: forgetest compare BASELINE CURRENT;"
            " or one run with --between A B or --self-check"
        )
    if old == new == STANDARD_INPUT:
        raise ConfigError("only one of the two runs can be standard input")
    return old, new


def _refuse_with_between(
    between: tuple[str, str], named: Sequence[str], others: Mapping[str, object]
) -> None:
    """Raise ConfigError for several runs or one model, and for options about two runs."""
    if unsaid(between[0]) == unsaid(between[1]):
        raise ConfigError(f"--between needs two models, got {between[0]} twice")
    if len(named) > 1:
        raise ConfigError(
            f"--between compares two models of one run, but got {len(named)} runs:"
            " forgetest compare RUN --between A B"
        )
    for option, value in others.items():
        if value:
            raise ConfigError(f"--between compares two models of one run: leave out {option}")


def _renamed(text: str) -> tuple[str, str]:
    old, sign, new = text.partition("=")
    if not (old and sign and new):
        raise ConfigError(f"--map must be OLD=NEW, such as openai/gpt-a=openai/gpt-b; got {text}")
    return old, new


def _gate(gates: Sequence[str]) -> Any:
    """Return the rule of all gates together: two different ones make `either`."""
    for gate in gates:
        if gate not in tuple(Rule):
            raise ConfigError(f"--gate {gate} does not exist; {choices(gate, Rule)}")
    rules = set(gates)
    return Rule.EITHER.value if len(rules) > 1 else next(iter(rules), None)


def check_run(
    side: Side, options: CompareOptions, *, splits: int, form: str, output: Path | None
) -> ExitCode:
    """Print how often the gates fail between random halves of one run; return the exit code."""
    say_doubts(side.file, side.doubts)
    result = halves_check(side, options, splits=splits)
    write_self_check(result, form, output)
    return ExitCode.DONE if any(model.cases for model in result.models) else ExitCode.UNSCORED


def _refuse_with_self_check(
    given: CompareTable,
    named: Sequence[str],
    between: tuple[str, str] | None,
    others: Mapping[str, object],
) -> None:
    """Raise ConfigError for options that --self-check would ignore."""
    ignored = {
        f"other runs ({', '.join(named)})": named,
        "--between": between,
        "--gate and --fail-on-regression": given.gate,
        "--allow-removed": given.allow_removed,
        "--strict": given.strict,
        **others,
    }
    for option, value in ignored.items():
        if value:
            raise ConfigError(f"--self-check compares a run with itself: leave out {option}")


def _refuse_unheeded(options: Mapping[str, object], *, needed: str) -> None:
    """Raise ConfigError for options that do nothing without another one."""
    for option, value in options.items():
        if value:
            raise ConfigError(f"{option} is for {needed} alone: add {needed}, or leave it out")
