"""The JSON Schemas of the files people write and read."""

from typing import Any

from forgetest.check.types import DeepCheck
from forgetest.compare.selfcheck import SelfCheck
from forgetest.compare.types import Comparison
from forgetest.evalset.schema import json_schema as eval_set_schema
from forgetest.rank.types import Ranking
from forgetest.report.types import Report
from forgetest.value import Value

_WRITTEN: dict[str, type[Value]] = {
    "report": Report,
    "comparison": Comparison,
    "self-check": SelfCheck,
    "ranking": Ranking,
    "validation": DeepCheck,
}
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema(subject: str) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a file that we read or write, by its name."""
    if subject == "eval-set":
        return {"$schema": DIALECT, **eval_set_schema()}
    found = _WRITTEN[subject].model_json_schema(mode="serialization")
    return {"$schema": DIALECT, **found, "title": f"forgetest {subject}"}
