"""The terminal's view of a comparison: it fits, verdict first, and nothing in it acts."""

import io
import os

import comparisons as made
import pytest
from program import ROOT
from rich.console import Console

from forgetest.compare.types import Comparison, ComparisonVerdict
from forgetest.render.comparison.headline import headline
from forgetest.render.comparison.markdown import comparison_markdown
from forgetest.render.comparison.terminal import comparison_tables

DRAWN = ROOT / "tests" / "corpus" / "compared"
NAMES = (
    *("a_regression", "noise", "an_improvement", "no_change", "an_open_question"),
    *("an_incomplete_one", "not_comparable", "regraded", "several_models"),
)


def drawn(comparison: Comparison, width: int, *, colour: bool = False) -> str:
    system = "standard" if colour else None
    console = Console(
        file=io.StringIO(), width=width, color_system=system, force_terminal=colour, highlight=False
    )
    console.print(comparison_tables(comparison, width=width))
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def expected(name: str, shown: str) -> str:
    """Return the kept drawing; with FORGETEST_REDRAW set, keep what is shown first."""
    file = DRAWN / name
    if "FORGETEST_REDRAW" in os.environ:
        file.parent.mkdir(exist_ok=True)
        file.write_text(shown, encoding="utf-8")
    return file.read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [80, 160])
@pytest.mark.parametrize("name", ["a_regression", "several_models", "not_comparable", "regraded"])
def test_the_terminal_shows_what_is_kept(name: str, width: int) -> None:
    shown = drawn(getattr(made, name)(), width)

    assert shown == expected(f"{name}-{width}.txt", shown)


@pytest.mark.parametrize("name", ["a_regression", "several_models"])
def test_the_markdown_is_what_is_kept(name: str) -> None:
    shown = comparison_markdown(getattr(made, name)())

    assert shown == expected(f"{name}.md", shown)


@pytest.mark.parametrize("width", [80, 100, 160])
@pytest.mark.parametrize("name", [*NAMES, "hostile", "huge"])
def test_every_line_fits(name: str, width: int) -> None:
    lines = drawn(getattr(made, name)(), width).splitlines()

    assert max(map(len, lines)) <= width


@pytest.mark.parametrize("name", NAMES)
def test_the_first_word_is_the_gates(name: str) -> None:
    found = getattr(made, name)()

    assert drawn(found, 80).startswith(headline(found).word.upper())


def test_a_piped_comparison_has_no_colour_and_a_terminal_s_has() -> None:
    assert "\x1b" not in drawn(made.a_regression(), 80)
    assert "\x1b[1;31mREGRESSION" in drawn(made.a_regression(), 80, colour=True)


def test_long_lists_are_cut_with_the_number_of_what_is_not_shown() -> None:
    text = drawn(made.huge(), 100)

    assert "and 1,460 more cases that dropped; --format json has all" in text
    assert "and 460 more cases; --format json has all" in text
    assert len(text.splitlines()) < 250


def test_no_markup_and_no_control_character_of_others_acts() -> None:
    text = drawn(made.hostile("[red]x[/] [/nope] \x1b[31m \u202e y\r\n::error::z"), 80)

    assert "[red]x[/] [/nope] [31m y" in text
    assert all(line.isprintable() for line in text.splitlines())


def test_the_largest_drop_comes_first_and_rises_come_last() -> None:
    moves = {"a": (5, 4), "b": (5, 0), "c": (0, 1), "d": (0, 5), "e": (3, 3)}
    cases = [made.case(name, made.side(c), made.side(d)) for name, (c, d) in moves.items()]
    found = made.comparison(made.model(cases, threshold=ComparisonVerdict.REGRESSED))
    rows = [line.split()[:2] for line in drawn(found, 80).splitlines() if "/5 ->" in line]

    assert rows == [["-", "b"], ["-", "a"], ["+", "d"], ["+", "c"]]
