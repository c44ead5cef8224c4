"""`--fail-under`: an absolute gate over a report, for `run`, `grade` and `report`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from forgetest.cli.options import CALLED, RESULTS, comma_list
from forgetest.errors import ExitCode

if CALLED:
    from forgetest.render.minimum import minimum_lines
    from forgetest.report.minimum import (
        Minimum,
        demand_reported,
        judged_models,
        parse_minimum,
        shortfalls,
    )
    from forgetest.report.types import Report
    from forgetest.sampling.plan import Plan

FailUnderOption = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-under",
        metavar="LIST",
        help="Exit with 1 if a model is below this: METRIC=NUMBER, such as pass@1=0.8. Metrics:"
        " pass@K, pass^K, score, compile, tests, lint_free, suite, suite:NAME, overall;"
        " comma-separated or repeated.",
        show_default=False,
        rich_help_panel=RESULTS,
    ),
]


def parse_minimums(texts: Sequence[str] | None) -> tuple[Minimum, ...]:
    """Return what --fail-under demands; ConfigError for what cannot be demanded."""
    return tuple(map(parse_minimum, comma_list(texts) or ()))


def demand_planned(plan: Plan, minimums: Sequence[Minimum]) -> None:
    """Raise ConfigError for a minimum that the report of a plan cannot have."""
    demand_reported(
        minimums, pass_k=plan.pass_k, suites=[eval_set.id for eval_set in plan.eval_sets]
    )


def judge_minimums(report: Report, minimums: Sequence[Minimum]) -> ExitCode:
    """Print which minimums are missed; return 1 for a model below one, 3 where one is unknown."""
    if not minimums:
        return ExitCode.DONE
    missed = shortfalls(report, minimums)
    models = len(judged_models(report))
    for line in minimum_lines(missed, demanded=len(minimums), models=models):
        typer.echo(line, err=True)
    if any(shortfall.value is not None for shortfall in missed):
        return ExitCode.REGRESSION
    return ExitCode.UNSCORED if missed else ExitCode.DONE
