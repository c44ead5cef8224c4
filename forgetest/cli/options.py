"""The options that several commands share, declared once, with their help."""

from pathlib import Path
from typing import Annotated

import typer

EvalSets = Annotated[
    list[Path] | None,
    typer.Option(
        "--eval-set", "-e", help="An eval set, or a folder of them; repeatable.", show_default=False
    ),
]
Models = Annotated[
    str | None,
    typer.Option(
        "--models",
        "-m",
        help="Models as provider/model, separated by commas, such as ollama/qwen3:8b.",
        show_default=False,
    ),
]
Samples = Annotated[
    int | None,
    typer.Option("--samples", "-n", help="Samples per case; the largest k of --pass-k if unset."),
]
PassK = Annotated[
    str | None,
    typer.Option("--pass-k", help="The k of pass@k, separated by commas. Default: 1."),
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
        help="What holds generated code: auto, bwrap, landlock, docker, none. Default: auto.",
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
    str,
    typer.Option(
        "--format",
        "-f",
        help="What goes to standard output: text, json, markdown. Others, and lists with commas,"
        " go into the run folder: html, csv, junit, sarif, ctrf, humaneval, multipl-e, inspect.",
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
