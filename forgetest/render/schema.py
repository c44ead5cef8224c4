"""The JSON Schemas of the files people write and read."""

from typing import Any

from forgetest.evalset.schema import json_schema as eval_set_schema
from forgetest.report.types import Report

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema(subject: str) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of `eval-set` or `report`."""
    if subject == "eval-set":
        return {"$schema": DIALECT, **eval_set_schema()}
    report = Report.model_json_schema(mode="serialization")
    return {"$schema": DIALECT, **report, "title": "forgetest report"}
