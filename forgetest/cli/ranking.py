"""Carries out `forgetest rank`: open the runs, rank, print."""

from dataclasses import dataclass
from pathlib import Path

from forgetest.cli.printing import check_format, write_out, write_tables
from forgetest.cli.sides import check_alpha, open_named
from forgetest.compare.read import STANDARD_INPUT
from forgetest.errors import ConfigError, ExitCode
from forgetest.rank.rank import rank
from forgetest.rank.types import Options, Ranking
from forgetest.render.ranking import ranking_markdown, ranking_tables


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
    check_alpha(alpha)
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
    match form:
        case "json":
            write_out(ranking.model_dump_json(indent=1) + "\n", output)
        case "markdown":
            write_out(ranking_markdown(ranking), output)
        case _:
            write_tables(lambda width: ranking_tables(ranking, width=width), output)
