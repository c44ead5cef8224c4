"""The formats that can be imported, by the name that the command line takes."""

from difflib import get_close_matches

from forgetest.errors import ConfigError
from forgetest.evalset.schema import quoted
from forgetest.importers import (
    human_eval_rust,
    humaneval_x,
    multipl_e,
    recorded,
    reflexion,
    samples,
)
from forgetest.importers.exercism import read as exercism
from forgetest.importers.types import Importer

IMPORTERS = (
    Importer(
        "exercism",
        "an Exercism track, one exercise, or Aider's polyglot folder; .jsonl of its files",
        exercism.read,
    ),
    Importer(
        "human-eval-rust",
        "human-eval-rust, .jsonl: functions to complete, transform, fix or explain",
        human_eval_rust.read,
    ),
    Importer(
        "humaneval-x",
        "HumanEval-X or humanevalpack in Rust, .jsonl: functions to complete",
        humaneval_x.read,
    ),
    Importer(
        "humanevalpack-fix",
        "humanevalpack in Rust, .jsonl: bugs to fix, shown in the prompt",
        humaneval_x.read_fix,
    ),
    Importer(
        "multipl-e",
        "MultiPL-E prompts, completions and results: JSON Lines, or a folder of .json[.gz]",
        multipl_e.read,
    ),
    Importer(
        "recorded",
        "completions with their tasks and verdicts in each row: prompt, tests, completion",
        recorded.read,
    ),
    Importer("reflexion", "a log of Reflexion: problems with solutions", reflexion.read),
    Importer(
        "samples",
        "samples.jsonl of human-eval: completions alone, with results if there are any",
        samples.read,
    ),
)


def importer(name: str) -> Importer:
    """Return the importer of that name; ConfigError names the closest one, or all."""
    for one in IMPORTERS:
        if one.name == name:
            return one
    names = [one.name for one in IMPORTERS]
    close = get_close_matches(name, names, n=1)
    hint = f"did you mean {quoted(close[0])}?" if close else f"choose {', '.join(names)}"
    raise ConfigError(f"there is no format {quoted(name)}; {hint}")
