"""Thinking is left out of a reply however its tags are spelled and whatever they touch."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from replies import ANSWERS, DRAFT, SUM, TAGGED, case, taken, tokens

from forgetest.evalset.types import Protocol
from forgetest.extract.types import NoCodeReason
from forgetest.sampling.completion import Finish

NAMES = (
    "think",
    "thinking",
    "Think",
    "thought",
    "thoughts",
    "reasoning",
    "reasoning_content",
    "reflection",
    "scratchpad",
    "seed:think",
    "antThinking",
    "model_thinking",
    "internal-thoughts",
    "inner_monologue",
)
PAIRS = (
    *((f"<{name}>", f"</{name}>") for name in NAMES),
    ('<think budget="512">', "</think>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|thinking|>", "<|/thinking|>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<unused94>thought", "<unused95>"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
    ("<|channel|>analysis", "<|start|>assistant<|channel|>final <|constrain|>text<|message|>"),
    ("<|channel|>analysis", "<|channel|>final"),
    ("analysis", "assistantfinal"),
)
# What the prompt opened: only the closing tag is part of the completion.
CLOSINGS = tuple(sorted({close for _, close in PAIRS if not close.startswith("assistant")}))
THOUGHTS = (
    "We need a sum.",
    "We need a sum.\nSo it's `sum_even",
    "We filter first: `n % 2 == 0`.\nThen `sum_even`",
    'We say "done."',
    "We try:\n```rust\n" + DRAFT + "\n```",
    "We try:\n```rust\n" + DRAFT + '\n```\nNo: that adds "all" of them.',
    "We try:\n\n" + DRAFT + "\n\nWrong, isn't it?",
    "We try:\n```rust\n" + DRAFT,
    "We try:\n```\n" + DRAFT + "\n```\n- it's\n- *done*",
    "We recall Vec<think> and a < b > c.",
    "Weiß ich es? ∑ …",
)
OPENINGS = (
    "```rust\n",
    "\n```rust\n",
    "\n\nHere it is:\n\n```rust\n",
    " Sure:\n\n~~~rs\n",
    "\n",
    "",
)


def reply(thinking: str, start: str, answer: str) -> str:
    fence = next((mark for mark in ("```", "~~~") if mark in start), "")
    return f"{thinking}{start}{answer}\n{fence}"


@given(
    pair=st.sampled_from(PAIRS),
    thought=st.sampled_from(THOUGHTS),
    gap=st.sampled_from(["", "\n", " "]),
    start=st.sampled_from(OPENINGS),
    answer=st.sampled_from(ANSWERS),
    crlf=st.booleans(),
)
@example(pair=PAIRS[0], thought="So `sum_even`", gap="", start="```rust\n", answer=SUM, crlf=False)
@example(pair=PAIRS[0], thought='"Go."', gap="", start="```rust\n", answer=TAGGED, crlf=True)
def test_what_stands_behind_the_thinking_is_the_answer(
    pair: tuple[str, str], thought: str, gap: str, start: str, answer: str, *, crlf: bool
) -> None:
    opening, closing = pair
    text = reply(f"{opening}{thought}{gap}{closing}", start, answer)
    found = taken(text.replace("\n", "\r\n") if crlf else text)
    assert tokens(found.code) == tokens(answer)


@given(
    closing=st.sampled_from(CLOSINGS),
    thought=st.sampled_from(THOUGHTS),
    start=st.sampled_from(OPENINGS),
    answer=st.sampled_from(ANSWERS),
)
def test_a_closing_tag_is_enough_where_the_prompt_opened_the_thinking(
    closing: str, thought: str, start: str, answer: str
) -> None:
    assert tokens(taken(reply(thought + closing, start, answer)).code) == tokens(answer)


@given(
    pair=st.sampled_from(PAIRS[:21]),
    thought=st.sampled_from(THOUGHTS),
    before=st.sampled_from(["Sure!\n", "Let me see.\n\n", "Well."]),
    again=st.booleans(),
)
def test_thinking_in_the_middle_is_left_out(
    pair: tuple[str, str], thought: str, before: str, *, again: bool
) -> None:
    opening, closing = pair
    once = f"{before}{opening}{thought}{closing}"
    text = reply(once * 2 if again else once, "\n```rust\n", SUM)
    assert tokens(taken(text).code) == tokens(SUM)


@pytest.mark.parametrize(("opening", "closing"), PAIRS)
def test_thinking_that_never_ends_takes_the_rest_along(opening: str, closing: str) -> None:
    text = f"{opening}We try:\n```rust\n{DRAFT}\n```\n"
    unlisted = any(word in opening for word in ("ant", "model_", "internal", "inner"))
    found = taken(text, finish=Finish.LENGTH)
    assert (found.reason is NoCodeReason.TRUNCATED) == (not unlisted)
    assert taken(f"{opening}We see.{closing}").reason is NoCodeReason.EMPTY


SPOKEN = (
    "It cuts `<think>` and `</think>`.",
    'It cuts "<think>" and "</think>".',
    "It cuts '</think>' too.",
    "Input:\n```text\n<think>a</think>b\n```\nOutput:\n```text\nb</think>\n```",
    'Used so:\n```rust\nfn main() {\n    cut("a</think>b");\n}\n```',
    "// </think> is cut",
    "A `Vec<Thought>` would do as well.",
)


@given(
    answer=st.sampled_from(ANSWERS),
    before=st.sampled_from(["", *SPOKEN]),
    behind=st.sampled_from(["", *SPOKEN]),
    fenced=st.booleans(),
    finish=st.sampled_from([Finish.STOP, Finish.LENGTH]),
)
def test_tags_that_are_spoken_of_cut_nothing(
    answer: str, before: str, behind: str, *, fenced: bool, finish: Finish
) -> None:
    block = f"```rust\n{answer}\n```" if fenced else answer
    found = taken(f"{before}\n\n{block}\n\n{behind}\n", finish=finish)
    assert tokens(found.code)[: len(tokens(answer))] == tokens(answer)


@pytest.mark.parametrize("type_", ["Thought", "Think", "Reasoning", "Reflection"])
def test_a_type_of_such_a_name_is_no_tag(type_: str) -> None:
    code = f"""\
pub struct {type_};
impl<T> From<{type_}> for Vec<T> {{
    fn from(_: {type_}) -> Self {{
<{type_}>::new();
        Vec::<
        T>::new()
    }}
}}
pub fn sum_even(numbers: &[i64]) -> i64 {{ 0 }}"""
    assert taken(f"Here:\n\n```rust\n{code}\n```\n").code == code
    assert taken(code).code == code
    assert taken(f"Here it is.\n\n{code}\n\nDone.").code == code


def test_a_body_that_speaks_of_tags_is_joined_whole() -> None:
    opening = "pub fn sum_even(numbers: &[i64]) -> i64 {\n"
    body = '    let end = "a</think>b".find("</think>");\n    0 // </think>\n}\n'
    found = taken(body, case(opening, protocol=Protocol.COMPLETION))
    assert found.code == opening + body.rstrip("\n")
    thought = taken(f"<think>`x`</think>{body}", case(opening, protocol=Protocol.COMPLETION))
    assert thought.code == opening + body.rstrip("\n")
