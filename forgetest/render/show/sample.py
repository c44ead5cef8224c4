"""A case of a run, its samples a line each, and one sample in full."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from forgetest.evalset.types import Case
from forgetest.render.comparison.numbers import score
from forgetest.render.safe import many_lines, one_line
from forgetest.render.show.failures import way_of
from forgetest.render.show.said import diagnostics, tests_line, tests_table
from forgetest.render.show.source import code_table, marks_of
from forgetest.render.show.words import facts
from forgetest.report.files import Picked
from forgetest.report.types import SampleReport
from forgetest.words import count

FOLDED = 6  # lines of a prompt that is not asked for
REPLY = 20  # lines of a reply that holds no code
LABEL = 8
GAP = 2
BEFORE = len("sample  score  ")
ROOM = 20  # columns of a failure at the least


def samples_table(samples: Sequence[Picked], *, width: int) -> RenderableType:
    """Return a line a sample, under its model: number, score, what became of it, how it fails."""
    words = max(outcome(one.sample).cell_len for one in samples)
    models = {one.model: [each for each in samples if each.model == one.model] for one in samples}
    parts: list[RenderableType] = []
    for model, own in models.items():
        parts.append(Text(one_line(model), style="bold"))
        parts.append(_lines(own, words=words, room=max(ROOM, width - BEFORE - words - GAP)))
    return Group(*parts)


def _lines(samples: Sequence[Picked], *, words: int, room: int) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, GAP, 0, 0))
    for name in ("sample", "score"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("outcome", no_wrap=True, width=max(words, len("outcome")))
    table.add_column("how it fails", overflow="fold")
    for one in samples:
        failure = Text(_failure(one))
        failure.truncate(room, overflow="ellipsis")
        number, worth = str(one.sample.index + 1), score(one.sample.score)
        table.add_row(number, worth, outcome(one.sample), failure)
    return table


def _failure(one: Picked) -> str:
    verdict = one.sample.verdict
    if verdict is None:
        return one_line(one.sample.fault or "not graded yet")
    if verdict.passed:
        return ""
    way = way_of(verdict)
    return f"{way.code}: {way.message}" if way.code else way.message


def outcome(sample: SampleReport) -> Text:
    """Return the one word for a sample, coloured."""
    if sample.outcome is None:
        return Text("unscored", style="yellow")
    return Text(sample.outcome, style="green" if sample.passed else "red")


def prompt_parts(case: Case | None, *, whole: bool) -> Iterator[RenderableType]:
    """Yield the prompt, folded unless the whole is wanted, under its title."""
    yield title("prompt")
    if case is None:
        yield Text("not in a report alone: it lies in the run folder", style="dim")
        return
    yield from folded(case.prompt, None if whole else FOLDED, "--sample N shows them")


def folded(text: str, lines: int | None, how: str) -> Iterator[RenderableType]:
    """Yield the first lines of a text, and how to see the others."""
    found = many_lines(text).strip("\n").split("\n")
    yield Text("\n".join(found[:lines]))
    if lines is not None and len(found) > lines:
        yield Text(f"… {count(len(found) - lines, 'more line')}; {how}", style="dim")


def sample_parts(one: Picked, case: Case | None, *, prompt: bool) -> RenderableType:
    """Return one sample in full, with the whole prompt if that is wanted."""
    parts: list[RenderableType] = [_headline(one), _facts(one)]
    if prompt:
        parts.extend([Text(), *prompt_parts(case, whole=True)])
    parts.extend([Text(), *_code(one)])
    parts.extend(_verdict(one))
    return Group(*parts)


def _headline(one: Picked) -> Text:
    planned = one.case.planned
    where = f"{one.key} · {one.model} · sample {one.sample.index + 1} of {planned}"
    return Text(one_line(where, 500), style="bold")


def _facts(one: Picked) -> Table:
    grid = Table.grid(padding=(0, GAP))
    grid.add_column(style="dim", width=LABEL, no_wrap=True)
    grid.add_column(overflow="fold")
    worth = f" · score {score(one.sample.score)}" if one.sample.score is not None else ""
    grid.add_row("outcome", Text.assemble(outcome(one.sample), worth))
    before = ""
    for label, words in facts(one):
        grid.add_row("" if label == before else label, Text(one_line(words, 1000)))
        before = label
    return grid


def _code(one: Picked) -> Iterator[RenderableType]:
    sample, verdict = one.sample, one.sample.verdict
    if sample.code is not None:
        yield title("src/lib.rs")
        marks = marks_of(verdict.errors, verdict.lints) if verdict else {}
        yield code_table(sample.code, marks)
    elif sample.completion is not None:
        yield title("reply, without code")
        yield from folded(sample.completion.text, REPLY, "--raw shows them")


def _verdict(one: Picked) -> Iterator[RenderableType]:
    verdict = one.sample.verdict
    if verdict is None:
        return
    if said := (*verdict.errors, *verdict.test_errors):
        yield Text()
        yield title(count(len(said), "error") if verdict.errors else "the tests do not build")
        yield from diagnostics(said)
    if verdict.tests:
        yield Text()
        yield title(tests_line(verdict.tests))
        yield tests_table(verdict.tests)
    if verdict.lints:
        yield Text()
        yield title(f"clippy: {count(len(verdict.lints), 'lint')}")
        yield from diagnostics(verdict.lints)


def title(text: str) -> Rule:
    """Return a line across the screen that names what follows."""
    return Rule(Text(text, style="bold"), align="left", style="dim", characters="─")
