"""A case of a run with its samples, a line each; and one sample in full.

A sample in full is its facts in words, its code with numbered lines, what rustc and clippy say of
it, as cargo shows it, and its tests.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from forgetest.evalset.types import Case
from forgetest.extract.types import ExtractionRule
from forgetest.grading.verdict import (
    FLAGS,
    Diagnostic,
    TestOutcome,
    TestResult,
    Verdict,
)
from forgetest.render.comparison.numbers import score
from forgetest.render.numbers import dollars, more, seconds
from forgetest.render.rounds import DIFF_STYLES, code_diff
from forgetest.render.safe import many_lines, one_line
from forgetest.render.show.run import FINE, way_of
from forgetest.report.files import PickedSample
from forgetest.report.samples import RoundReport, SampleReport
from forgetest.rust.joined import LIBRARY, sections
from forgetest.sampling.completion import Completion, Finish
from forgetest.value import count

LABEL = 8  # columns of the labels of a sample's facts
GAP = 2  # columns between the cells of a table
FOLDED = 6  # lines of a prompt that is not shown in full
SAID = 16  # lines of what was said of an answer
REPLY = 20  # lines of a reply that holds no code
BEFORE = len("sample  score  ")
ROOM = 20  # columns of a failure, at least
SHOWN = 20  # diagnostics
TEST_NAME = 200  # characters of a test's name
LINES = 1000  # of code that are shown
LINE = 400  # characters of one of them
COLOURED = 100_000  # characters of code that are worth colouring
ERROR, LINT = "error", "lint"
_HEAD = re.compile(r"^(error|warning)(\[[^\]]*\])?(?=:)")
_GUTTER = re.compile(r"^ *(?:-->|:::|\d+ *\||\||\.\.\.|=)")
_CARETS = re.compile(r"\^+|-{2,}")
_COLOURS = {"error": "red", "warning": "yellow"}
_STYLES = {ERROR: "bold red", LINT: "bold yellow"}
_CLEAN = ": nothing in the code tries to forge a result"
_RULES: Mapping[str, str] = {
    ExtractionRule.DEFINING: "the first block that defines what the case wants",
    ExtractionRule.CORRECTED: "a later block that the reply calls the right one",
    ExtractionRule.MERGED: "several blocks that together define what the case wants",
    ExtractionRule.MOST: "the block that defines the most of what the case wants",
    ExtractionRule.POSSIBLE: "a block that may define what the case wants, by a macro",
    ExtractionRule.FIRST_RUST: "the first block of Rust; none defines what the case wants",
    ExtractionRule.WHOLE: "the whole reply, which is Rust",
    ExtractionRule.TRIMMED: "the Rust in a reply without fences",
    ExtractionRule.UNWRAPPED: "the code that a wrapper held: JSON, a tool call, HTML",
    ExtractionRule.FILES: "several files, each under its path or changed by edits",
    ExtractionRule.PATCHED: "the given code with the changes that the reply makes to it",
    ExtractionRule.JOINED: "the reply, behind the prompt's own code",
    ExtractionRule.FIRST: "the first block",
    ExtractionRule.LAST: "the last block",
    ExtractionRule.ALL: "all blocks",
    ExtractionRule.NONE: "no code was taken from the reply",
}


def samples_table(samples: Sequence[PickedSample], *, width: int) -> RenderableType:
    """Return a line for each sample, under its model: number, score, outcome and failure."""
    words = max(outcome_text(picked.sample).cell_len for picked in samples)
    models = {
        name: [picked for picked in samples if picked.model == name]
        for name in dict.fromkeys(picked.model for picked in samples)
    }
    parts: list[RenderableType] = []
    for model, own in models.items():
        parts.append(Text(one_line(model), style="bold"))
        parts.append(_lines(own, words=words, room=max(ROOM, width - BEFORE - words - GAP)))
    return Group(*parts)


def _lines(samples: Sequence[PickedSample], *, words: int, room: int) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, GAP, 0, 0))
    for name in ("sample", "score"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("outcome", no_wrap=True, width=max(words, len("outcome")))
    table.add_column("failure", overflow="fold")
    for picked in samples:
        failure = Text(_failure(picked))
        failure.truncate(room, overflow="ellipsis")
        sample = picked.sample
        table.add_row(str(sample.index + 1), score(sample.score), outcome_text(sample), failure)
    return table


def _failure(picked: PickedSample) -> str:
    verdict = picked.sample.verdict
    if verdict is None:
        return one_line(picked.sample.fault or "not graded yet")
    if verdict.passed:
        return ""
    way = way_of(verdict)
    return f"{way.code}: {way.message}" if way.code else way.message


def outcome_text(sample: SampleReport) -> Text:
    """Return the one word for a sample, coloured."""
    if sample.outcome is None:
        return Text("unscored", style="yellow")
    return Text(sample.outcome, style="green" if sample.passed else "red")


def prompt_parts(case: Case | None, *, whole: bool) -> Iterator[RenderableType]:
    """Yield the prompt under its title: all of it, or its first lines."""
    yield section_rule("prompt")
    if case is None:
        yield Text("only in the run folder: a report file holds no prompts", style="dim")
        return
    yield from folded(case.prompt, None if whole else FOLDED, "see them with --sample N")


def folded(text: str, lines: int | None, how: str) -> Iterator[Text]:
    """Yield the first lines of a text, and how to see the others."""
    all_lines = many_lines(text).strip("\n").split("\n")
    yield Text("\n".join(all_lines[:lines]))
    if lines is not None and len(all_lines) > lines:
        yield Text(f"… {count(len(all_lines) - lines, 'more line')}; {how}", style="dim")


def sample_parts(picked: PickedSample, case: Case | None, *, prompt: bool) -> RenderableType:
    """Return one sample in full, with the whole prompt if that is wanted."""
    parts: list[RenderableType] = [_headline(picked), _facts(picked)]
    if prompt:
        parts.extend([Text(), *prompt_parts(case, whole=True)])
    parts.extend(_conversation(picked.sample))
    parts.extend([Text(), *_code(picked)])
    parts.extend(_verdict(picked))
    return Group(*parts)


def _headline(picked: PickedSample) -> Text:
    planned = picked.case.planned
    where = f"{picked.key} · {picked.model} · sample {picked.sample.index + 1} of {planned}"
    return Text(one_line(where, 500), style="bold")


def _facts(picked: PickedSample) -> Table:
    grid = Table.grid(padding=(0, GAP))
    grid.add_column(style="dim", width=LABEL, no_wrap=True)
    grid.add_column(overflow="fold")
    worth = f" · score {score(picked.sample.score)}" if picked.sample.score is not None else ""
    grid.add_row("outcome", Text.assemble(outcome_text(picked.sample), worth))
    before = ""
    for label, words in sample_facts(picked):
        grid.add_row("" if label == before else label, Text(one_line(words, 1000)))
        before = label
    return grid


def _conversation(sample: SampleReport) -> Iterator[RenderableType]:
    """Yield what was said and answered in each round; nothing for a sample asked once."""
    for place, answered in enumerate(sample.rounds):
        yield Text()
        yield section_rule(f"round {place + 1}: {answered.outcome or 'not graded yet'}")
        if answered.feedback is not None:
            yield from folded(answered.feedback, SAID, "see them in report.json")
            yield Text()
        yield from _differing_code(sample.rounds, place)


def _differing_code(rounds: Sequence[RoundReport], place: int) -> Iterator[RenderableType]:
    """Yield the code of a round: whole at first, then what differs from the code before."""
    answered, diff = rounds[place], code_diff(rounds, place)
    if answered.code is None:
        yield Text("no code in the reply", style="yellow")
    elif diff is None:
        verdict = answered.verdict
        files = sections(answered.code)
        for path, text in files.items():
            if len(files) > 1:
                yield Text(one_line(path), style="dim")
            yield code_table(text, marks_of(verdict.errors, verdict.lints, path) if verdict else {})
    elif not diff:
        yield Text("the same code again", style="yellow")
    else:
        for line in many_lines("\n".join(diff)).split("\n")[:LINES]:
            yield Text(line, style=DIFF_STYLES.get(line[:1], ""))


def _code(picked: PickedSample) -> Iterator[RenderableType]:
    sample, verdict = picked.sample, picked.sample.verdict
    if sample.code is not None:
        scored = f", as scored: round {sample.scored_round}" if sample.scored_round else ""
        for path, text in sections(sample.code).items():
            yield section_rule(f"{one_line(path)}{scored}")
            marks = marks_of(verdict.errors, verdict.lints, path) if verdict else {}
            yield code_table(text, marks)
    elif sample.completion is not None:
        yield section_rule("reply, without code")
        yield from folded(sample.completion.text, REPLY, "see them with --raw")


def _verdict(picked: PickedSample) -> Iterator[RenderableType]:
    verdict = picked.sample.verdict
    if verdict is None:
        return
    if errors := (*verdict.errors, *verdict.test_errors):
        yield Text()
        yield section_rule(
            count(len(errors), "error") if verdict.errors else "the tests do not build"
        )
        yield from diagnostic_parts(errors)
    if verdict.tests:
        yield Text()
        yield section_rule(tests_line(verdict.tests))
        yield tests_table(verdict.tests)
    if verdict.lints:
        yield Text()
        yield section_rule(f"clippy: {count(len(verdict.lints), 'lint')}")
        yield from diagnostic_parts(verdict.lints)


def section_rule(text: str) -> Rule:
    """Return a line across the screen that names what follows."""
    return Rule(Text(text, style="bold"), align="left", style="dim", characters="─")


def sample_facts(picked: PickedSample) -> Iterator[tuple[str, str]]:
    """Yield label and words of everything that is known besides code, diagnostics and tests."""
    sample, verdict = picked.sample, picked.sample.verdict
    if sample.fault is not None:
        kind = f"{sample.fault_kind}: " if sample.fault_kind else ""
        yield "fault", f"{kind}{sample.fault}"
    for reason in verdict.reasons if verdict else ():
        yield "why", reason
    if sample.extraction_rule:
        yield "code", extraction_words(sample.extraction_rule)
    if verdict is not None:
        yield from _trust(verdict)
    if sample.completion is not None:
        yield "reply", completion_words(sample.completion, asked=picked.model)
        for note in sample.completion.notes:
            yield "left", note
    if verdict is not None and verdict.timings:
        yield "graded", timing_words(verdict.timings)


def extraction_words(rule: str) -> str:
    """Return the rule that found the code, and what it means."""
    return f"{rule}: {_RULES[rule]}" if rule in _RULES else rule


def _trust(verdict: Verdict) -> Iterator[tuple[str, str]]:
    integrity = verdict.integrity
    reason = f": {integrity.reason}" if integrity.reason else ""
    yield "trust", f"{integrity.level}{reason or _CLEAN}"
    for flag in verdict.flags:
        yield "verdict", flag_words(flag)
    if verdict.lints_silenced:
        yield "lints", f"{verdict.lints_silenced} silenced in the code"


def flag_words(flag: str) -> str:
    """Return a flag of a verdict, and what it means."""
    return f"{flag.replace('_', ' ')}: {FLAGS[flag]}" if flag in FLAGS else flag


def completion_words(completion: Completion, *, asked: str) -> str:
    """Return tokens, latency, price and how the reply ended, as far as they are known.

    A server's own name of the model that was `asked` is named if it is another.
    """
    return " · ".join(_reply(completion, asked))


def _reply(completion: Completion, asked: str) -> Iterator[str]:
    usage = completion.usage
    if usage.output_tokens is not None:
        reasoning = f" ({usage.reasoning_tokens:,} reasoning)" if usage.reasoning_tokens else ""
        output = count(usage.output_tokens, "token")
        yield f"{output} out{reasoning}, {usage.input_tokens or 0:,} in"
    else:
        yield "no token counts"
    if completion.latency_secs is not None:
        yield seconds(completion.latency_secs)
    if completion.cost.usd is not None:
        yield dollars(completion.cost.usd)
    if completion.finish is not Finish.STOP:
        yield f"ended by {completion.finish}"
    if completion.served_model and completion.served_model not in asked:
        yield f"the server calls the model {completion.served_model}"


def timing_words(timings: Mapping[str, float]) -> str:
    """Return `277 ms: prepare 8 ms, compile 138 ms`."""
    parts = [f"{name} {seconds(secs)}" for name, secs in timings.items() if name != "total"]
    total = [seconds(timings["total"])] if "total" in timings else []
    return ": ".join([*total, ", ".join(parts)] if parts else total)


def code_table(code: str, marks: dict[int, str]) -> RenderableType:
    """Return code with line numbers; `marks` says which lines, from 1, have an error or a lint."""
    lines = highlighted(code)
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True, width=1)
    table.add_column(justify="right", no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    for number, line in enumerate(lines[:LINES], start=1):
        style = _STYLES.get(marks.get(number, ""), "")
        mark = Text(">" if style else " ", style=style)
        table.add_row(mark, Text(str(number), style=style), line)
    if len(lines) > LINES:
        rest = f"… {count(len(lines) - LINES, 'more line')}; see them with --raw"
        table.add_row("", "", Text(rest, style="dim"))
    return table


def marks_of(
    errors: Sequence[Diagnostic], lints: Sequence[Diagnostic], path: str = LIBRARY
) -> dict[int, str]:
    """Return which lines of a file of the sample have a lint or, graver, an error."""
    linted = {line: LINT for lint in lints for line in _first_line(lint, path)}
    return linted | {line: ERROR for error in errors for line in _first_line(error, path)}


def _first_line(diagnostic: Diagnostic, path: str) -> Collection[int]:
    """Return the line at which a diagnostic begins; nothing for one in another file."""
    span = diagnostic.span
    return () if span is None or span.file != path else (span.line,)


def highlighted(code: str) -> Sequence[Text]:
    """Return the lines of code, safe to show, coloured as Rust where that does not take long."""
    lines = [_cut(line) for line in many_lines(code).removesuffix("\n").split("\n")]
    text = "\n".join(lines)
    if len(text) > COLOURED or any(line.endswith("…") for line in lines):
        return [Text(line) for line in lines]
    syntax = Syntax("", "rust", theme="ansi_dark", background_color="default")
    return syntax.highlight(text).split("\n", allow_blank=True)[: len(lines)]


def _cut(line: str) -> str:
    return line if len(line) <= LINE else f"{line[: LINE - 1]}…"


def diagnostic_parts(diagnostics: Sequence[Diagnostic]) -> Iterator[RenderableType]:
    """Yield each diagnostic as its compiler rendered it; long lists end in a count."""
    for diagnostic in diagnostics[:SHOWN]:
        yield _rendered(diagnostic)
        yield Text()
    if rest := more(len(diagnostics) - SHOWN):
        yield Text(f"… {rest}", style="dim")


def _rendered(diagnostic: Diagnostic) -> Text:
    colour = _COLOURS.get(diagnostic.level, "blue")
    lines = many_lines(diagnostic.rendered or _plain(diagnostic)).rstrip().split("\n")
    return Text("\n").join(_line(line, colour) for line in lines)


def _plain(diagnostic: Diagnostic) -> str:
    """Return the two lines that stand for a diagnostic whose rendering was not kept."""
    code = f"[{diagnostic.code}]" if diagnostic.code else ""
    span = diagnostic.span
    place = f"\n --> {span.file}:{span.line}:{span.column}" if span else ""
    return f"{diagnostic.level}{code}: {diagnostic.message}{place}"


def _line(line: str, colour: str) -> Text:
    text = Text(line)
    if head := _HEAD.match(line):
        text.stylize("bold")
        text.stylize(_COLOURS[head[1]], 0, head.end())
    elif gutter := _GUTTER.match(line):
        text.stylize("bold blue", 0, gutter.end())
        if "|" in gutter[0] and not any(sign.isdigit() for sign in gutter[0]):
            for carets in _CARETS.finditer(line, gutter.end()):
                text.stylize(f"bold {colour if '^' in carets[0] else 'blue'}", *carets.span())
    return text


def tests_table(tests: Sequence[TestResult]) -> RenderableType:
    """Return a row for each test: outcome, name and time, and its message below."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_column(justify="right", no_wrap=True, style="dim")
    for test in tests:
        secs = seconds(test.secs) if test.secs else ""
        table.add_row(_test_outcome(test.outcome), Text(one_line(test.name, TEST_NAME)), secs)
        if test.message and test.outcome not in FINE:
            table.add_row("", Text(many_lines(test.message).strip(), style="dim"), "")
    return table


def _test_outcome(outcome: TestOutcome) -> Text:
    if outcome is TestOutcome.PASSED:
        return Text(outcome, style="green")
    return Text(outcome, style="yellow" if outcome in FINE else "red")


def tests_line(tests: Sequence[TestResult]) -> str:
    """Return `3 of 5 tests passed`."""
    passed = sum(test.outcome is TestOutcome.PASSED for test in tests)
    return f"{passed} of {count(len(tests), 'test')} passed"
