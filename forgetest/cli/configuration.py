"""What a command knows before it works: forgetest.toml, and its options.

`configuration` reads the file, and `run_table` makes of the options what `[run]` is in it. All of
this is cheap to load: what grades is in `prepare`.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from forgetest.cli.options import comma_list, config_path, whole_numbers
from forgetest.errors import ConfigError
from forgetest.run.settings import RunTable
from forgetest.runner.config import Config, load_config

_SINGULAR = {"eval-sets": "eval-set", "variants": "variant"}


def configuration(path: Path | None) -> Config:
    """Return the named configuration, or the one in this folder, or an empty one."""
    file = config_path(path)
    return Config() if file is None else load_config(file, os.environ)


def run_table(
    *,
    eval_sets: Sequence[Path] | None = None,
    models: Sequence[str] | None = None,
    variants: Sequence[str] | None = None,
    pass_k: Sequence[str] | None = None,
    output: Path | None = None,
    no_verdict_cache: bool = False,
    **others: float | str | None,
) -> RunTable:
    """Return the `[run]` table that the options make; ConfigError names a wrong option."""
    options = {
        **others,
        "eval_sets": tuple(map(str, eval_sets)) if eval_sets else None,
        "models": comma_list(models),
        "variants": comma_list(variants),
        "pass_k": whole_numbers("--pass-k", pass_k),
        "output": None if output is None else str(output),
        "verdict_cache": False if no_verdict_cache else None,
    }
    try:
        return RunTable.model_validate(options)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        option = option_name(str(first["loc"][0]))
        raise ConfigError(f"{option}: {first['msg'][0].lower()}{first['msg'][1:]}") from None


def option_name(key: str) -> str:
    """Return the option of a key of `[run]`."""
    words = key.removesuffix("_secs").replace("_", "-")
    return f"--{_SINGULAR.get(words, words)}"
