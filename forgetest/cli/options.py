"""The options that several commands share, declared once, with their help.

What can be a list adds up when it is given again; what cannot is refused, never overwritten.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from forgetest.errors import ConfigError
from forgetest.sandbox.backends import AUTO, REQUESTS


class OnceEach(TyperCommand):
    """A command that takes an option of one value only once."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse as typer does; ConfigError for an option whose first value would be lost."""
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        for parameter, times in Counter(given).items():
            one_value = not getattr(parameter, "multiple", True)
            if times > 1 and one_value and not getattr(parameter, "is_flag", False):
                name = max(parameter.opts, key=len)
                raise ConfigError(
                    f"{name} is given {times} times, and takes one value; say it once"
                )
        return super().parse_args(ctx, args)


def joined(words: Sequence[str] | None) -> str | None:
    """Return the values of an option as one comma list; None where it is not given."""
    return ",".join(words) if words else None


EvalSets = Annotated[
    list[Path] | None,
    typer.Option(
        "--eval-set", "-e", help="An eval set, or a folder of them; repeatable.", show_default=False
    ),
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--models",
        "-m",
        help="Models as provider/model, such as ollama/qwen3:8b; separated by commas, or repeated.",
        show_default=False,
    ),
]
Samples = Annotated[
    int | None,
    typer.Option("--samples", "-n", help="Samples per case; the largest k of --pass-k if unset."),
]
PassK = Annotated[
    list[str] | None,
    typer.Option(
        "--pass-k",
        help="The k of pass@k, separated by commas, or repeated. Default: 1.",
        show_default=False,
    ),
]
Temperature = Annotated[
    float | None,
    typer.Option(
        "--temperature", help="Sampling temperature; the provider decides if unset.", min=0
    ),
]
MaxTokens = Annotated[
    int | None, typer.Option("--max-tokens", help="Longest completion, in tokens.", min=1)
]
Seed = Annotated[
    int | None, typer.Option("--seed", help="Seed of sample 1; later samples count up from it.")
]
Filter = Annotated[
    list[str] | None,
    typer.Option(
        "--filter",
        help="Tags or difficulties: a,b is either, !a is not, repeated means both.",
        show_default=False,
    ),
]
CaseGlobs = Annotated[
    list[str] | None,
    typer.Option("--case", help="Case ids or globs; repeatable.", show_default=False),
]
Parallelism = Annotated[
    int | None,
    typer.Option("--parallelism", "-j", help="Graders at work at once; cores if unset.", min=1),
]
Concurrency = Annotated[
    int | None,
    typer.Option("--concurrency", help="Requests under way at once, per provider.", min=1),
]
Sandbox = Annotated[
    str | None,
    typer.Option(
        "--sandbox",
        help=f"Sandbox for generated code: {', '.join(REQUESTS)}. Default: {AUTO}.",
    ),
]
RepeatGrading = Annotated[
    int | None,
    typer.Option("--repeat-grading", help="Grade each sample N times; marks flaky ones.", min=1),
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="Where run folders go. Default: runs.")
]
Format = Annotated[
    list[str] | None,
    typer.Option(
        "--format",
        "-f",
        help="What to print: text, json or markdown. Any other format of `forgetest report`, and"
        " lists (with commas or repeated), are written into the run folder. Default: text.",
        show_default=False,
    ),
]
Config = Annotated[
    Path | None,
    typer.Option("--config", "-c", help="The configuration. Default: forgetest.toml, if there."),
]
Timeout = Annotated[
    float | None,
    typer.Option(
        "--timeout", help="Seconds that one test may take; over the eval set's own.", min=0.001
    ),
]
AllowChecks = Annotated[
    bool, typer.Option("--allow-custom-checks", help="Run the custom_check commands of eval sets.")
]
NoVerdictCache = Annotated[
    bool,
    typer.Option(
        "--no-verdict-cache", help="Grade everything now; neither use nor keep cached verdicts."
    ),
]
SkipBroken = Annotated[
    bool,
    typer.Option(
        "--skip-broken",
        help="Check the cases first, as validate --deep does; leave out broken ones.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, only results.")]
ExtractorName = Annotated[
    str | None,
    typer.Option(
        "--extractor",
        help="Which code of a completion counts: defining, first, last, all. Default: defining.",
    ),
]
