"""What the model is told, word for word, and what it is never told."""

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forgetest.evalset.types import Case, ContextFile, Dependency, Expectations, Protocol
from forgetest.sampling.prompt import VERSION, answer_text, fenced, render
from forgetest.sampling.variant import Variant

PLAIN = Case(id="add", eval_set="s", name="Add", prompt="Write `add`.\n")
RICH = PLAIN.model_copy(
    update={
        "edition": "2024",
        "context": (
            ContextFile(path="src/types.rs", content="pub struct A;"),
            ContextFile(path="data/notes", content="````\n"),
        ),
        "dependencies": (
            Dependency(name="tokio", version="1", features=("rt", "macros")),
            Dependency(name="serde", version=">=1, <2"),
        ),
    }
)
SYSTEM = (
    "You are an expert Rust engineer and write src/lib.rs of a library crate. "
    "Answer with one ```rust code block that holds the complete code, and nothing else."
)
CRATE = """\
The crate already has the file `src/types.rs`:

```rust
pub struct A;
```

The crate already has the file `data/notes`:

`````
````
`````

Rust edition 2024. Beside the standard library you may use: \
tokio 1 (features: rt, macros), serde >=1, <2."""


def test_a_plain_case_is_a_short_prompt() -> None:
    prompt = render(PLAIN)

    assert prompt.system == SYSTEM
    assert prompt.user == "Write `add`.\n\nRust edition 2021, standard library only."


def test_context_and_dependencies_follow_the_prompt() -> None:
    prompt = render(RICH)

    assert prompt.system == SYSTEM
    assert prompt.user == f"Write `add`.\n\n{CRATE}"


def test_code_to_go_on_from_stands_alone() -> None:
    case = RICH.model_copy(update={"protocol": Protocol.COMPLETION, "prompt": "fn f() {\n    "})

    prompt = render(case)

    assert prompt.user == "fn f() {\n    "
    assert prompt.system.startswith("You are an expert Rust engineer. Complete the Rust code")
    assert prompt.system.endswith(CRATE)


@pytest.mark.parametrize(
    ("text", "fence"),
    [
        ("", "```"),
        ("`` `` x", "```"),
        ("a ``` b", "````"),
        ("```rust\nx\n```", "````"),
        ("`````", "``````"),
    ],
)
def test_a_fence_is_longer_than_any_inside(text: str, fence: str) -> None:
    assert fenced(text, "rust") == f"{fence}rust\n{text}\n{fence}"
    assert fenced(f"{text}\n", "rust") == f"{fence}rust\n{text}\n{fence}"


@settings(deadline=None)
@given(
    prompt=st.text(min_size=1),
    content=st.text(alphabet="`~ \nab"),
    protocol=st.sampled_from(Protocol),
    secret=st.from_regex(r"SECRET[0-9]{20}", fullmatch=True),
)
def test_the_prompt_is_kept_and_nothing_hidden_is_told(
    prompt: str, content: str, protocol: Protocol, secret: str
) -> None:
    case = Case(
        id=f"id-{secret}",
        eval_set=secret,
        name=secret,
        description=secret,
        prompt=prompt,
        protocol=protocol,
        tags=(secret,),
        context=(ContextFile(path="a.rs", content=content),),
        reference_solution=secret,
        expectations=Expectations(
            test_file=secret,
            expected_functions=(secret,),
            expected_types=(secret,),
            custom_check=secret,
            expected_error_codes=(secret,),
        ),
        file=secret,
    )

    told = render(case)

    assert prompt in told.user
    assert content in told.user + told.system
    assert secret not in (told.user + told.system).replace(prompt, "")


def test_a_new_wording_is_a_new_version() -> None:
    code = RICH.model_copy(update={"protocol": Protocol.COMPLETION})
    told = "".join(render(case).model_dump_json() for case in (PLAIN, RICH, code))

    assert hashlib.sha256(told.encode()).hexdigest()[:16] == {1: "71a2984d55c73f2b"}[VERSION]


def test_a_case_of_several_files_says_which_to_hand_in_and_how() -> None:
    asked = ("src/lib.rs", "src/text.rs")
    found = render(PLAIN.model_copy(update={"answer_files": asked}))
    assert found.system == (
        "You are an expert Rust engineer and write files of a library crate. "
        "Answer with the files that are asked for, and nothing else."
    )
    assert found.user == (
        "Write `add`.\n\nRust edition 2021, standard library only.\n\n"
        "Hand in `src/lib.rs` and `src/text.rs`: one ```rust code block for each file, with the "
        "file's path on the line of the fence, such as\n\n"
        "```rust src/lib.rs\n// the complete file\n```"
    )


def test_edits_are_offered_where_the_crate_has_a_file_to_edit() -> None:
    asked = ("src/lib.rs", "src/types.rs")
    plain = render(RICH.model_copy(update={"answer_files": asked[:1]}))
    edited = render(RICH.model_copy(update={"answer_files": asked}))
    own = render(RICH.model_copy(update={"answer_files": asked}), Variant(template="{prompt}"))
    assert "SEARCH" not in plain.user
    assert edited.user.endswith(
        "\n\nsrc/types.rs\n<<<<<<< SEARCH\nthe lines to replace\n=======\nthe new lines\n"
        ">>>>>>> REPLACE"
    )
    assert own.user.endswith(edited.user[edited.user.index("Hand in") :])


def test_an_answer_of_several_files_is_a_block_for_each() -> None:
    code = "//==== file: src/lib.rs\nmod a;\n//==== file: src/a.rs\nfn a() {}\n"
    assert answer_text(code, ("src/lib.rs", "src/a.rs")) == (
        "```rust src/lib.rs\nmod a;\n```\n\n```rust src/a.rs\nfn a() {}\n```"
    )
    assert answer_text("fn a() {}", ()) == "```rust\nfn a() {}\n```"
