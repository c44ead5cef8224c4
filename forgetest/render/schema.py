"""The JSON Schemas of the files people write and read."""

from typing import Any

from forgetest.evalset.schema import json_schema as eval_set_schema
from forgetest.report.types import Report


def json_schema(subject: str) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of `eval-set` or `report`."""
    if subject == "eval-set":
        return eval_set_schema()
    schema = Report.model_json_schema(mode="serialization")
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "forgetest report"
    return schema
