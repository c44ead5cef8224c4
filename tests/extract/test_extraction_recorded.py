"""Extraction on completions of real models; their text stays where it is."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from program import ROOT

from forgetest.evalset.types import Case, Expectations, Protocol
from forgetest.extract.blocks import layout
from forgetest.extract.extraction import extract
from forgetest.extract.types import ExtractionRule
from forgetest.rust.items import defined_items
from forgetest.sampling.completion import Completion

DEFAULT = ROOT.parent / "shared" / "data"
DATA = Path(os.environ.get("FORGETEST_SHARED_DATA", DEFAULT))


def rows(name: str) -> list[dict[str, Any]]:
    path = DATA / f"completions-{name}.jsonl"
    if not path.is_file():
        pytest.skip(f"recorded completions are absent: no {path}; set FORGETEST_SHARED_DATA")
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def case(row: dict[str, Any], protocol: Protocol = Protocol.CHAT) -> Case:
    entry = (row["entry_point"],) if "entry_point" in row else ()
    return Case(
        id=row["task_id"],
        eval_set="recorded",
        name=row["task_id"],
        prompt=row["prompt"],
        protocol=protocol,
        expectations=Expectations(expected_functions=entry),
    )


def test_blocks_and_their_functions_are_counted_as_recorded() -> None:
    for row in rows("multipl-e-qwen3-4b"):
        found = extract(Completion(text=row["completion"]), case(row))
        blocks = [defined_items(block.code) for block in layout(row["completion"]).blocks]
        defining = sum(row["entry_point"] in items.functions for items in blocks)
        assert found.blocks == len(blocks) == row["code_blocks"], row["uid"]
        assert defining == row["blocks_defining_entry"], row["uid"]
        rule = ExtractionRule.DEFINING if defining else ExtractionRule.FIRST_RUST
        assert found.rule == rule, row["uid"]


def test_the_prompt_alone_tells_what_is_wanted() -> None:
    for row in rows("multipl-e-qwen3-4b"):
        unsaid = case(row).model_copy(update={"expectations": Expectations()})
        completion = Completion(text=row["completion"])
        assert extract(completion, unsaid) == extract(completion, case(row)), row["uid"]


def test_bodies_of_base_models_join_to_source_that_parses() -> None:
    for row in rows("multipl-e-base-models"):
        found = extract(Completion(text=row["completion"]), case(row, Protocol.COMPLETION))
        assert found.rule is ExtractionRule.JOINED, row["uid"]
        assert (found.code or "").startswith(row["prompt"] + row["completion"]), row["uid"]
        if row["our_verdict"] != "compile_error":
            assert not defined_items(found.code or "").broken, row["uid"]


@pytest.mark.parametrize("name", ["reflexion-gpt4", "poly-codellama13b"])
def test_recorded_programs_come_out_as_they_went_in(name: str) -> None:
    for row in rows(name):
        assert extract(Completion(text=row["completion"]), case(row)).code == row["completion"]
