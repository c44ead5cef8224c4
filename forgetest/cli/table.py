"""From the words of a command line to the run table; every wrong value is one line."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from forgetest.errors import ConfigError
from forgetest.settings import RunTable


def run_table(
    *,
    eval_sets: Sequence[Path] | None = None,
    models: str | None = None,
    pass_k: str | None = None,
    output: Path | None = None,
    **rest: float | str | None,
) -> RunTable:
    """Return what the command line says of a run; ConfigError names a wrong option."""
    said = {
        **rest,
        "eval_sets": tuple(str(path) for path in eval_sets) if eval_sets else None,
        "models": _words(models),
        "pass_k": None if pass_k is None else _numbers(pass_k),
        "output": None if output is None else str(output),
    }
    try:
        return RunTable.model_validate(said)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        option = str(first["loc"][0]).removesuffix("_secs").replace("_", "-")
        raise ConfigError(f"--{option}: {first['msg'][0].lower()}{first['msg'][1:]}") from None


def _words(text: str | None) -> tuple[str, ...] | None:
    if text is None:
        return None
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(word) for word in text.split(","))
    except ValueError:
        raise ConfigError(f"--pass-k {text}: give whole numbers such as 1,5") from None
