"""The JSON Schemas of the files that people write and programs read.

The types of a file are loaded when its schema is asked for.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

from pydantic import TypeAdapter

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_READ: Final[Mapping[str, str]] = {  # with the module whose `json_schema` returns it
    "eval-set": "forgetest.evalset.schema",
    "config": "forgetest.runner.config",
}
_WRITTEN: Final[Mapping[str, tuple[str, str]]] = {  # with the module and its type
    "report": ("forgetest.report.types", "Report"),
    "runs": ("forgetest.render.run_list", "ListedRuns"),
    "comparison": ("forgetest.compare.types", "Comparison"),
    "self-check": ("forgetest.compare.selfcheck", "SelfCheck"),
    "ranking": ("forgetest.rank.types", "Ranking"),
    "validation": ("forgetest.check.types", "Validation"),
}


def json_schema(subject: str) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a file that we read or write, by its name."""
    if subject in _READ:
        return {"$schema": DIALECT, **import_module(_READ[subject]).json_schema()}
    module, name = _WRITTEN[subject]
    written: TypeAdapter[Any] = TypeAdapter(getattr(import_module(module), name))
    schema = written.json_schema(mode="serialization")
    return {"$schema": DIALECT, **schema, "title": f"forgetest {subject}"}
