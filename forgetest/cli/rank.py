"""`forgetest rank`: models of one or several runs in the order of what they pass.

Carries out `forgetest rank`: open the runs, rank, print.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from forgetest.cli import options as opt
from forgetest.cli.runs import check_alpha, open_named
from forgetest.cli.terminal import check_format, write_out, write_tables
from forgetest.compare.read import STANDARD_INPUT
from forgetest.errors import ConfigError, ExitCode
from forgetest.rank.rank import rank_models
from forgetest.rank.types import Ranking, RankOptions
from forgetest.render.ranking import ranking_markdown, ranking_tables


def rank(
    runs: Annotated[
        list[str],
        typer.Argument(help="Runs: report.json files, run folders, or -.", show_default=False),
    ],
    alpha: Annotated[
        float,
        typer.Option("--alpha", help="The chance of calling any two equal models different."),
    ] = 0.05,
    k: Annotated[
        list[str] | None,
        typer.Option(
            "--k",
            help="The k of pass@k, separated by commas, or repeated; the runs' own if unset.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of tests that are too large for exact.")] = 1,
    allow_incomplete: Annotated[
        bool,
        typer.Option("--allow-incomplete", help="Rank what an unfinished run has so far."),
    ] = False,
    format_: Annotated[
        str, typer.Option("--format", "-f", help="text, json or markdown. Default: text.")
    ] = "text",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write there, not to standard output.")
    ] = None,
) -> None:
    """Rank the models of one or several runs on the cases that all of them have in common.

    Example: forgetest rank runs/2026-11-20-a1b2c3 runs/2026-11-21-d4e5f6

    Exit codes: 0 done, 2 unusable input, 3 no common case, or numbers of other rules.
    """
    asked = RankRequest(
        runs=tuple(runs),
        options=options_of(alpha=alpha, k=opt.joined(k), seed=seed),
        allow_incomplete=allow_incomplete,
        format=format_,
        output=output,
    )
    raise typer.Exit(carry_out(asked))


@dataclass(frozen=True, slots=True)
class RankRequest:
    """What the command line asks for."""

    runs: tuple[str, ...]
    options: RankOptions
    allow_incomplete: bool
    format: str
    output: Path | None


def options_of(*, alpha: float, k: str | None, seed: int) -> RankOptions:
    """Return the checked options of a ranking; ConfigError for one that makes no sense."""
    check_alpha(alpha)
    return RankOptions(alpha=alpha, k=() if k is None else _ks(k), seed=seed)


def _ks(text: str) -> tuple[int, ...]:
    words = [word.strip() for word in text.split(",")]
    if not all(word.isascii() and word.isdecimal() and int(word) for word in words):
        raise ConfigError(f"--k {text} is no list of whole numbers from 1, such as 1,5")
    return tuple(sorted({int(word) for word in words}))


def carry_out(asked: RankRequest) -> ExitCode:
    """Rank what is asked for; return the exit code."""
    check_format(asked.format)
    if asked.runs.count(STANDARD_INPUT) > 1:
        raise ConfigError("only one of the runs can be standard input")
    sides = [open_named(name, allow_incomplete=asked.allow_incomplete) for name in asked.runs]
    _write(rank_models(sides, asked.options), asked.format, asked.output)
    return ExitCode.DONE


def _write(ranking: Ranking, form: str, output: Path | None) -> None:
    match form:
        case "json":
            write_out(ranking.model_dump_json(indent=1) + "\n", output)
        case "markdown":
            write_out(ranking_markdown(ranking), output)
        case _:
            write_tables(lambda width: ranking_tables(ranking, width=width), output)
