"""A diff, a patch or SEARCH and REPLACE gives the given code with its changes, where they fit."""

import difflib
import json
import tomllib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from program import ROOT
from replies import SUM, case, taken, tokens

from forgetest.evalset.types import Case, ContextFile
from forgetest.extract.types import ExtractionRule

REPAIRS = ROOT / "eval-sets" / "rust-repair.toml"
ROWS = [
    row for row in tomllib.loads(REPAIRS.read_text(encoding="utf-8"))["cases"] if row.get("context")
]


def shipped(row: dict[str, Any]) -> Case:
    said = row["expectations"]
    return case(
        row["prompt"],
        functions=said.get("expected_functions", ()),
        types=said.get("expected_types", ()),
        context=[ContextFile(**file) for file in row["context"]],
        reference=row["reference_solution"],
    )


def unified(old: str, new: str) -> str:
    lines = difflib.unified_diff(
        old.splitlines(), new.splitlines(), "a/broken.rs", "b/broken.rs", lineterm=""
    )
    return "\n".join(lines)


def git(old: str, new: str) -> str:
    return f"diff --git a/broken.rs b/broken.rs\nindex 12ab..34cd 100644\n{unified(old, new)}"


def misnumbered(old: str, new: str) -> str:
    lines = unified(old, new).split("\n")
    return "\n".join("@@ ... @@" if line.startswith("@@") else line for line in lines)


def patch(old: str, new: str) -> str:
    lines = unified(old, new).split("\n")[2:]
    body = "\n".join("@@" if line.startswith("@@") else line for line in lines)
    return f"*** Begin Patch\n*** Update File: broken.rs\n{body}\n*** End Patch"


def searches(old: str, new: str) -> str:
    """Return one SEARCH and REPLACE for each change, with enough lines to be the only place."""
    before, after = old.splitlines(), new.splitlines()
    found = []
    for group in difflib.SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(
        4
    ):
        a, b, c, d = group[0][1], group[-1][2], group[0][3], group[-1][4]
        found.append(
            "<<<<<<< SEARCH\n{}\n=======\n{}\n>>>>>>> REPLACE".format(
                "\n".join(before[a:b]), "\n".join(after[c:d])
            )
        )
    return "\n\n".join(found)


FORMS: dict[str, Callable[[str, str], str]] = {
    "unified": lambda old, new: f"```diff\n{unified(old, new)}\n```",
    "git": lambda old, new: f"```patch\n{git(old, new)}\n```\n",
    "git without a fence": git,
    "unified without a fence": lambda old, new: f"Apply this:\n\n{unified(old, new)}\n",
    "without numbers": lambda old, new: f"```diff\n{misnumbered(old, new)}\n```",
    "under the tag of rust": lambda old, new: f"```rust\n{unified(old, new)}\n```",
    "patch": lambda old, new: f"```\n{patch(old, new)}\n```",
    "patch without a fence": patch,
    "search": searches,
    "search in a fence": lambda old, new: f"broken.rs\n```rust\n{searches(old, new)}\n```",
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row["id"]))
def test_a_repair_may_be_told_as_an_edit(
    form: Callable[[str, str], str], row: dict[str, Any]
) -> None:
    broken, fixed = row["context"][0]["content"], row["reference_solution"]
    text = form(broken, fixed)
    found = taken(f"Fixed:\n\n{text}", shipped(row))
    assert (tokens(found.code), found.rule) == (tokens(fixed), ExtractionRule.PATCHED)
    crlf = taken(f"Fixed:\n\n{text}".replace("\n", "\r\n"), shipped(row))
    assert tokens(crlf.code) == tokens(fixed)
    quoted = taken(f"You have:\n```rust\n{broken}\n```\nI change it:\n\n{text}", shipped(row))
    assert tokens(quoted.code) == tokens(fixed)


LINE = st.sampled_from(
    ["    let a = 1;", "    let b = a + 1;", "", "    c(b);", "    // note", "    {", "    }"]
)


