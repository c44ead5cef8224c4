"""Replies made around code that is known to be right, and what is taken out of them."""

from collections.abc import Sequence

from forgetest.evalset.types import Case, ContextFile, Expectations, Protocol
from forgetest.extract.extraction import extract
from forgetest.extract.types import Extraction, Extractor
from forgetest.rust.lexer import spelled
from forgetest.sampling.completion import Completion, Finish

SUM = """\
/// Adds up the even numbers.
pub fn sum_even(numbers: &[i64]) -> i64 {
    numbers.iter().filter(|number| *number % 2 == 0).sum()
}"""
DRAFT = """\
pub fn sum_even(numbers: &[i64]) -> i64 {
    numbers.iter().sum()
}"""
# Its strings and comments hold what elsewhere is a tag of thinking or of a channel.
TAGGED = """\
// Cuts </think> and <think>, also as `</think>` and "</think>".
pub fn sum_even(numbers: &[i64]) -> i64 {
    const OPEN: &str = "<think>";
    const CLOSE: &str = "all</think>the rest";
    const BOTH: &str = r#"
<think>
draft "one" </think>
<|channel|>final<|message|>
"#;
    /*
    <reasoning>
    </reasoning>
    */
    let kept = numbers.iter().filter(|number| *number % 2 == 0); // </think>
    let length = OPEN.len() + CLOSE.len() + BOTH.len() + "assistantfinal".len();
    assert!(length > 0);
    kept.sum()
}"""
HELPED = """\
use std::ops::Add;

#[derive(Clone, Copy)]
struct Even(i64);

impl Add for Even {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

pub fn sum_even(numbers: &[i64]) -> i64 {
    let even = numbers.iter().filter(|n| *n % 2 == 0).map(|n| Even(*n));
    even.fold(Even(0), Add::add).0 // ∑ – “all”
}"""
ANSWERS = (SUM, TAGGED, HELPED)


def case(
    prompt: str = "Write `pub fn sum_even(numbers: &[i64]) -> i64`.",
    *,
    functions: Sequence[str] = ("sum_even",),
    types: Sequence[str] = (),
    context: Sequence[ContextFile] = (),
    reference: str | None = None,
    protocol: Protocol = Protocol.CHAT,
) -> Case:
    """Return a case that wants `sum_even` if nothing else is said."""
    return Case(
        id="sum-even",
        eval_set="replies",
        name="Sum",
        prompt=prompt,
        protocol=protocol,
        context=tuple(context),
        reference_solution=reference,
        expectations=Expectations(expected_functions=tuple(functions), expected_types=tuple(types)),
    )


def taken(
    text: str,
    asked: Case | None = None,
    *,
    finish: Finish = Finish.STOP,
    extractor: Extractor = Extractor.DEFINING,
) -> Extraction:
    """Return what is taken out of a reply."""
    return extract(Completion(text=text, finish=finish), asked or case(), extractor)


def tokens(code: str | None) -> list[str]:
    """Return the tokens of code, so that line ends and comments are no difference."""
    return spelled(code or "")
