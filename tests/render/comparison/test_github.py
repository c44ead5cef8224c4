"""Workflow commands, as GitHub's runner reads them: one a line, decoded by its own rules."""

import re
from pathlib import Path

import comparisons as made
import pytest
from compared import compared
from compared_runs import TEN
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


def test_a_failed_gate_is_an_error_and_so_is_each_case_that_failed_it_at_its_line() -> None:
    first, second, *_ = read(annotations(made.a_regression(), root=None))

    assert first[:2] == ("error", {"title": "Regression"})
    assert decoded(first[2]).startswith("Regression: 2 of 40 cases dropped by more than 0.05\n")
    assert second[0] == "error"
    assert second[1] == {
        "file": "eval-sets/rust-basics.toml",
        "line": "12",
        "title": "rust-basics/merge-intervals dropped",
    }
    assert decoded(second[2]).splitlines()[1:3] == [
        "score 1.000 -> 0.100 (-0.900), passed 5/5 -> 0/5, p 0.004, beyond noise",
        f"4 of 5 compile_failed: E0502 {made.BORROW}",
    ]


def test_only_what_failed_the_gate_is_an_error_and_noise_is_not_annotated() -> None:
    found = read(annotations(made.a_regression(), root=None))
    by_evidence = compared(TEN, {**TEN, "set/c3": "BBBBB", "set/c4": "PPPPB"}, rule="evidence")
    told = read(annotations(by_evidence, root=None))

    assert [(kind, said["title"].split()[-1]) for kind, said, _ in found] == [
        ("error", "Regression"),
        ("error", "dropped"),
        ("error", "dropped"),
        ("notice", "changed"),
        ("notice", "removed"),
    ]
    assert [(kind, said["title"]) for kind, said, _ in told] == [
        ("error", "Regression"),
        ("error", "set/c3 dropped"),
        ("warning", "set/c4 dropped"),  # a part of the fall of all cases together
    ]


def test_a_passing_gate_annotates_nothing_that_is_within_noise() -> None:
    noise = compared(TEN, {**TEN, "set/c3": "PPPPB"}, rule="evidence")
    better = compared({**TEN, "set/c3": "BBBBB"}, TEN, rule="evidence")

    assert annotations(noise, root=None) == ""
    assert [kind for kind, _, _ in read(annotations(better, root=None))] == ["notice"]


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("an_open_question", "Inconclusive"),
        ("not_comparable", "Not comparable"),
        ("an_incomplete_one", "Incomplete"),
    ],
)
def test_a_gate_that_could_not_judge_has_failed_with_what_to_do(name: str, title: str) -> None:
    first, *_ = read(annotations(getattr(made, name)(), root=None))

    assert first[:2] == ("error", {"title": title})
    assert "\nTo do: " in decoded(first[2])


def test_without_a_gate_nothing_is_an_error() -> None:
    found = read(annotations(compared(TEN, {**TEN, "set/c3": "BBBBB"}), root=None))

    assert [(kind, said["title"]) for kind, said, _ in found] == [
        ("warning", "Regression"),
        ("warning", "set/c3 dropped"),
    ]


def test_no_more_than_ten_of_a_kind_and_the_last_says_how_many_more() -> None:
    found = read(annotations(made.huge(), root=None))
    errors = [said for kind, said, _ in found if kind == "error"]

    assert len(errors) == 10
    assert errors[-1] == {"title": "1,492 annotations more"}
    assert len([kind for kind, _, _ in found if kind == "notice"]) == 10


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
    said = read(text)[1][1]

    assert said.get("file") == shown
    assert ("line" in said) == (shown is not None)


@given(NASTY)
def test_no_text_starts_a_command_or_breaks_out_of_one(text: str) -> None:
    shown = annotations(made.hostile(text), root=None)

    assert "##[" not in shown
    for _, said, _ in read(shown):
        assert set(said) <= {"file", "line", "title"}


def test_signs_that_the_runner_reads_are_encoded() -> None:
    shown = annotations(made.hostile("50%: a,b%0A"), root=None).splitlines()[1]

    assert "title=50%25%3A a%2Cb%250A/50%25%3A a%2Cb%250A dropped::" in shown
    assert "::50%25: a,b%250A%0Ascore" in shown
