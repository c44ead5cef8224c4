"""Replies of many shapes, each with the code that must come out of it: corpus/extract/*.md.

A file begins with an HTML comment, TOML inside: what the case wants, what is expected. `lines`
are the lines of the reply that make up the code; where these are not enough, `code` is that code.
"""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from program import ROOT

from forgetest.evalset.types import Case, Expectations
from forgetest.extract.extraction import extract
from forgetest.extract.types import Extraction
from forgetest.sampling.completion import Completion

CORPUS = ROOT / "tests" / "corpus" / "extract"
REPLIES = sorted(CORPUS.glob("*.md"))


def read(path: Path) -> tuple[dict[str, Any], str]:
    head, end, reply = path.read_bytes().decode().partition("\n-->\n")
    assert end, f"{path.name} has no header"
    return tomllib.loads(head.removeprefix("<!--\n")), reply


def ask(path: Path) -> tuple[dict[str, Any], str, Extraction]:
    head, reply = read(path)
    case = Case(
        id=path.stem,
        eval_set="corpus",
        name=path.stem,
        prompt=head.get("prompt", "Write it."),
        protocol=head.get("protocol", "chat"),
        reference_solution=head.get("reference"),
        expectations=Expectations(
            expected_functions=tuple(head.get("functions", ())),
            expected_types=tuple(head.get("types", ())),
        ),
    )
    completion = Completion(text=reply, finish=head.get("finish", "stop"))
    return head, reply, extract(completion, case)


def lines_of(reply: str, ranges: str) -> str:
    lines = reply.split("\n")
    parts = [tuple(map(int, part.split("-"))) for part in ranges.split()]
    code = "\n\n".join("\n".join(lines[first - 1 : last]) for first, last in parts)
    return code.removesuffix("\r")


@pytest.mark.parametrize("path", REPLIES, ids=lambda path: path.stem)
def test_a_reply_gives_its_code_by_the_expected_rule(path: Path) -> None:
    head, reply, found = ask(path)
    assert (found.rule, found.reason) == (head["rule"], head.get("reason")), found.code
    if head.get("counts", True):
        assert found.blocks == head["blocks"]
    if head["rule"] != "none":
        assert found.code == head.get("code", lines_of(reply, head.get("lines", "")))
    else:
        assert found.code is None


def test_the_corpus_is_as_large_as_it_should_be() -> None:
    assert len(REPLIES) >= 45
