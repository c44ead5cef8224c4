"""Answers of several files: whichever way a file is named, and what is refused with its reason."""

import pytest
from replies import taken

from forgetest.evalset.types import Case, ContextFile
from forgetest.extract.extraction import extract
from forgetest.extract.types import Extraction, ExtractionRule, NoCodeReason
from forgetest.rust.joined import split
from forgetest.sampling.completion import Completion, Finish

LIB = "mod text;\n\npub fn one() {}\n\npub fn two() {\n    one();\n    one();\n}\n"
TEXT = "pub fn rev() {}\n"
CASE = Case(
    id="c",
    eval_set="s",
    name="c",
    prompt="p",
    answer_files=("src/lib.rs", "src/text.rs"),
    context=(ContextFile(path="src/lib.rs", content=LIB),),
)
WHOLE = f"```rust src/text.rs\n{TEXT}```\n"
EDIT = "<<<<<<< SEARCH\npub fn one() {}\n=======\npub fn one() {\n\n}\n>>>>>>> REPLACE\n"
EDITED = LIB.replace("one() {}", "one() {\n\n}")
OF_LIB = 'edit 1, of "src/lib.rs": '
WANTED = 'wanted: "src/lib.rs", "src/text.rs"'


def extracted(text: str, case: Case = CASE, finish: Finish = Finish.STOP) -> Extraction:
    return extract(Completion(text=text, finish=finish), case)


def files(text: str, case: Case = CASE) -> dict[str, str]:
    found = extracted(text, case)
    assert found.rule is ExtractionRule.FILES, found.detail
    return split(found.code or "", case.answer_files)


@pytest.mark.parametrize(
    "reply",
    [
        WHOLE,
        f'```rust title="src/text.rs"\n{TEXT}```',
        f"```rust:src/text.rs\n{TEXT}```",
        f"```rust, file=src/text.rs\n{TEXT}```",
        f"```rust {{src/text.rs}}\n{TEXT}```",
        f"```src/text.rs\n{TEXT}```",
        f"~~~rust ./src/text.rs\n{TEXT}~~~",
        f"Here it is.\n\n### `src/text.rs`\n\n```rust\n{TEXT}```\nDone.",
        f"**File: src/text.rs**\n```rust\n{TEXT}```",
        f"1. **src/text.rs** (new file):\n\n```\n{TEXT}```",
        f"src/text.rs\n```rust\n{TEXT}```",
        f"File: `src/text.rs`\n```rust\n{TEXT}```",
        f"This is all that the module `src/text.rs` needs:\n```rust\n{TEXT}```",
        f'<file path="src/text.rs">\n{TEXT}</file>',
        f'<file path="src/text.rs">\n```rust\n{TEXT}```\n</file>',
        f'<file name="src/text.rs"><![CDATA[\n{TEXT}]]></file>',
        f'<document kind="rust" path="src/text.rs">\n{TEXT}</document>',
        WHOLE.replace("\n", "\r\n"),
        f"<think>\n```rust src/nothing.rs\n```\n</think>\n{WHOLE}",
        f"{WHOLE}\nUse `src/text.rs` like this:\n\n```rust\nrev();\n```\n",
        f"{WHOLE}\n```sh\ncargo build\n```\n",
    ],
)
def test_a_block_is_the_file_that_names_it_and_given_files_stay(reply: str) -> None:
    assert files(reply) == {"src/lib.rs": LIB, "src/text.rs": TEXT}


def test_a_comment_on_the_first_line_names_the_file_and_stays() -> None:
    code = f"// src/text.rs\n{TEXT}"
    assert files(f"```rust\n{code}```")["src/text.rs"] == code


@pytest.mark.parametrize(
    "reply",
    [
        f"{WHOLE}\n```rust\nsrc/lib.rs\n{EDIT}```\n",
        f"{WHOLE}\nsrc/lib.rs\n{EDIT}",
        f"{WHOLE}\n**`src/lib.rs`**\n\n```rust\n{EDIT}```\n",
        f"{WHOLE}\n```rust src/lib.rs\n{EDIT}```\n",
        f"{WHOLE}\n{EDIT.replace('SEARCH', 'SEARCH src/lib.rs')}",
        f"src/lib.rs\n{EDIT}\n{WHOLE}".replace("\n", "\r\n"),
    ],
)
def test_an_edit_changes_the_given_file(reply: str) -> None:
    assert files(reply) == {"src/lib.rs": EDITED, "src/text.rs": TEXT}


def test_edits_of_a_file_follow_one_another() -> None:
    second = EDIT.replace("pub fn one() {}\n=", "pub fn one() {\n\n}\n=").replace(
        "pub fn one() {\n\n}\n>", "pub fn uno() {}\n>"
    )
    assert files(f"{WHOLE}\nsrc/lib.rs\n{EDIT}\nand then\n\n{second}")["src/lib.rs"] == LIB.replace(
        "fn one()", "fn uno()"
    )


