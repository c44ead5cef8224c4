"""Ids of ours made from the names of others, so that a recording still finds its case."""

import hashlib
import re
from pathlib import Path

from forgetest.errors import ConfigError
from forgetest.evalset.schema import ID_PATTERN, MAX_ID, identifier
from forgetest.importers.types import Options

_DIGEST = 8  # characters of a digest that tell long names apart


def case_id(name: str) -> str:
    """Return a valid id for a case: the name itself where it is one, else with `-` for the rest.

    `HumanEval/0` becomes `HumanEval-0`, which replay finds by `HumanEval/0` again.
    """
    if re.fullmatch(ID_PATTERN, name) and len(name) <= MAX_ID:
        return name
    text = re.sub(r"[^A-Za-z0-9._-]+", "-", name).lstrip("-.") or "case"
    if len(text) <= MAX_ID:
        return text
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
    return f"{text[: MAX_ID - _DIGEST - 1]}-{digest}"


def set_id(source: Path, options: Options) -> str:
    """Return the eval set's id: what the user says, or else the source's name without its ending.

    ConfigError when what the user says is no id.
    """
    if options.id is None:
        name = source.resolve().name
        return case_id(re.sub(r"(\.(jsonl?|gz|results))+$", "", name) or "imported")
    try:
        return identifier(options.id)
    except ValueError as error:
        raise ConfigError(f"--id {error}") from None


def model_name(source: Path, options: Options) -> str:
    """Return the model of completions that name none: what the user says, or else the source."""
    return options.model or set_id(source, Options())
