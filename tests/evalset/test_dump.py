"""Eval sets survive being written and read, and read well in between."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forgetest.evalset.dump import dump
from forgetest.evalset.load import parse
from forgetest.evalset.types import (
    MAX_COUNT,
    Case,
    CompileFail,
    ContextFile,
    Dependency,
    Difficulty,
    EquivalentMutant,
    EvalSet,
    Expectations,
    Protocol,
    Provenance,
    UnsafeRule,
)
from forgetest.rust.joined import joined

READABLE = r"""[eval_set]
id = "shop"
name = 'A "shop"'
edition = "2024"
default_timeout_secs = 2.5
dependencies = [
    { name = "tokio", version = "1", features = ["rt-multi-thread", "macros", "sync", "time"] },
]

[eval_set.source]
name = "Elsewhere"
licence = "MIT"

[[cases]]
id = "quote"
prompt = '''
Write `quote`: it puts "x" between \.
'''
tags = ["text"]
difficulty = "easy"
reference_solution = '''
pub fn quote() -> char {
    '\''
}'''
equivalent_mutants = [
    { mutant = "quote: '\\'' -> '\"'", reason = "No caller can see which of the two it is." },
    { mutant = "quote: drop fence", reason = 'A "fence" orders nothing here.' },
]

[[cases.context]]
path = "src/a.rs"
content = ""

[cases.expectations]
test_file = '''
#[test]
fn quotes() {}
'''

[[cases.expectations.compile_fail]]
name = "moves"
code = ["E0382"]
source = '''
fn f(s: String) { drop((s, s)) }
'''
compiles = "fn f(s: String) { drop(s) }"
"""


def without_lines(eval_set: EvalSet) -> EvalSet:
    cases = tuple(case.model_copy(update={"line": None}) for case in eval_set.cases)
    return eval_set.model_copy(update={"cases": cases})


def test_code_stays_code_and_defaults_stay_unsaid() -> None:
    assert dump(parse(READABLE, file="x.toml")) == READABLE


# Runs of what TOML strings are sensitive to, so that random texts meet each other's limits.
PIECES = st.sampled_from(
    ["'", "''", "'''", '"', '""', '"""', "\\", "\n", "\r\n", "\r", "\t", "#", " ", "[x]\n", "\0"]
)
CHARACTERS = st.characters(exclude_categories=["Cs"])
TEXTS = st.lists(PIECES | CHARACTERS, max_size=12).map("".join)
FILLED = st.tuples(TEXTS, st.sampled_from("x'é"), TEXTS).map("".join)
PRINTABLE = st.characters(exclude_categories=["C", "Z"]) | st.just(" ")
TITLES = st.tuples(st.text(PRINTABLE, max_size=9), st.just("x")).map("".join)
TAGS = TITLES.map(lambda text: "t" + text.replace(",", ""))
NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,9}", fullmatch=True)
SECONDS = st.sampled_from([60.0, 7.0]) | st.floats(1e-9, 86_400)

DEPENDENCIES = st.lists(
    st.builds(
        Dependency,
        name=NAMES,
        version=st.sampled_from(["1", ">=1.2, <2", "*"]),
        features=st.lists(st.sampled_from(["full", "a.b"]), max_size=2).map(tuple),
    ),
    max_size=3,
    unique_by=lambda dependency: dependency.name.replace("-", "_").lower(),
).map(tuple)
USES = st.lists(
    st.builds(
        CompileFail,
        name=st.sampled_from(["moves", "_1"]),
        code=st.lists(st.sampled_from(["E0382", "E0499"]), min_size=1, max_size=2).map(tuple),
        source=FILLED,
        compiles=FILLED,
    ),
    max_size=2,
    unique_by=lambda use: use.name,
).map(tuple)
TESTED = st.builds(
    Expectations,
    test_file=FILLED,
    expected_functions=st.lists(st.just("f"), max_size=2).map(tuple),
    expected_types=st.lists(st.just("A::B"), max_size=30).map(tuple),
    forbidden_functions=st.lists(st.just("main"), max_size=1).map(tuple),
    max_clippy_warnings=st.none() | st.integers(0, 10**20),
    allowed_lints=st.lists(st.just("clippy::new_lint"), max_size=1).map(tuple),
    compile_fail=USES,
    custom_check=st.none() | FILLED,
)
REFUSED = st.builds(
    Expectations,
    should_compile=st.just(value=False),
    should_pass_tests=st.booleans(),
    expected_error_codes=st.lists(st.just("E0382"), max_size=2).map(tuple),
)
COUNTED = st.builds(
    Expectations,
    test_file=FILLED,
    max_allocations=st.none() | st.integers(0, MAX_COUNT),
    max_peak_bytes=st.none() | st.integers(0, MAX_COUNT),
)
CONTEXT = st.lists(TEXTS, max_size=2).map(
    lambda texts: tuple(
        ContextFile(path=f"data/{number}.txt", content=text) for number, text in enumerate(texts)
    )
)


