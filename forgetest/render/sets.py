"""The shipped eval sets for the terminal: all of them, one with its cases, or one case."""

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from forgetest.evalset.shipped import local_path
from forgetest.evalset.strength import recorded_strength, strength_record
from forgetest.evalset.types import Case, Difficulty, EvalSet
from forgetest.metrics import percent
from forgetest.render.columns import NONE, Column, number_cell, terminal_table, text_cell
from forgetest.render.show.sample import highlighted, section_rule
from forgetest.value import count

TAGS = 48  # columns for the commonest tags of a set: one line of the list where there are 100
MIN_WIDTH = 12  # columns of a text that may wrap


def list_tables(eval_sets: Sequence[EvalSet], *, width: int) -> RenderableType:
    """Return one row per set: its cases by difficulty, the strength of its tests, its tags."""
    return Group(
        terminal_table(_SETS, eval_sets, width=width),
        Text(),
        Text(f"levels    {' / '.join(Difficulty)}", style="dim"),
        Text("strength  share of near misses of the solutions that the tests catch", style="dim"),
    )


def set_tables(eval_set: EvalSet, *, width: int) -> RenderableType:
    """Return one set: what it measures, how strong its tests are, and a row per case."""
    return Group(
        Text(f"{eval_set.id} {eval_set.version} · {eval_set.name}", style="bold"),
        Text(eval_set.description),
        Text(),
        *map(Text, _facts(eval_set)),
        Text(),
        terminal_table(_CASES, eval_set.cases, width=width),
    )


def case_tables(case: Case) -> RenderableType:
    """Return one case: what it measures, its prompt, files, tests and reference solution."""
    return Group(
        Text(f"{case.key} · {case.name}", style="bold"),
        Text(" · ".join(_traits(case)), style="dim"),
        Text(case.description),
        *(part for title, text, is_code in _texts(case) for part in _section(title, text, is_code)),
    )


def _levels(eval_set: EvalSet) -> Counter[Difficulty]:
    return Counter(case.difficulty for case in eval_set.cases if case.difficulty)


def _shares(eval_set: EvalSet) -> str:
    return " / ".join(str(_levels(eval_set)[level]) for level in Difficulty)


def _strength(eval_set: EvalSet) -> str:
    strength = recorded_strength(eval_set)
    return NONE if strength is None else percent(strength.share)


def _tags(eval_set: EvalSet) -> str:
    tags = [
        tag for tag, _ in Counter(tag for case in eval_set.cases for tag in case.tags).most_common()
    ]
    named = ", ".join(tags)
    shortened = (f"{', '.join(tags[:number])}, …" for number in range(len(tags), 0, -1))
    return named if len(named) <= TAGS else next(text for text in shortened if len(text) <= TAGS)


_SETS: Sequence[Column[EvalSet]] = (
    Column(title="set", cell=lambda item: text_cell(item.id), is_text=True, min_width=17),
    Column(title="cases", cell=lambda item: number_cell(len(item.cases))),
    Column(title="levels", cell=lambda item: text_cell(_shares(item))),
    Column(title="strength", cell=lambda item: text_cell(_strength(item))),
    Column(title="tags", cell=lambda item: text_cell(_tags(item)), is_text=True),
)
_CASES: Sequence[Column[Case]] = (
    Column(title="case", cell=lambda case: text_cell(case.id), is_text=True, min_width=MIN_WIDTH),
    Column(title="difficulty", cell=lambda case: text_cell(case.difficulty)),
    Column(title="tags", cell=lambda case: text_cell(", ".join(case.tags)), is_text=True),
    Column(title="title", cell=lambda case: text_cell(case.name), is_text=True),
)


def _facts(eval_set: EvalSet) -> Iterator[str]:
    levels = _levels(eval_set)
    parts = [f"{levels[level]} {level}" for level in Difficulty if levels[level]]
    yield f"{count(len(eval_set.cases), 'case')}: {', '.join(parts)}"
    strength = recorded_strength(eval_set)
    if strength is not None:
        yield (
            f"strength {percent(strength.share)}: {strength.tests:,} tests catch"
            f" {strength.killed:,} of {strength.counted:,} near misses of the reference solutions,"
            f" at least {percent(strength.lowest)} in each case (rustc {strength_record().rustc})"
        )
    yield f"file: {local_path(eval_set.file)}"


def _traits(case: Case) -> Iterator[str]:
    if case.difficulty:
        yield case.difficulty
    if case.tags:
        yield ", ".join(case.tags)
    yield f"edition {case.edition}"
    for crate in case.dependencies:
        yield f"{crate.name} {crate.version}"


def _texts(case: Case) -> Iterator[tuple[str, str, bool]]:
    """Yield what a case holds: a title, the text, and whether it is Rust."""
    yield "prompt", case.prompt, False
    for file in case.context:
        yield file.path, file.content, file.path.endswith(".rs")
    if case.expectations.test_file:
        yield "tests", case.expectations.test_file, True
    for use in case.expectations.compile_fail:
        yield f"{use.test}: rejected with {' or '.join(use.code)}", use.source, True
        yield f"{use.test}: compiles", use.compiles, True
    if case.expectations.expected_error_codes:
        codes = " or ".join(case.expectations.expected_error_codes)
        yield "right answer", f"rustc rejects it with {codes}", False
    if case.reference_solution:
        yield "reference solution", case.reference_solution, True


def _section(title: str, text: str, is_code: bool) -> Iterator[RenderableType]:
    yield Text()
    yield section_rule(title)
    if is_code:
        yield from highlighted(text)
    else:
        yield Text(text.strip("\n"))
