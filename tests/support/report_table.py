"""Print the tables of report.json for docs/reports.md: every key with its type and its meaning.

python tests/support/report_table.py           print them
python tests/support/report_table.py --write   put them into docs/reports.md
"""

import sys
from collections.abc import Iterator, Mapping
from typing import Any

from attack_table import page_with
from program import ROOT

from forgetest.render.schemas import json_schema

PAGE = ROOT / "docs" / "reports.md"
BEGIN, END = "<!-- report.json: begin -->", "<!-- report.json: end -->"

_HEAD = "| key | type | meaning |\n|---|---|---|"
_FIRST = ("ModelReport", "Block", "Metric", "CaseReport", "SampleReport", "Verdict", "Completion")

Schema = Mapping[str, Any]


def tables() -> str:
    """Return a table for the report and for each object in it, those that matter most first."""
    schema = json_schema("report")
    parts = {name: part for name, part in schema["$defs"].items() if "properties" in part}
    others = sorted(parts.keys() - set(_FIRST))
    named = {"Report": schema, **{name: parts[name] for name in (*_FIRST, *others)}}
    return "\n\n".join(
        "\n".join((f"### {name}", "", _HEAD, *_rows(part))) for name, part in named.items()
    )


def _rows(part: Schema) -> Iterator[str]:
    for key, value in part["properties"].items():
        meaning = value.get("description", "")
        yield f"| `{key}` | {_type(value)} | {meaning.replace('|', chr(92) + '|')} |"


def _type(value: Schema) -> str:
    """Return a type in words, such as `list of CaseReport` or `number or null`."""
    if "$ref" in value:
        return str(value["$ref"]).rpartition("/")[2].replace("JsonValue", "any")
    if "anyOf" in value:
        return " or ".join(map(_type, value["anyOf"]))
    if "allOf" in value:
        return _type(value["allOf"][0])
    if value.get("type") == "array":
        items = value.get("items") or (value.get("prefixItems") or [{}])[0]
        return f"list of {_type(items)}"
    if isinstance(value.get("additionalProperties"), dict):
        return f"object of {_type(value['additionalProperties'])}"
    return str(value.get("type", "any"))


def described() -> Iterator[tuple[str, str]]:
    """Yield each key of the schema, as `Object.key`, with its description, empty without one."""
    schema = json_schema("report")
    for name, part in {"Report": schema, **schema["$defs"]}.items():
        for key, value in part.get("properties", {}).items():
            yield f"{name}.{key}", value.get("description", "")


if __name__ == "__main__":
    if "--write" in sys.argv:
        page = page_with(PAGE.read_text(encoding="utf-8"), tables(), begin=BEGIN, end=END)
        PAGE.write_text(page, encoding="utf-8")
    else:
        sys.stdout.write(tables() + "\n")
