"""The options that several commands share, each declared once with its help.

An option that takes a list adds up when it is repeated. Any other option is refused the second
time: its first value would be lost.
"""

import sys
from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from forgetest.cli.completion import (
    CONFIG,
    complete_case,
    complete_format,
    complete_model,
    complete_run,
    complete_set,
    complete_tag,
    complete_variant,
    words,
)
from forgetest.errors import ConfigError
from forgetest.sandbox.backends import AUTO, REQUESTS

CALLED: Final = sys.argv[1:2] != ["help"] and not {"--help", "-h"} & set(sys.argv[1:])
"""Whether a command is called to work.

Its help needs its options alone, so a command imports what it works with under `if CALLED`.
"""


class OnceEach(TyperCommand):
    """A command that accepts a single-valued option only once, and whose flags show no type."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Make the command as typer does."""
        super().__init__(*args, **kwargs)
        for parameter in self.params:
            if getattr(parameter, "is_flag", False):
                parameter.metavar = ""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse as typer does; ConfigError for a repeated option that takes one value."""
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        for parameter, times in Counter(given).items():
            single = not getattr(parameter, "multiple", True)
            if times > 1 and single and not getattr(parameter, "is_flag", False):
                name = max(parameter.opts, key=len)
                raise ConfigError(f"{name} takes one value, but was given {times} times")
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Carry out the command; ConfigError where --help was taken for a value."""
        if not CALLED:
            raise ConfigError("--help and -h cannot be the value of an option or an argument")
        return super().invoke(ctx)


class CommandGroup(TyperGroup):
    """A group of commands that shows its help when none is called, as `help` does."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse as typer does; `help COMMAND` is `COMMAND --help`."""
        if not args or args[0] == "help":
            args = [*args[1:], "--help"]
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return name, command and arguments; ConfigError for a command that does not exist."""
        if args[0] not in self.commands:
            close = get_close_matches(args[0], self.commands, n=1)
            path = ctx.command_path
            hint = f"did you mean {path} {close[0]}?" if close else f"{path} --help lists all"
            raise ConfigError(f"there is no command {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)


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


# The groups of options in help.
CHOOSING = "What is run"
ASKING = "How models are asked"
STOPPING = "Cost and stopping"
GRADING = "How samples are graded"
RESULTS = "Results"

# What is run.

Runs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="RUNS",
        help="Run folders or report.json files; - reads a report from stdin. Default: the latest"
        " run.",
        show_default=False,
        autocompletion=complete_run,
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
        rich_help_panel=CHOOSING,
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
        rich_help_panel=CHOOSING,
        autocompletion=complete_model,
    ),
]
Variants = Annotated[
    list[str] | None,
    typer.Option(
        "--variant",
        metavar="LIST",
        help="Ways of asking, variants of forgetest.toml; comma-separated or repeated.",
        show_default=False,
        rich_help_panel=CHOOSING,
        autocompletion=complete_variant,
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
        rich_help_panel=CHOOSING,
    ),
]
PassK = Annotated[
    list[str] | None,
    typer.Option(
        "--pass-k",
        metavar="LIST",
        help="Values of k for pass@k, such as 1,5; comma-separated or repeated. Default: 1.",
        show_default=False,
        rich_help_panel=CHOOSING,
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
        rich_help_panel=CHOOSING,
        autocompletion=complete_tag,
    ),
]
CaseGlobs = Annotated[
    list[str] | None,
    typer.Option(
        "--case",
        metavar="LIST",
        help="Select cases by id or glob; comma-separated or repeated.",
        show_default=False,
        rich_help_panel=CHOOSING,
        autocompletion=complete_case,
    ),
]
Limit = Annotated[
    int | None,
    typer.Option(
        "--limit",
        metavar="N",
        help="Take only the first N selected cases.",
        min=1,
        rich_help_panel=CHOOSING,
    ),
]
Temperature = Annotated[
    float | None,
    typer.Option(
        "--temperature",
        metavar="NUMBER",
        help="Sampling temperature. Default: the provider's.",
        min=0,
        rich_help_panel=ASKING,
    ),
]
MaxTokens = Annotated[
    int | None,
    typer.Option(
        "--max-tokens",
        metavar="N",
        help="Maximum length of a completion, in tokens.",
        min=1,
        rich_help_panel=ASKING,
    ),
]
SamplingSeed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        metavar="N",
        help="Seed sent with the first sample of a case; each further sample adds 1.",
        rich_help_panel=ASKING,
    ),
]
Concurrency = Annotated[
    int | None,
    typer.Option(
        "--concurrency",
        metavar="N",
        help="Requests sent in parallel to each provider.",
        min=1,
        rich_help_panel=ASKING,
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
        rich_help_panel=GRADING,
        autocompletion=words("defining", "first", "last", "all"),
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
        rich_help_panel=GRADING,
    ),
]
Timeout = Annotated[
    float | None,
    typer.Option(
        "--timeout",
        metavar="SECONDS",
        help="Time limit of each test. Overrides the eval set.",
        min=0.001,
        rich_help_panel=GRADING,
    ),
]
Sandbox = Annotated[
    str | None,
    typer.Option(
        "--sandbox",
        metavar="NAME",
        help=f"Sandbox for generated code: {', '.join(REQUESTS)}. Default: {AUTO}.",
        rich_help_panel=GRADING,
        autocompletion=words(*REQUESTS),
    ),
]
RepeatGrading = Annotated[
    int | None,
    typer.Option(
        "--repeat-grading",
        metavar="N",
        help="Grade each sample N times and mark those whose verdicts differ as unsteady.",
        min=1,
        rich_help_panel=GRADING,
    ),
]
GradeOn = Annotated[
    str | None,
    typer.Option(
        "--grade-on",
        metavar="WHERE",
        help="Grade on a Dask cluster: its scheduler, as tcp://HOST:8786, or local:N for N"
        " processes here.",
        rich_help_panel=GRADING,
    ),
]
AllowChecks = Annotated[
    bool,
    typer.Option(
        "--allow-custom-checks",
        help="Allow eval sets to run custom_check commands.",
        rich_help_panel=GRADING,
    ),
]
SkipBroken = Annotated[
    bool,
    typer.Option(
        "--skip-broken",
        help="Check all cases first, like validate --deep, and skip the broken ones.",
        rich_help_panel=GRADING,
    ),
]
NoVerdictCache = Annotated[
    bool,
    typer.Option(
        "--no-verdict-cache",
        help="Grade everything again; do not read or write cache.",
        rich_help_panel=GRADING,
    ),
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
        rich_help_panel=RESULTS,
        autocompletion=complete_format,
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
        rich_help_panel=RESULTS,
    ),
]
TextFormat = Annotated[
    str,
    typer.Option(
        "--format",
        "-f",
        metavar="NAME",
        help="text, json or markdown.",
        rich_help_panel=RESULTS,
        autocompletion=words("text", "json", "markdown"),
    ),
]
OutputFile = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write to FILE instead of stdout.",
        rich_help_panel=RESULTS,
    ),
]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        help="Hide progress; print results only.",
        rich_help_panel=RESULTS,
    ),
]
