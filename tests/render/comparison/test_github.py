"""Workflow commands, as GitHub's runner reads them: one a line, decoded by its own rules."""

import re
from pathlib import Path

import comparisons as made
import pytest
from hypothesis import given
from nasty import NASTY

from forgetest.compare.types import Comparison
from forgetest.render.comparison.github import annotations

COMMAND = re.compile(r"^::(error|warning|notice) ([^\r\n]*?)::([^\r\n]*)$")


def read(text: str) -> list[tuple[str, dict[str, str], str]]:
    """Return kind, properties and message of each line, as the runner decodes them."""
    commands = []
    for line in text.splitlines():
        match = COMMAND.match(line)
        assert match, line
        pairs = (pair.split("=", 1) for pair in match[2].split(","))
        commands.append((match[1], {name: decoded(value) for name, value in pairs}, match[3]))
    return commands


def decoded(text: str) -> str:
    for code, sign in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        text = text.replace(code, sign)
    return text


def test_a_dropped_case_is_an_error_at_its_line() -> None:
    first, *_ = read(annotations(made.a_regression(), root=None))

    assert first[0] == "error"
    assert first[1] == {
        "file": "eval-sets/rust-basics.toml",
        "line": "12",
        "title": "rust-basics/merge-intervals dropped",
    }
    assert decoded(first[2]).splitlines()[1:3] == [
        "score 1.000 -> 0.100 (-0.900), passed 5/5 -> 0/5, p 0.004, beyond noise",
        f"4 of 5 compile_failed: E0502 {made.BORROW}",
    ]


def test_each_kind_has_its_level() -> None:
    found = read(annotations(made.a_regression(), root=None))

    assert [(kind, said["title"].split()[-1]) for kind, said, _ in found] == [
        ("error", "dropped"),
        ("error", "dropped"),
        ("warning", "changed"),
        ("warning", "removed"),
        ("notice", "rose"),
    ]


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("an_open_question", "inconclusive"),
        ("not_comparable", "not comparable"),
        ("an_incomplete_one", "incomplete"),
    ],
)
def test_what_could_not_be_judged_is_a_warning(name: str, title: str) -> None:
    found = read(annotations(getattr(made, name)(), root=None))

    assert found[0][:2] == ("warning", {"title": title})
    assert not [kind for kind, _, _ in found if kind == "error"]


def test_no_more_than_ten_of_a_kind_and_the_last_says_how_many_more() -> None:
    found = read(annotations(made.huge(), root=None))
    errors = [said for kind, said, _ in found if kind == "error"]

    assert len(errors) == 10
    assert errors[-1] == {"title": "1,491 annotations more"}
    assert len([kind for kind, _, _ in found if kind == "warning"]) == 10


def at(file: str) -> Comparison:
    one = made.broken_cases()[0].model_copy(update={"file": file})
    model = made.a_regression().models[0].model_copy(update={"cases": (one,)})
    return made.comparison(model)


@pytest.mark.parametrize(
    ("file", "root", "here", "shown"),
    [
        ("eval-sets/a.toml", None, None, "eval-sets/a.toml"),
        ("./eval-sets/../a.toml", None, None, "a.toml"),
        ("eval-sets\\a.toml", None, None, "eval-sets/a.toml"),
        ("/repo/sets/a.toml", "/repo", None, "sets/a.toml"),
        ("a.toml", "/repo", "/repo/sets", "sets/a.toml"),
        ("../a.toml", "/repo", "/repo/sets", "a.toml"),
        ("../a.toml", "/repo", None, None),
        ("/elsewhere/a.toml", "/repo", None, None),
        ("/elsewhere/a.toml", None, None, None),
        ("/repository/a.toml", "/repo", None, None),
        ("C:\\sets\\a.toml", None, None, None),
    ],
)
def test_files_are_named_from_the_root_of_the_repository(
    file: str, root: str | None, here: str | None, shown: str | None
) -> None:
    text = annotations(
        at(file), root=Path(root) if root else None, here=Path(here) if here else None
    )
    said = read(text)[0][1]

    assert said.get("file") == shown
    assert ("line" in said) == (shown is not None)


@given(NASTY)
def test_no_text_starts_a_command_or_breaks_out_of_one(text: str) -> None:
    shown = annotations(made.hostile(text), root=None)

    assert "##[" not in shown
    for _, said, _ in read(shown):
        assert set(said) <= {"file", "line", "title"}


def test_signs_that_the_runner_reads_are_encoded() -> None:
    shown = annotations(made.hostile("50%: a,b%0A"), root=None).splitlines()[0]

    assert "title=50%25%3A a%2Cb%250A/50%25%3A a%2Cb%250A dropped::" in shown
    assert "::50%25: a,b%250A%0Ascore" in shown
