"""`forgetest schema`: the JSON Schema of the files people write and read."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated

import typer

from forgetest.cli.options import CALLED

if CALLED:
    from forgetest.render.schemas import json_schema


class Subject(StrEnum):
    """A file format with a published schema."""

    EVAL_SET = "eval-set"
    CONFIG = "config"
    REPORT = "report"
    RUNS = "runs"
    COMPARISON = "comparison"
    SELF_CHECK = "self-check"
    RANKING = "ranking"
    VALIDATION = "validation"


SubjectArgument = Annotated[
    Subject,
    typer.Argument(metavar="KIND", help="Kind of file.", show_default=False),
]


def schema(subject: SubjectArgument) -> None:
    """Print the JSON Schema of an eval set, forgetest.toml, report or other file.

    Example: forgetest schema eval-set > eval-set.schema.json

    Editors check a TOML file that names its schema in its first line, such as
    #:schema ./eval-set.schema.json
    """
    typer.echo(json.dumps(json_schema(subject), indent=2, ensure_ascii=False))
