"""What the shell completes: values of options and arguments, when somebody presses Tab.

Each function yields the values that begin as the word does, the last one of a comma-separated list.
Where it yields nothing, the shell completes files. What they need is loaded when they are called.
"""

import contextlib
import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from pathlib import Path
from typing import Any

import typer

from forgetest.errors import ForgetestError

ANCHORS = ("reference/solution", "reference/stub")
CONFIG = Path("forgetest.toml")  # in the folder where a command runs
RUNS = Path("runs")
SHELL = "_FORGETEST_COMPLETE"  # set by the shell when it asks
_BREAKS = re.compile(r"[@:=]+")  # of COMP_WORDBREAKS, what names of models and options may hold
_REPLACED = re.compile(r"@?[^@:=]*\Z")  # by bash, when something is chosen


def complete(program: Callable[[], object], environ: MutableMapping[str, str]) -> object:
    """Let the program answer a shell that asks by the environment; return its result.

    Bash parts words at `@`, `:` and `=`, and replaces what follows the last of them, an `@`
    included. The program is asked for whole words, and bash is told the rest alone.
    """
    known, shell = _join_words(environ), sys.stdout
    with contextlib.redirect_stdout(io.StringIO()) as offered:
        try:
            return program()
        finally:
            shell.write("".join(f"{line[known:]}\n" for line in offered.getvalue().splitlines()))


def _join_words(environ: MutableMapping[str, str]) -> int:
    """Join what bash parted; return how many characters of the last word stay as they are."""
    if environ[SHELL] != "complete_bash" or "\n" not in environ.get("COMP_WORDS", ""):
        return 0
    pieces, current = environ["COMP_WORDS"].split("\n"), int(environ["COMP_CWORD"])
    words: list[str] = []
    for place, piece in enumerate(pieces[: current + 1]):
        parted = place > 1 and (_BREAKS.fullmatch(piece) or _BREAKS.fullmatch(pieces[place - 1]))
        words[-1:] = [words[-1] + piece] if parted else [*words[-1:], piece]
    environ["COMP_WORDS"], environ["COMP_CWORD"] = "\n".join(words), str(len(words) - 1)
    option, equals, value = words[-1].partition("=")
    asked = value if option.startswith("-") and equals else words[-1]
    replaced = _REPLACED.search(asked)
    return replaced.start() if replaced else 0


def words(*values: str) -> Callable[[str], Iterator[str]]:
    """Return the completion of an option with a fixed choice of values."""

    def complete(incomplete: str) -> Iterator[str]:
        return _beginning(incomplete, values)

    return complete


def complete_set(incomplete: str) -> Iterator[str]:
    """Yield the shipped eval sets whose names begin so, with files of this folder that do."""
    from forgetest.evalset.shipped import shipped_files

    names = [name for name in shipped_files() if name.startswith(incomplete)]
    yield from names
    if names:
        yield from (str(path) for path in sorted(Path().glob(f"{incomplete}*.toml")))


def complete_model(incomplete: str) -> Iterator[str]:
    """Yield the anchors, the models of forgetest.toml, and `PROVIDER/` of every provider."""
    from forgetest.sampling.local import MODEL
    from forgetest.sampling.providers.presets import PRESETS

    config = _config()
    models = () if config is None else config.run.models or ()
    servers = (*PRESETS, *(() if config is None else config.servers))
    commands = () if config is None else config.commands
    named = (*(f"exec/{name}" for name in commands), *(f"{name}/" for name in servers))
    asked, at, _ = incomplete.rpartition(",")[2].rpartition("@")
    ways = () if config is None else (f"{asked}{at}{name}" for name in _variants(config))
    offered = ways if at and "/" in asked else ()
    yield from _beginning(incomplete, (*models, *ANCHORS, f"local/{MODEL}", *named, *offered))


def complete_variant(incomplete: str) -> Iterator[str]:
    """Yield the ways of asking of forgetest.toml, and the default one."""
    config = _config()
    yield from _beginning(incomplete, () if config is None else _variants(config))


def complete_prompt_case(ctx: typer.Context, incomplete: str) -> Iterator[str]:
    """Yield the cases of these eval sets, or of the shipped one that the word begins with."""
    from forgetest.evalset.load import load
    from forgetest.evalset.shipped import shipped_files

    eval_set, slash, _ = incomplete.rpartition("/")
    if slash and eval_set in shipped_files():
        cases = [case for chosen in load([Path(eval_set)]) for case in chosen.cases]
        yield from _beginning(incomplete, (f"{eval_set}/{case.id}" for case in cases))
        return
    sets = (f"{name}/" for name in shipped_files())
    yield from _beginning(incomplete, (*(case.id for case in _cases(ctx)), *sets))


def complete_provider(incomplete: str) -> Iterator[str]:
    """Yield the providers that are built in, and those of forgetest.toml."""
    from forgetest.sampling.providers.presets import PRESETS

    config = _config()
    own = () if config is None else config.servers
    yield from _beginning(incomplete, (*own, *PRESETS))


def complete_case(ctx: typer.Context, incomplete: str) -> Iterator[str]:
    """Yield the ids of the cases of the eval sets that the command line or forgetest.toml names."""
    yield from _beginning(incomplete, (case.id for case in _cases(ctx)))


def complete_tag(ctx: typer.Context, incomplete: str) -> Iterator[str]:
    """Yield the tags and difficulties of these cases; `!` before one leaves it out."""
    tags = (tag for case in _cases(ctx) for tag in (*case.tags, case.difficulty) if tag)
    before, comma, word = incomplete.rpartition(",")
    mark = "!" if word.startswith("!") else ""
    yield from _beginning(f"{before}{comma}{word}", (f"{mark}{tag}" for tag in tags))


def complete_format(incomplete: str) -> Iterator[str]:
    """Yield the formats of reports."""
    from forgetest.render.formats.catalogue import FORMAT_NAMES

    yield from _beginning(incomplete, FORMAT_NAMES)


def complete_run(incomplete: str) -> Iterator[str]:
    """Yield the run folders below `runs`, the latest first."""
    folders = (file.parent for file in RUNS.glob("*/manifest.json"))
    yield from _beginning(incomplete, (str(path) for path in sorted(folders, reverse=True)))


def _beginning(incomplete: str, values: Iterable[str]) -> Iterator[str]:
    """Yield each value once that begins as the last word does, after the words before it."""
    before, comma, word = incomplete.rpartition(",")
    for value in dict.fromkeys(values):
        if value.startswith(word):
            yield f"{before}{comma}{value}"


def _variants(config: Any) -> tuple[str, ...]:
    return ("default", *config.variants)


def _config() -> Any:
    """Return the configuration of this folder; None where it cannot be read."""
    from forgetest.runner.config import load_config

    with contextlib.suppress(ForgetestError):
        return load_config(CONFIG, os.environ)
    return None


def _cases(ctx: typer.Context) -> list[Any]:
    from forgetest.evalset.load import load

    named = ctx.params.get("eval_set") or ctx.params.get("paths")
    config = _config()
    paths = named or (() if config is None else config.run.eval_sets or ())
    with contextlib.suppress(ForgetestError):
        return [case for chosen in load([Path(path) for path in paths]) for case in chosen.cases]
    return []
