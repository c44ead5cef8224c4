"""The options that several commands share, each declared once with its help.

An option that takes a list adds up when it is repeated. Any other option is refused the second
time: its first value would be lost.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from forgetest.errors import ConfigError
from forgetest.evalset.shipped import shipped_files
from forgetest.sandbox.backends import AUTO, REQUESTS


class OnceEach(TyperCommand):
    """A command that accepts a single-valued option only once."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse as typer does; ConfigError for a repeated option that takes one value."""
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        for parameter, times in Counter(given).items():
            single = not getattr(parameter, "multiple", True)
            if times > 1 and single and not getattr(parameter, "is_flag", False):
                name = max(parameter.opts, key=len)
                raise ConfigError(f"{name} takes one value, but was given {times} times")
        return super().parse_args(ctx, args)


def comma_list(values: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return the words of a list option: comma-separated, repeated, or both; None if not given."""
    if not values:
        return None
    words = (word.strip() for word in ",".join(values).split(","))
    return tuple(word for word in words if word)


def whole_numbers(option: str, values: Sequence[str] | None) -> tuple[int, ...] | None:
    """Return the numbers of a list option; ConfigError unless all are whole and at least 1."""
    if not values:
        return None
    text = ",".join(values)
    words = [word.strip() for word in text.split(",")]
    if not all(word.isascii() and word.isdecimal() and int(word) for word in words):
        raise ConfigError(f"{option} must be whole numbers from 1, such as 1,5; got {text}")
    return tuple(map(int, words))


def complete_set(incomplete: str) -> Iterator[str]:
    """Yield the shipped eval sets whose names begin so, with files of this folder that do.

    Nothing where no name begins so: shells then complete paths themselves.
    """
    names = [name for name in shipped_files() if name.startswith(incomplete)]
    yield from names
    if names:
        yield from (str(path) for path in sorted(Path().glob(f"{incomplete}*.toml")))


# What is run.

Runs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="RUNS",
        help="Run folders or report.json files; - reads a report from stdin. Default: the latest"
        " run.",
        show_default=False,
    ),
]
EvalSets = Annotated[
    list[Path] | None,
    typer.Option(
        "--eval-set",
        "-e",
        metavar="SET",
        help="Eval set: a file, a folder, or the name of a shipped set (see `forgetest sets`)."
        " Repeatable.",
        show_default=False,
        autocompletion=complete_set,
    ),
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--models",
        "--model",
        "-m",
        metavar="LIST",
        help="Models as PROVIDER/MODEL, such as ollama/qwen3:8b; comma-separated or repeated.",
        show_default=False,
    ),
]
Samples = Annotated[
    int | None,
    typer.Option(
        "--samples",
        "-n",
        metavar="N",
        help="Completions to request per case. Default: the largest k of --pass-k.",
        min=1,
    ),
]
PassK = Annotated[
    list[str] | None,
    typer.Option(
        "--pass-k",
        metavar="LIST",
        help="Values of k for pass@k, such as 1,5; comma-separated or repeated. Default: 1.",
        show_default=False,
    ),
]
Filter = Annotated[
    list[str] | None,
    typer.Option(
        "--filter",
        metavar="LIST",
        help="Select cases by tag or difficulty: a,b means a or b, !a means not a. Repeat to"
        " narrow further.",
        show_default=False,
    ),
]
CaseGlobs = Annotated[
    list[str] | None,
    typer.Option(
        "--case",
        metavar="LIST",
        help="Select cases by id or glob; comma-separated or repeated.",
        show_default=False,
    ),
]
Limit = Annotated[
    int | None,
    typer.Option("--limit", metavar="N", help="Take only the first N selected cases.", min=1),
]
Temperature = Annotated[
    float | None,
    typer.Option(
        "--temperature",
        metavar="NUMBER",
        help="Sampling temperature. Default: the provider's.",
        min=0,
    ),
]
MaxTokens = Annotated[
    int | None,
    typer.Option(
        "--max-tokens", metavar="N", help="Maximum length of a completion, in tokens.", min=1
    ),
]
SamplingSeed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        metavar="N",
        help="Seed sent with the first sample of a case; each further sample adds 1.",
    ),
]
Concurrency = Annotated[
    int | None,
    typer.Option(
        "--concurrency", metavar="N", help="Requests sent in parallel to each provider.", min=1
    ),
]
Config = Annotated[
    Path | None,
    typer.Option(
        "--config",
        "-c",
        metavar="FILE",
        help="Configuration file. Default: forgetest.toml, if it exists.",
    ),
]

CONFIG = Path("forgetest.toml")


def config_path(given: Path | None) -> Path | None:
    """Return the configuration file to read, if there is one; ConfigError for a missing one."""
    if given is None:
        return CONFIG if CONFIG.exists() else None
    if not given.is_file():
        raise ConfigError(f"{given}: no such configuration file")
    return given


# How it is graded.

ExtractorName = Annotated[
    str | None,
    typer.Option(
        "--extractor",
        metavar="NAME",
        help="Which code blocks of a completion to grade: defining (those that define what the"
        " case asks for), first, last, all. Default: defining.",
    ),
]
Parallelism = Annotated[
    int | None,
    typer.Option(
        "--parallelism",
        "-j",
        metavar="N",
        help="Samples graded in parallel. Default: CPU cores, as far as memory allows.",
        min=1,
    ),
]
Timeout = Annotated[
    float | None,
    typer.Option(
        "--timeout",
        metavar="SECONDS",
        help="Time limit of each test. Overrides the eval set.",
        min=0.001,
    ),
]
Sandbox = Annotated[
    str | None,
    typer.Option(
        "--sandbox",
        metavar="NAME",
        help=f"Sandbox for generated code: {', '.join(REQUESTS)}. Default: {AUTO}.",
    ),
]
RepeatGrading = Annotated[
    int | None,
    typer.Option(
        "--repeat-grading",
        metavar="N",
        help="Grade each sample N times and mark those with varying verdicts as flaky.",
        min=1,
    ),
]
AllowChecks = Annotated[
    bool,
    typer.Option("--allow-custom-checks", help="Allow eval sets to run custom_check commands."),
]
SkipBroken = Annotated[
    bool,
    typer.Option(
        "--skip-broken",
        help="Check all cases first, like validate --deep, and skip the broken ones.",
    ),
]
NoVerdictCache = Annotated[
    bool,
    typer.Option("--no-verdict-cache", help="Grade everything again; do not read or write cache."),
]

# What is read of finished runs.

Alpha = Annotated[
    float,
    typer.Option(
        "--alpha", metavar="NUMBER", help="Significance level: accepted risk of a false alarm."
    ),
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Random seed.")]
AllowIncomplete = Annotated[
    bool, typer.Option("--allow-incomplete", help="Accept runs that are not finished.")
]

# What is printed and written.

RunFormats = Annotated[
    list[str] | None,
    typer.Option(
        "--format",
        "-f",
        metavar="LIST",
        help="Print the report as text, json or markdown. Other formats of `forgetest report`, and"
        " lists (comma-separated or repeated), are written into the run folder. Default: text.",
        show_default=False,
    ),
]
RunOutput = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="PATH",
        help="Folder for new run folders, or file for the report, such as latest.json or page.html."
        " Default: runs.",
        show_default=False,
    ),
]
TextFormat = Annotated[
    str,
    typer.Option("--format", "-f", metavar="NAME", help="text, json or markdown."),
]
OutputFile = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write to FILE instead of stdout."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Hide progress; print results only.")]
