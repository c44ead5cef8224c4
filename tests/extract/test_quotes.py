"""What a reply only quotes is no answer, and a whole block that corrects another wins."""

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from program import ROOT
from replies import ANSWERS, DRAFT, HELPED, SUM, case, taken, tokens

from forgetest.evalset.types import Case, ContextFile
from forgetest.extract.types import ExtractionRule

SETS = ROOT / "eval-sets"
BROKEN = """\
pub fn sum_even(numbers: &[i64]) -> i64 {
    // It should be the even ones.
    numbers.iter().filter(|number| *number % 2 == 1).sum()
}"""
TAGS = ("```rust", "```rs", "```", "~~~rust", "```rust,ignore")
QUOTING = (
    "Before:",
    "**Before**",
    "### Before / After",
    "Your original code:",
    "Here is the code that you gave me:",
    "You wrote:",
    "The file `broken.rs` says",
    "Let's look at the code.",
    "",
)
ANSWERING = (
    "After:",
    "The fixed file:",
    "The filter keeps the odd ones. Corrected:",
    "It's `% 2 == 0` – not 1:",
    "Here is the corrected `src/lib.rs`:",
    "Now:",
    "",
)


def fenced(tag: str, code: str) -> str:
    return f"{tag}\n{code}\n{tag[:3]}"


def repairs() -> list[Any]:
    """Return the shipped cases that give the code to be mended, as they stand in their files."""
    found = [
        (path.stem, row)
        for path in sorted(SETS.glob("*.toml"))
        for row in tomllib.loads(path.read_text(encoding="utf-8"))["cases"]
        if row.get("context") and "rust-repair" in path.stem
    ]
    return [pytest.param(row, id=f"{stem}-{row['id']}") for stem, row in found]


def shipped(row: dict[str, Any]) -> Case:
    said = row["expectations"]
    return case(
        row["prompt"],
        functions=said.get("expected_functions", ()),
        types=said.get("expected_types", ()),
        context=[ContextFile(**file) for file in row["context"]],
        reference=row["reference_solution"],
    )


def given_as(place: str, tag: str) -> Case:
    if place == "context":
        return case("Mend `broken.rs`.", context=[ContextFile(path="broken.rs", content=BROKEN)])
    code = fenced(tag, BROKEN) if place == "prompt" else BROKEN
    return case(f"This adds up the wrong numbers. Mend it:\n\n{code}\n")


@pytest.mark.parametrize("row", repairs())
@pytest.mark.parametrize(
    ("quoting", "answering"),
    [("Before:", "After:"), ("Your original code:", "Here is the corrected file:"), ("", "")],
)
def test_a_repair_that_quotes_the_broken_file_first_is_taken(
    row: dict[str, Any], quoting: str, answering: str
) -> None:
    broken, fixed = row["context"][0]["content"], row["reference_solution"]
    text = f"{quoting}\n\n```rust\n{broken}\n```\n\n{answering}\n\n```rust\n{fixed}\n```\n"
    assert tokens(taken(text, shipped(row)).code) == tokens(fixed)
    behind = f"```rust\n{fixed}\n```\n\n{quoting}\n\n```rust\n{broken}\n```\n"
    assert tokens(taken(behind, shipped(row)).code) == tokens(fixed)


@given(
    place=st.sampled_from(["context", "prompt", "bare prompt"]),
    tag=st.sampled_from(TAGS),
    quoting=st.sampled_from(QUOTING),
    answering=st.sampled_from(ANSWERING),
    answer=st.sampled_from(ANSWERS),
    noted=st.sampled_from(["", "// BUG here\n", "/* as given */ ", "\n\n"]),
    crlf=st.booleans(),
)
def test_a_block_of_given_code_is_no_answer_beside_another(
    place: str, tag: str, quoting: str, answering: str, answer: str, noted: str, *, crlf: bool
) -> None:
    text = "\n\n".join((quoting, fenced(tag, noted + BROKEN), answering, fenced(tag, answer)))
    found = taken(text.replace("\n", "\r\n") if crlf else text, given_as(place, tag))
    assert tokens(found.code) == tokens(answer)
    assert found.blocks == 2


@given(
    place=st.sampled_from(["context", "prompt", "bare prompt"]),
    tag=st.sampled_from(TAGS),
    quoting=st.sampled_from(QUOTING),
)
def test_given_code_is_the_answer_where_it_is_the_only_code(
    place: str, tag: str, quoting: str
) -> None:
    found = taken(f"{quoting}\n\n{fenced(tag, BROKEN)}\n\nNothing is wrong.", given_as(place, tag))
    assert found.code == BROKEN
    used = fenced("```rust", 'fn main() {\n    println!("{}", sum_even(&[2]));\n}')
    found = taken(f"{fenced(tag, BROKEN)}\n\nUsed so:\n\n{used}", given_as(place, tag))
    assert found.code == BROKEN