@given(
    old=st.lists(LINE, min_size=1, max_size=14),
    new=st.lists(LINE, min_size=1, max_size=14),
    form=st.sampled_from(list(FORMS.values())),
)
def test_an_edit_is_applied_exactly_or_not_at_all(
    old: list[str], new: list[str], form: Callable[[str, str], str]
) -> None:
    before = "\n".join(["pub fn sum_even() {", *old, "}"])
    after = "\n".join(["pub fn sum_even() {", *new, "}"])
    assume(before != after)
    asked = case("Mend it.", context=[ContextFile(path="broken.rs", content=before)])
    found = taken(form(before, after), asked)
    assert found.rule is not ExtractionRule.PATCHED or (found.code or "").split() == after.split()


TOOLS = (
    {"old_str": "% 2 == 1", "new_str": "% 2 == 0"},
    {"old_string": "% 2 == 1", "new_string": "% 2 == 0", "file_path": "broken.rs"},
)
BROKEN = SUM.replace("== 0", "== 1")
ASKED = case("Mend it.", context=[ContextFile(path="broken.rs", content=BROKEN)])


@pytest.mark.parametrize("arguments", TOOLS)
def test_a_call_of_an_editing_tool_is_an_edit(arguments: dict[str, str]) -> None:
    called = json.dumps({"name": "edit", "arguments": arguments})
    for text in (f"<tool_call>{called}</tool_call>", called):
        found = taken(text, ASKED)
        assert (found.code, found.rule) == (SUM, ExtractionRule.PATCHED)


@pytest.mark.parametrize(
    "text",
    [
        "```diff\n-nowhere\n+somewhere\n```",
        "```diff\n-}\n+};\n-fn none() {}\n+fn some() {}\n```",
        "<<<<<<< SEARCH\nnowhere\n=======\nhere\n>>>>>>> REPLACE",
        "<<<<<<< SEARCH\n=======\nhere\n>>>>>>> REPLACE",
        "- first\n- second\n+ third",
        "```\n+1\n```",
    ],
)
def test_an_edit_that_fits_nowhere_is_none(text: str) -> None:
    assert taken(text, ASKED).rule is not ExtractionRule.PATCHED
    assert taken(f"{text}\n\n```rust\n{SUM}\n```\n", ASKED).code == SUM


def test_an_edit_that_fits_two_places_is_none() -> None:
    test = "fn {}(n: i64) -> bool {{\n    n % 2 == 1\n}}"
    twice = "\n".join((test.format("other"), test.format("more"), SUM))
    asked = case("Mend it.", context=[ContextFile(path="b.rs", content=twice)])
    edit = "<<<<<<< SEARCH\n    n % 2 == 1\n=======\n    n % 2 == 0\n>>>>>>> REPLACE"
    assert taken(edit, asked).rule is not ExtractionRule.PATCHED
    numbered = "```diff\n@@ -5,1 +5,1 @@\n-    n % 2 == 1\n+    n % 2 == 0\n```"
    lines = twice.split("\n")
    lines[4] = "    n % 2 == 0"
    assert taken(numbered, asked).code == "\n".join(lines)


def test_a_whole_answer_comes_before_an_edit() -> None:
    edit = f"```diff\n{unified(BROKEN, BROKEN.replace('sum()', 'count()'))}\n```"
    for text in (f"{edit}\n\n```rust\n{SUM}\n```\n", f"```rust\n{SUM}\n```\n\n{edit}\n"):
        assert taken(text, ASKED).code == SUM


def test_code_of_the_prompt_can_be_edited_too() -> None:
    asked = case(f"Mend this:\n\n```rust\n{BROKEN}\n```\n")
    assert taken(f"```diff\n{unified(BROKEN, SUM)}\n```", asked).code == SUM


def test_a_diff_that_makes_a_new_file_holds_it() -> None:
    lines = "\n".join(f"+{line}" for line in SUM.split("\n"))
    text = f"```diff\n--- /dev/null\n+++ b/src/lib.rs\n@@ -0,0 +1,4 @@\n{lines}\n```\n"
    assert taken(text).code == SUM
    added = f"*** Begin Patch\n*** Add File: src/lib.rs\n{lines}\n*** End Patch"
    assert taken(added).code == SUM


def test_a_conflict_in_a_literal_is_no_edit() -> None:
    edit = "<<<<<<< SEARCH\n% 2 == 1\n=======\n% 2 == 0\n>>>>>>> REPLACE"
    code = f'const TEXT: &str = "\n{edit}\n";\n{SUM}'
    assert taken(f"```rust\n{code}\n```", ASKED).code == code
