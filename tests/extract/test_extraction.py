"""What extraction promises for every text: outcomes, extractors, properties, limits."""

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from forgetest.evalset.types import Case, Expectations, Protocol
from forgetest.extract.blocks import is_program
from forgetest.extract.extraction import extract
from forgetest.extract.types import Extraction, ExtractionRule, Extractor, NoCodeReason
from forgetest.rust.items import defined_items
from forgetest.rust.parse import parse
from forgetest.sampling.completion import Completion, Finish

AREA = "pub fn area(w: u32, h: u32) -> u32 {\n    w * h\n}"
BLOCK = f"```rust\n{AREA}\n```"
OPEN = "pub fn area(w: u32, h: u32) -> u32 {\n"


def case(protocol: Protocol = Protocol.CHAT, prompt: str = OPEN) -> Case:
    wanted = Expectations(expected_functions=("area",))
    return Case(
        id="area", eval_set="s", name="Area", prompt=prompt, protocol=protocol, expectations=wanted
    )


def found(
    text: str,
    extractor: Extractor = Extractor.DEFINING,
    *,
    finish: Finish = Finish.STOP,
    protocol: Protocol = Protocol.CHAT,
) -> Extraction:
    return extract(Completion(text=text, finish=finish), case(protocol), extractor)


@pytest.mark.parametrize(
    ("text", "finish", "reason"),
    [
        ("", Finish.STOP, NoCodeReason.EMPTY),
        ("", Finish.LENGTH, NoCodeReason.TRUNCATED),
        ("", Finish.REFUSED, NoCodeReason.REFUSED),
        ("", Finish.FILTERED, NoCodeReason.REFUSED),
        ("<think>\nhm", Finish.STOP, NoCodeReason.EMPTY),
        ("<think>\nhm", Finish.LENGTH, NoCodeReason.TRUNCATED),
        ("Let me think.", Finish.STOP, NoCodeReason.NO_CODE),
        ("Let me think.", Finish.LENGTH, NoCodeReason.TRUNCATED),
        ("I can't do that.", Finish.STOP, NoCodeReason.REFUSED),
        ("I can't do that.", Finish.LENGTH, NoCodeReason.TRUNCATED),
        ("As an AI, I write no code.", Finish.STOP, NoCodeReason.REFUSED),
        ("I cannot tell. " + "What is an area? " * 100, Finish.STOP, NoCodeReason.NO_CODE),
        (BLOCK, Finish.REFUSED, NoCodeReason.REFUSED),
        (BLOCK, Finish.FILTERED, NoCodeReason.REFUSED),
        ("```rust\n```", Finish.STOP, NoCodeReason.NO_CODE),
        ("```rust\n", Finish.LENGTH, NoCodeReason.TRUNCATED),
    ],
)
def test_a_reply_without_code_says_why(text: str, finish: Finish, reason: NoCodeReason) -> None:
    result = found(text, finish=finish)
    assert (result.code, result.rule, result.reason) == (None, ExtractionRule.NONE, reason)


@pytest.mark.parametrize("finish", [Finish.STOP, Finish.LENGTH])
def test_code_that_is_there_counts_however_the_reply_ended(finish: Finish) -> None:
    assert found(BLOCK, finish=finish).code == AREA
    cut = "```rust\n" + AREA[:30]
    assert found(cut, finish=finish).code == AREA[:30]


DRAFT = "pub fn arae() {}"
MAIN = "fn main() {\n    area(1, 2);\n}"
THREE = f"```rust\n{DRAFT}\n```\n{BLOCK}\n```sh\ncargo run\n```\n```rust\n{MAIN}\n```\n"


@pytest.mark.parametrize(
    ("extractor", "code", "rule"),
    [
        (Extractor.DEFINING, AREA, ExtractionRule.DEFINING),
        (Extractor.FIRST, DRAFT, ExtractionRule.FIRST),
        (Extractor.LAST, MAIN, ExtractionRule.LAST),
        (Extractor.ALL, f"{DRAFT}\n\n{AREA}\n\n{MAIN}", ExtractionRule.ALL),
    ],
)
def test_an_extractor_picks_among_the_blocks_of_rust(
    extractor: Extractor, code: str, rule: ExtractionRule
) -> None:
    result = found(THREE, extractor)
    assert (result.code, result.rule, result.blocks) == (code, rule, 4)