EQUIVALENT = st.lists(
    st.builds(EquivalentMutant, mutant=FILLED, reason=FILLED),
    max_size=3,
    unique_by=lambda listed: listed.mutant,
).map(tuple)


def with_reference(case: Case) -> st.SearchStrategy[Case]:
    """Return the case without a reference solution, and with one and mutants of it."""
    keys = st.fixed_dictionaries({"reference_solution": FILLED, "equivalent_mutants": EQUIVALENT})
    several = keys.map(lambda update: {**update, **_in_two_files(update["reference_solution"])})
    if case.protocol is Protocol.CHAT:
        keys |= several
    return st.just(case) | keys.map(lambda update: case.model_copy(update=update))


def _in_two_files(text: str) -> dict[str, Any]:
    code = joined({"src/lib.rs": text, "src/a.rs": ""})
    return {"reference_solution": code, "answer_files": ("src/lib.rs", "src/a.rs")}


@st.composite
def eval_sets(draw: st.DrawFn) -> EvalSet:
    set_id = draw(NAMES)
    shared: dict[str, Any] = {
        "eval_set": set_id,
        "edition": draw(st.sampled_from(["2015", "2018", "2021", "2024"])),
        "protocol": draw(st.sampled_from(Protocol)),
        "file": "x.toml",
    }
    timeouts = draw(st.lists(SECONDS, min_size=1, max_size=2))
    dependencies = draw(st.lists(DEPENDENCIES, min_size=1, max_size=2))
    unsafe = draw(st.lists(st.sampled_from(UnsafeRule), min_size=1, max_size=2))
    cases = st.builds(
        Case,
        **{key: st.just(value) for key, value in shared.items()},
        id=NAMES,
        name=TITLES,
        description=TEXTS,
        prompt=FILLED,
        tags=st.lists(TAGS, max_size=3, unique=True).map(tuple),
        difficulty=st.none() | st.sampled_from(Difficulty),
        unsafe=st.sampled_from(unsafe),
        timeout_secs=st.sampled_from(timeouts),
        max_tokens=st.none() | st.integers(1, 10**20),
        dependencies=st.sampled_from(dependencies),
        context=CONTEXT,
        expectations=TESTED | COUNTED | REFUSED,
    ).flatmap(with_reference)
    source = st.builds(Provenance, name=TITLES, version=TEXTS, licence=TEXTS, url=TEXTS)
    return EvalSet(
        id=set_id,
        name=draw(TITLES),
        description=draw(TEXTS),
        version=draw(TEXTS),
        source=draw(st.none() | source),
        file="x.toml",
        cases=tuple(draw(st.lists(cases, min_size=1, max_size=3, unique_by=lambda c: c.id))),
    )


@settings(deadline=None, max_examples=60)
@given(eval_sets())
def test_a_set_that_was_written_reads_as_itself(eval_set: EvalSet) -> None:
    text = dump(eval_set)
    again = parse(text, file="x.toml")

    assert without_lines(again) == without_lines(eval_set)
    assert parse(dump(again), file="x.toml") == again
    assert "\r" not in text


@settings(deadline=None)
@given(FILLED)
def test_any_text_survives_as_a_prompt(prompt: str) -> None:
    case = Case(
        id="a", eval_set="s", name="a", prompt=prompt, expectations=Expectations(test_file="t")
    )

    written = dump(EvalSet(id="s", name="s", cases=(case,)))

    assert parse(written, file="").cases[0].prompt == prompt


@pytest.mark.parametrize(("key", "other"), [("edition", "2018"), ("protocol", Protocol.COMPLETION)])
def test_cases_that_differ_where_a_set_can_not_are_refused(key: str, other: str) -> None:
    first = Case(id="a", eval_set="s", name="a", prompt="p")
    second = first.model_copy(update={"id": "b", key: other})

    with pytest.raises(ValueError, match=f"the cases of eval set s have no {key} in common"):
        dump(EvalSet(id="s", name="s", cases=(first, second)))


def test_what_could_not_be_read_is_not_written() -> None:
    case = Case(id="a/b", eval_set="s", name="a", prompt="p")

    with pytest.raises(ValueError, match="id"):
        dump(EvalSet(id="s", name="s", cases=(case,)))