@pytest.mark.parametrize("change", [("'-'", "'+'"), ('"a-b"', '"a+b"'), ("==", "!=")])
def test_a_repair_of_one_literal_is_no_quote(change: tuple[str, str]) -> None:
    broken = "pub fn sum_even(n: &str) -> bool {\n    n.contains('-') == n.eq(\"a-b\")\n}"
    fixed = broken.replace(*change)
    asked = case("Mend it.", context=[ContextFile(path="b.rs", content=broken)])
    assert taken(f"```rust\n{broken}\n```\n```rust\n{fixed}\n```\n", asked).code == fixed


def test_a_type_that_is_repeated_from_the_prompt_is_a_piece_of_the_answer() -> None:
    type_ = "#[derive(Debug)]\npub struct Even(pub i64);"
    function = (
        "pub fn sum_even(numbers: &[Even]) -> i64 {\n    numbers.iter().map(|n| n.0).sum()\n}"
    )
    asked = case(f"Write `sum_even` for\n```rust\n{type_}\n```\n")
    found = taken(f"```rust\n{type_}\n```\nand\n```rust\n{function}\n```\n", asked)
    assert (found.code, found.rule) == (f"{type_}\n\n{function}", ExtractionRule.MERGED)


CORRECTIONS = (
    "Wait, wrong. Corrected:",
    "Wait, that's wrong: it adds all of them.",
    "Oops, that adds the odd ones too.\n\nLet me fix that:",
    "Hmm, it doesn\u2019t filter.\n\nIt should be:",
    "That is incorrect.\n",
    "The above has a bug: it never filters.",
    "Final answer:",
    "**Final answer**",
    "### Final code",
    "The corrected version:",
    "Here is the fixed code:",
    "Correction:",
    "Putting it all together:",
    "I made a mistake there. The filter was missing:",
    "Actually no – this does not compile. Use",
)
CORRECTED = (SUM, HELPED)


@given(
    tag=st.sampled_from(TAGS),
    first=st.sampled_from(["Here it is:", "", "A first draft:", "Sure! The function:"]),
    correction=st.sampled_from(CORRECTIONS),
    answer=st.sampled_from(CORRECTED),
    usage=st.booleans(),
    times=st.integers(1, 3),
    crlf=st.booleans(),
)
def test_a_whole_block_that_corrects_a_draft_is_taken(
    tag: str,
    first: str,
    correction: str,
    answer: str,
    *,
    usage: bool,
    times: int,
    crlf: bool,
) -> None:
    drafts = [DRAFT.replace("sum()", "sum::<i64>()" * (1 + number)) for number in range(times)]
    parts = [first, fenced(tag, drafts[0])]
    for draft in drafts[1:]:
        parts += [correction, fenced(tag, draft)]
    parts += [correction, fenced(tag, answer)]
    if usage:
        parts += ["Use it so:", fenced(tag, "fn main() {\n    sum_even(&[1, 2]);\n}")]
    text = "\n\n".join(parts)
    found = taken(text.replace("\n", "\r\n") if crlf else text)
    assert tokens(found.code) == tokens(answer)
    assert found.rule is ExtractionRule.CORRECTED


def test_a_correction_without_fences_is_taken_too() -> None:
    assert taken(f"First:\n\n{DRAFT}\n\nWait, wrong. Corrected:\n\n{SUM}\n").code == SUM


OTHERS = (
    "Or, a little shorter:",
    "Alternatively:",
    "Alternatively, the final version could be",
    "An optimized version:",
    "Another way to write the complete function:",
    "If you prefer loops:",
    "Incorrect would be:",
    "Not like this:",
    "Before it was:",
    "Explanation: `sum` adds them up.",
)


@given(
    tag=st.sampled_from(TAGS),
    other=st.sampled_from(OTHERS),
    answer=st.sampled_from(CORRECTED),
)
def test_another_way_is_no_correction(tag: str, other: str, answer: str) -> None:
    found = taken(f"Here:\n\n{fenced(tag, answer)}\n\n{other}\n\n{fenced(tag, DRAFT)}\n")
    assert (found.code, found.rule) == (answer, ExtractionRule.DEFINING)


def test_what_is_called_final_twice_is_not_corrected() -> None:
    text = f"### Final code\n```rust\n{SUM}\n```\n### Final answer\n```rust\n{DRAFT}\n```\n"
    assert taken(text).code == SUM


@pytest.mark.parametrize("rest", ["pub fn sum_even(numbers: &[i64]) -> i64 {\n    ...\n}", "x"])
def test_a_correction_that_is_not_whole_does_not_win(rest: str) -> None:
    text = f"```rust\n{SUM}\n```\nWait, wrong. Corrected:\n```rust\n{rest}\n```\n"
    assert taken(text).code == SUM