def test_an_edit_without_a_search_makes_a_new_file() -> None:
    made = f"src/text.rs\n<<<<<<< SEARCH\n=======\n{TEXT}>>>>>>> REPLACE\n"
    assert files(made)["src/text.rs"] == TEXT


@pytest.mark.parametrize(
    ("reply", "detail"),
    [
        (WHOLE.replace("src/", "../src/"), f'"../src/text.rs" leaves the crate; {WANTED}'),
        (WHOLE.replace("src/", "src/../../"), f'"src/../../text.rs" leaves the crate; {WANTED}'),
        (WHOLE.replace("src/", "/src/"), f'"/src/text.rs" is an absolute path; {WANTED}'),
        (WHOLE.replace("src/", "src/more/"), f'"src/more/text.rs" is not asked for; {WANTED}'),
        (
            f"{WHOLE}\n```toml Cargo.toml\n[package]\n```\n",
            f'"Cargo.toml" belongs to cargo or to the tests; {WANTED}',
        ),
        (
            f"{WHOLE}\n```rust case/src/api.rs\nfn a() {{}}\n```\n",
            f'"case/src/api.rs" belongs to cargo or to the tests; {WANTED}',
        ),
        (WHOLE + WHOLE, '"src/text.rs" is given twice'),
        (
            f"{WHOLE}\n```rust src/lib.rs\nmod text;\n```\n\nsrc/lib.rs\n{EDIT}",
            '"src/lib.rs" is given twice: whole, and by edit 1',
        ),
        (f"```rust src/lib.rs\n{LIB}```", 'the answer lacks "src/text.rs"'),
        (f"```rust\n{TEXT}```", f"no block names its file; {WANTED}"),
        (
            "```diff src/lib.rs\n-a\n+b\n```",
            '"src/lib.rs" is given as a diff; wanted: the whole file or SEARCH/REPLACE',
        ),
        (f"{WHOLE}\n{EDIT}", f"edit 1 names no file; {WANTED}"),
        (
            f"{WHOLE}\nsrc/lib.rs\n{EDIT.replace('pub fn one() {}', '    one();')}",
            f"{OF_LIB}its SEARCH lines are in the file 2 times, and must be there once",
        ),
        (
            f"{WHOLE}\nsrc/lib.rs\n{EDIT.replace('pub fn one() {}', 'pub fn one() { }')}",
            f"{OF_LIB}its SEARCH lines are in the file nowhere, and must be there once",
        ),
        (
            f"{WHOLE}\nsrc/lib.rs\n{EDIT.replace('pub fn one() {}', '')}",
            'edit 1, of "src/lib.rs": its SEARCH is empty',
        ),
        (
            f"src/text.rs\n{EDIT}",
            'edit 1, of "src/text.rs": there is no such file to search in',
        ),
        (
            WHOLE.replace(TEXT, f"//==== file: src/lib.rs\n{TEXT}"),
            "src/text.rs holds a line that begins with `//==== file:`; remove it",
        ),
    ],
)
def test_what_cannot_be_taken_as_it_is_written_is_refused(reply: str, detail: str) -> None:
    found = extracted(reply)
    assert (found.code, found.rule, found.reason) == (
        None,
        ExtractionRule.NONE,
        NoCodeReason.NO_CODE,
    )
    assert found.detail == detail


@pytest.mark.parametrize(
    ("reply", "finish", "reason"),
    [
        ("", Finish.STOP, NoCodeReason.EMPTY),
        ("I'm sorry, but I can't help with that.", Finish.STOP, NoCodeReason.REFUSED),
        (f"```rust src/lib.rs\n{LIB}", Finish.LENGTH, NoCodeReason.TRUNCATED),
        (WHOLE, Finish.FILTERED, NoCodeReason.REFUSED),
    ],
)
def test_no_answer_at_all_has_the_reasons_of_any_case(
    reply: str, finish: Finish, reason: NoCodeReason
) -> None:
    found = extracted(reply, finish=finish)
    assert (found.code, found.reason, found.detail) == (None, reason, "")


def test_one_file_may_be_edited_or_given_as_ever() -> None:
    case = CASE.model_copy(update={"answer_files": ("src/lib.rs",)})
    assert taken(f"```rust\n{LIB}```", case).code == taken(f"```rust\n{LIB}```", CASE_ALONE).code
    assert extracted(EDIT, case).code == EDITED
    assert extracted(f"```rust\n{EDIT}```", case).rule is ExtractionRule.FILES


CASE_ALONE = CASE.model_copy(update={"answer_files": (), "context": ()})


def test_hostile_replies_are_read_in_time() -> None:
    for reply in (
        '<file path="src/text.rs">\n' * 20_000,
        "//" + "/" * 200_000,
        f"```rust\n{'/' * 200_000}\n```",
        "-" * 200_000 + "\n```rust\nfn a() {}\n```",
        "src/lib.rs\n<<<<<<< SEARCH\n" * 20_000,
    ):
        assert extracted(reply).code is None