@pytest.mark.parametrize("extractor", list(Extractor))
def test_without_blocks_every_extractor_takes_the_text(extractor: Extractor) -> None:
    assert found(f"Here:\n\n{AREA}\n\nDone.", extractor).code == AREA
    assert found(f"```c\n{AREA}\n```", extractor).code == AREA


@pytest.mark.parametrize("extractor", list(Extractor))
def test_every_extractor_joins_a_body_to_the_signature(extractor: Extractor) -> None:
    result = found("```rust\n    w * h\n```", extractor, protocol=Protocol.COMPLETION)
    assert result.code == f"{AREA}\n"


fence_free = st.text(st.characters(exclude_characters="`~\ufeff", exclude_categories=["Cs"]))


@given(text=fence_free.filter(str.strip), mark=st.sampled_from(["```", "~~~", "````"]))
@example(text="x\r", mark="```")
@example(text="&lt;", mark="```")
@example(text="a\x85b\u2028c\x0b", mark="```").via("line ends of other languages")
def test_extracting_undoes_a_plain_fence(text: str, mark: str) -> None:
    for tag in ("rust", ""):
        assert found(f"{mark}{tag}\n{text}\n{mark}").code == text


FRAGMENTS = [
    "```rust",
    "```",
    "~~~",
    "```toml",
    "  ```rs",
    "<think>",
    "</think>",
    AREA,
    DRAFT,
    MAIN,
    "use std::fmt;",
    "struct Rect;",
    "impl Rect {",
    "}",
    "#![allow(dead_code)]",
    'let s = "```";',
    "/*",
    "*/",
    'r#"',
    "'",
    "It's the product, isn't it?",
    "use it;",
    "w * h",
    "\r",
    "\ufeff",
    "\0",
    "\ud800",
    "&lt;",
    "",
]
replies = st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("\n".join)
anything = st.text(st.characters()) | replies | st.binary().map(lambda b: b.decode("latin-1"))


@given(
    text=anything,
    finish=st.sampled_from(Finish),
    protocol=st.sampled_from(Protocol),
    extractor=st.sampled_from(Extractor),
)
def test_no_text_makes_extraction_raise(
    text: str, finish: Finish, protocol: Protocol, extractor: Extractor
) -> None:
    result = found(text, extractor, finish=finish, protocol=protocol)
    assert (
        (result.code is None) == (result.reason is not None) == (result.rule is ExtractionRule.NONE)
    )
    assert result.code is None or result.code.strip()
    assert Extraction.model_validate_json(result.model_dump_json()) == result


@given(text=replies, protocol=st.sampled_from(Protocol))
def test_the_code_of_a_reply_is_its_own_code(text: str, protocol: Protocol) -> None:
    code = found(text, protocol=protocol).code
    if code is None or not is_program(parse(code.encode())):
        return
    if "area" in defined_items(code).functions:
        assert found(code, protocol=protocol).code == code
        assert found(f"````rust\n{code}\n````", protocol=protocol).code == code


@given(prompt=anything, text=replies)
def test_no_prompt_makes_extraction_raise(prompt: str, text: str) -> None:
    extract(Completion(text=text), case(Protocol.COMPLETION, prompt))


MIB = 1 << 20


@pytest.mark.parametrize("unit", ['r#"', "```rust\n/*\n"])
def test_a_hostile_megabyte_is_given_up_in_time(unit: str) -> None:
    start = time.thread_time()
    found(unit * (MIB // len(unit)), protocol=Protocol.COMPLETION)
    assert time.thread_time() - start < 60


def test_code_too_long_to_parse_is_taken_by_its_tag_or_its_first_line() -> None:
    code = AREA + "\n// " + "x" * MIB
    fenced = found(f"Here:\n```text\n1\n```\n```rust\n{code}\n```")
    assert (fenced.code, fenced.rule, fenced.limited) == (code, ExtractionRule.FIRST_RUST, True)
    bare = found(code)
    assert (bare.code, bare.rule, bare.limited) == (code, ExtractionRule.WHOLE, True)
    assert found("Why, " * MIB).code is None
    assert not found(BLOCK).limited
