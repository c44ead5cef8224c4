"""`forgetest schema`: the JSON Schema of the files people write and read."""

from enum import StrEnum
from typing import Annotated

import typer


class Subject(StrEnum):
    """A file format with a published schema."""

    EVAL_SET = "eval-set"
    REPORT = "report"
    COMPARISON = "comparison"
    SELF_CHECK = "self-check"
    RANKING = "ranking"
    VALIDATION = "validation"


def schema(
    subject: Annotated[Subject, typer.Argument(help="Which file's schema.", show_default=False)],
) -> None:
    """Print the JSON Schema of an eval set, report, comparison, ranking or validation.

    Example: forgetest schema eval-set > eval-set.schema.json
    """
    import json

    from forgetest.render.machine import json_schema

    typer.echo(json.dumps(json_schema(subject), indent=2, ensure_ascii=False))
