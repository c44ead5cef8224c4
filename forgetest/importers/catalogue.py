"""The formats that can be imported, by the name that the command line takes."""

from difflib import get_close_matches

from forgetest.errors import ConfigError
from forgetest.evalset.forms import quoted
from forgetest.importers import human_eval_rust, humaneval_x
from forgetest.importers.exercism import read as exercism
from forgetest.importers.types import Importer

IMPORTERS: tuple[Importer, ...] = (
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
        "human-eval-rust",
        "human-eval-rust, .jsonl: functions to complete, transform, fix or explain",
        human_eval_rust.read,
    ),
    Importer(
        "exercism",
        "an Exercism track, one exercise, or Aider's polyglot folder; .jsonl of its files",
        exercism.read,
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
