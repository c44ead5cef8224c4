"""The sections of a comparison's markdown that open on a click, from the evidence to a guide."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from forgetest.compare.types import (
    CompareOptions,
    Comparison,
    ModelComparison,
)
from forgetest.render.columns import markdown_rows
from forgetest.render.comparison.numbers import level
from forgetest.render.comparison.terminal import drift_rows, group_cells, large_groups, rate_rows
from forgetest.render.comparison.words import (
    detectability_line,
    left_out_cases,
    left_out_cells,
    rests_on,
    run_words,
    same_rustc,
    test_lines,
    usage_rows,
)
from forgetest.render.numbers import more
from forgetest.render.safe import GITHUB, code, escape
from forgetest.value import count

ROWS = 100  # of a long list
FLIPS = 30  # verdicts changed by grading again
Part = Callable[[ModelComparison, CompareOptions], str]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a text that is left out whole."""

    name: str
    body: str


def folding(title: str, body: str) -> str:
    """Return a body that opens on a click; the title is HTML."""
    return f"<details><summary>{title}</summary>\n\n{body}\n\n</details>"


def folded_sections(comparison: Comparison) -> list[Section]:
    """Return what else is folded, the more important first; one without a body is not shown."""
    parts: list[tuple[str, Part]] = [
        ("Rates and evidence", _evidence),
        ("How samples fail, before and after", _drift),
        ("Verdicts that changed in regrading", _flips),
        ("Eval sets, tags and difficulties", _groups),
        ("Cost, tokens and latency", _usage),
    ]
    return [
        *(Section(title.lower(), _of_models(comparison, title, part)) for title, part in parts),
        Section("left-out cases", _left_out(comparison)),
        Section("unchanged cases", _unchanged(comparison)),
        Section("the two runs", _runs(comparison)),
        Section("how to read this", folding("How to read this", _guide(comparison.options))),
    ]


def _of_models(comparison: Comparison, title: str, part: Part) -> str:
    bodies = [(model, part(model, comparison.options)) for model in comparison.models]
    filled = [(model, body) for model, body in bodies if body]
    if not filled:
        return ""
    if len(comparison.models) == 1:
        return folding(title, filled[0][1])
    named = (f"#### {pair_name(model)}\n\n{body}" for model, body in filled)
    return folding(title, "\n\n".join(named))


def pair_name(model: ModelComparison) -> str:
    """Return a model's name, or both where they are two models."""
    if model.baseline == model.current:
        return code(model.current)
    return f"{code(model.baseline)} -> {code(model.current)}"


def _evidence(model: ModelComparison, options: CompareOptions) -> str:
    width = level(options.alpha)
    header = ["", "baseline", width, "current", width, "change", width]
    rates = markdown_rows(header, [[name, *cells] for name, cells in rate_rows(model)])
    lines = [
        rests_on(model, options),
        *test_lines(model, options),
        detectability_line(model.detectability),
    ]
    return f"{rates}\n\n" + "\n".join(f"- {line}" for line in lines)


def _drift(model: ModelComparison, _: CompareOptions) -> str:
    rows = [f"- {name}: {', '.join(map(escape, words))}" for name, words in drift_rows(model)]
    sizes = (model.drift.samples_baseline, model.drift.samples_current)
    head = f"Of {sizes[0]:,} samples before and {sizes[1]:,} now:\n\n"
    return head + "\n".join(rows) if rows else ""


def _flips(model: ModelComparison, _: CompareOptions) -> str:
    if not model.attribution or not model.attribution.flips:
        return ""
    flips = model.attribution.flips
    rows = [
        [
            code(f"{flip.eval_set}/{flip.case}"),
            str(flip.sample),
            code(flip.before),
            code(flip.after),
        ]
        for flip in flips[:FLIPS]
    ]
    return markdown_rows(["case", "sample", "then", "now"], rows, texts=4) + _more(
        len(flips) - FLIPS, "verdict"
    )


def _groups(model: ModelComparison, options: CompareOptions) -> str:
    rows = []
    groups = large_groups(model)
    for group in groups[:ROWS]:
        _, *cells = group_cells(group)
        rows.append([f"{group.kind} {code(group.name)}", *map(escape, cells)])
    header = ["", "cases", "baseline", "current", "change", level(options.alpha)]
    return markdown_rows(header, rows) + _more(len(groups) - ROWS, "group") if rows else ""


def _usage(model: ModelComparison, _: CompareOptions) -> str:
    rows = [
        [name, *(code(cell) if name == "served as" and cell else _plain(cell) for cell in cells)]
        for name, *cells in usage_rows(model.usage)
    ]
    return markdown_rows(["", "baseline", "current", "change"], rows)


def _plain(cell: str) -> str:
    return cell.replace("$", "\\$").replace("<", "\\<")


def _left_out(comparison: Comparison) -> str:
    left = left_out_cases(comparison.coverage)
    if not left:
        return ""
    rows = []
    for left_out in left[:ROWS]:
        case, model, why = left_out_cells(left_out)
        rows.append([code(case), code(model), escape(why)])
    body = markdown_rows(["case", "model", "why"], rows, texts=3) + _more(len(left) - ROWS, "case")
    return folding(f"{count(len(left), 'case')} left out", body)


def _more(rest: int, noun: str) -> str:
    return f"\n\n… {more(rest, noun)}; `--format json` has all" if rest > 0 else ""


def _unchanged(comparison: Comparison) -> str:
    lines = [f"- {_standing(model)}" for model in comparison.models]
    return folding("Unchanged cases", "\n".join(lines)) if lines else ""


def _standing(model: ModelComparison) -> str:
    still = [case for case in model.cases if case.change == "same"]
    always = sum(case.current.c == case.current.n for case in still)
    never = sum(case.current.c == 0 for case in still)
    return (
        f"{code(model.current)}: {len(still):,} of {count(len(model.cases), 'case')} unchanged;"
        f" {always:,} of them always pass, {never:,} never"
    )


def _runs(comparison: Comparison) -> str:
    lines = [
        f"- baseline: {run_words(comparison.baseline, GITHUB)}",
        f"- current: {run_words(comparison.current, GITHUB)}",
    ]
    if rustc := same_rustc(comparison):
        lines.append(f"- rustc {code(rustc)}")
    return folding("The two runs", "\n".join(lines))


def _guide(options: CompareOptions) -> str:
    return "\n".join(f"- {line}" for line in _guide_lines(options))


def _guide_lines(options: CompareOptions) -> Iterator[str]:
    yield "A change is current minus baseline: a drop is negative. Points are percentage points."
    yield (
        "A case's score is the mean over its scored samples: 0.4 for compiling, 0.5 for tests, 0.1"
        " for clippy."
    )
    yield (
        f"The *threshold* rule calls a drop of a case's score by more than {options.threshold:g} a"
        " regression. It ignores chance: an unchanged model often trips it."
    )
    yield (
        "The *evidence* rule calls a drop a regression only if it is *beyond noise*: had nothing"
        f" changed, chance would show it at most {100 * options.alpha:g} % of the time."
    )
    yield "🔴 dropped beyond noise, 🟠 dropped within noise, 🟢 rose."
    yield "n = 12 settles: with 12 samples in each run, this case's rates would be evidence."
    yield (
        "p is the chance of a change this large or larger in its direction, had nothing changed."
        f" For a pass rate, it is evidence below {options.alpha / 2:g}."
    )
    yield (
        "The interval of a change is wider than p suggests: it is about other cases like these,"
        " while p is about running these same cases again."
    )
