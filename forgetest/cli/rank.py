"""`forgetest rank`: the models of one or more runs, ordered by how much they pass."""

from __future__ import annotations

from typing import Annotated

import typer

from forgetest.cli import options as opt
from forgetest.errors import ConfigError

if opt.CALLED:
    from forgetest.cli.runs import check_alpha, latest, open_named
    from forgetest.cli.terminal import check_format, write_out, write_tables
    from forgetest.compare.read import STANDARD_INPUT
    from forgetest.evalset.forms import choices
    from forgetest.rank.lead import without_anchors
    from forgetest.rank.rank import rank_models
    from forgetest.rank.types import RankBy, RankOptions
    from forgetest.render.ranking import ranking_markdown, ranking_tables

KOption = Annotated[
    list[str] | None,
    typer.Option(
        "--k",
        metavar="LIST",
        help="Values of k for pass@k, such as 1,5; comma-separated or repeated. Default: those of"
        " the runs.",
        show_default=False,
    ),
]


ByOption = Annotated[
    str,
    typer.Option(
        "--by",
        metavar="WHAT",
        help="model or variant: rank models, or the ways of asking over all models that were asked"
        " in each.",
    ),
]


def rank(
    runs: opt.Runs = None,
    by: ByOption = "model",
    alpha: opt.Alpha = 0.05,
    k: KOption = None,
    seed: opt.Seed = 1,
    allow_incomplete: opt.AllowIncomplete = False,
    format_: opt.TextFormat = "text",
    output: opt.OutputFile = None,
) -> None:
    """Rank the models, or variants, of one or more runs on the cases they have in common.

    Example: forgetest rank runs/2026-11-20-091500-a1b2c3 runs/2026-11-21-143000-d4e5f6

    Exit codes: 0 ranked, 2 unusable input, 3 no common case or different scoring rules.
    """
    check_alpha(alpha)
    if by not in tuple(RankBy):
        raise ConfigError(f"--by {by} does not exist; {choices(by, RankBy)}")
    ks = opt.whole_numbers("--k", k) or ()
    check_format(format_)
    names = runs or [str(latest())]
    if names.count(STANDARD_INPUT) > 1:
        raise ConfigError("only one of the runs can be standard input")
    sides = [open_named(name, allow_incomplete=allow_incomplete) for name in names]
    options = RankOptions(alpha=alpha, k=tuple(sorted(set(ks))), seed=seed, by=RankBy(by))
    # Programs get what they have always got: every model that was asked.
    ranking = rank_models(sides if format_ == "json" else without_anchors(sides), options)
    match format_:
        case "json":
            write_out(ranking.model_dump_json(indent=1) + "\n", output)
        case "markdown":
            write_out(ranking_markdown(ranking), output)
        case _:
            write_tables(lambda width: ranking_tables(ranking, width=width), output)
