"""Carries out `forgetest rank`: open the runs, rank, print."""

from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from rich.console import Console

from forgetest.cli.printing import check_format, print_tables, write_out
from forgetest.cli.sides import open_named
from forgetest.compare.opening import STANDARD_INPUT
from forgetest.errors import ConfigError, ExitCode
from forgetest.rank.rank import rank
from forgetest.rank.types import Options, Ranking
from forgetest.render.ranking.markdown import ranking_markdown
from forgetest.render.ranking.tables import ranking_tables

_FILE_WIDTH = 120
LEAST = 1e-12  # of alpha; less is no other interval than all of it


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line asks for."""

    runs: tuple[str, ...]
    options: Options
    allow_incomplete: bool
    format: str
    output: Path | None


def options_of(*, alpha: float, k: str | None, seed: int) -> Options:
    """Return the checked options of a ranking; ConfigError for one that makes no sense."""
    if not LEAST <= alpha < 1:
        raise ConfigError(f"--alpha {alpha:g} is no chance between 0 and 1, such as 0.05")
    return Options(alpha=alpha, k=() if k is None else _ks(k), seed=seed)


def _ks(text: str) -> tuple[int, ...]:
    words = [word.strip() for word in text.split(",")]
    if not all(word.isascii() and word.isdecimal() and int(word) for word in words):
        raise ConfigError(f"--k {text} is no list of whole numbers from 1, such as 1,5")
    return tuple(sorted({int(word) for word in words}))


def carry_out(asked: Asked) -> ExitCode:
    """Rank what is asked for; return the exit code."""
    check_format(asked.format)
    if asked.runs.count(STANDARD_INPUT) > 1:
        raise ConfigError("only one of the runs can be standard input")
    sides = [open_named(name, allow_incomplete=asked.allow_incomplete) for name in asked.runs]
    _write(rank(sides, asked.options), asked.format, asked.output)
    return ExitCode.DONE


def _write(ranking: Ranking, form: str, output: Path | None) -> None:
    if form == "text" and output is None:
        print_tables(lambda width: ranking_tables(ranking, width=width))
        return
    write_out(_text(ranking, form), output)


def _text(ranking: Ranking, form: str) -> str:
    match form:
        case "json":
            return ranking.model_dump_json(indent=1) + "\n"
        case "markdown":
            return ranking_markdown(ranking)
    page = StringIO()
    console = Console(file=page, width=_FILE_WIDTH, highlight=False, no_color=True)
    console.print(ranking_tables(ranking, width=_FILE_WIDTH))
    return page.getvalue()
