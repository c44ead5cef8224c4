"""The folded sections of a comparison's markdown, from evidence to how to read it."""

from collections.abc import Callable, Iterator

from forgetest.compare.types import Comparison, ModelComparison, Options
from forgetest.render.comparison.evidence import detectability_line, rests_on, test_lines
from forgetest.render.comparison.fit import Section
from forgetest.render.comparison.models import drift_rows, group_cells, rate_rows
from forgetest.render.comparison.numbers import level
from forgetest.render.comparison.usage import usage_rows
from forgetest.render.comparison.words import left_cells
from forgetest.render.markdown import table
from forgetest.render.safe import code, escape
from forgetest.words import count

ROWS = 100  # of a long list
FLIPS = 30
Part = Callable[[ModelComparison, Options], str]


def folding(title: str, body: str) -> str:
    """Return a body that opens on a click; the title is HTML."""
    return f"<details><summary>{title}</summary>\n\n{body}\n\n</details>"


def folded_sections(comparison: Comparison) -> list[Section]:
    """Return what is folded, the more important first; a section without a body is not shown."""
    told: list[tuple[str, Part]] = [
        ("Rates and evidence", _evidence),
        ("How samples fail, before and after", _drift),
        ("Verdicts that changed when graded again", _flips),
        ("Eval sets, tags and difficulties", _groups),
        ("Cost, tokens and latency", _usage),
    ]
    return [
        *(Section(title.lower(), _of_models(comparison, title, part)) for title, part in told),
        Section("left-out cases", _left_out(comparison)),
        Section("unchanged cases", _unchanged(comparison)),
        Section("how to read this", folding("How to read this", _guide(comparison.options))),
    ]


def _of_models(comparison: Comparison, title: str, part: Part) -> str:
    bodies = [(model, part(model, comparison.options)) for model in comparison.models]
    told = [(model, body) for model, body in bodies if body]
    if not told:
        return ""
    if len(comparison.models) == 1:
        return folding(title, told[0][1])
    named = (f"#### {pair_name(model)}\n\n{body}" for model, body in told)
    return folding(title, "\n\n".join(named))


def pair_name(model: ModelComparison) -> str:
    """Return a model's name, or both where they are two models."""
    if model.baseline == model.current:
        return code(model.current)
    return f"{code(model.baseline)} -> {code(model.current)}"


def _evidence(model: ModelComparison, options: Options) -> str:
    width = level(options.alpha)
    header = ["", "baseline", width, "current", width, "change", width]
    rates = table(header, [[name, *cells] for name, cells in rate_rows(model)])
    lines = [
        rests_on(model, options),
        *test_lines(model, options),
        detectability_line(model.detectability),
    ]
    return f"{rates}\n\n" + "\n".join(f"- {line}" for line in lines)


def _drift(model: ModelComparison, _: Options) -> str:
    rows = [f"- {name}: {', '.join(map(escape, words))}" for name, words in drift_rows(model)]
    sizes = (model.drift.samples_baseline, model.drift.samples_current)
    of = f"Of {sizes[0]:,} samples before and {sizes[1]:,} now:\n\n"
    return of + "\n".join(rows) if rows else ""


def _flips(model: ModelComparison, _: Options) -> str:
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
    return table(["case", "sample", "then", "now"], rows, texts=4) + _more(
        len(flips) - FLIPS, "verdict"
    )


def _groups(model: ModelComparison, options: Options) -> str:
    rows = []
    for group in model.groups[:ROWS]:
        _, *cells = group_cells(group)
        rows.append([f"{group.kind} {code(group.name)}", *map(escape, cells)])
    header = ["", "cases", "baseline", "current", "change", level(options.alpha)]
    return table(header, rows) + _more(len(model.groups) - ROWS, "group") if rows else ""


def _usage(model: ModelComparison, _: Options) -> str:
    rows = [
        [name, *(code(cell) if name == "served as" and cell else _plain(cell) for cell in cells)]
        for name, *cells in usage_rows(model.usage)
    ]
    return table(["", "baseline", "current", "change"], rows)


def _plain(cell: str) -> str:
    return cell.replace("$", "\\$").replace("<", "\\<")


def _left_out(comparison: Comparison) -> str:
    left = comparison.coverage.left_out
    if not left:
        return ""
    rows = []
    for one in left[:ROWS]:
        case, model, why = left_cells(one)
        rows.append([code(case), code(model), escape(why)])
    body = table(["case", "model", "why"], rows, texts=3) + _more(len(left) - ROWS, "case")
    return folding(f"{count(len(left), 'case')} left out", body)


def _more(rest: int, noun: str) -> str:
    return f"\n\n… and {count(rest, noun)} more; `--format json` has all" if rest > 0 else ""


def _unchanged(comparison: Comparison) -> str:
    lines = [f"- {_standing(model)}" for model in comparison.models]
    return folding("Unchanged cases", "\n".join(lines)) if lines else ""


def _standing(model: ModelComparison) -> str:
    still = [case for case in model.cases if case.change == "same"]
    always = sum(case.current.c == case.current.n for case in still)
    never = sum(case.current.c == 0 for case in still)
    return (
        f"{code(model.current)}: {len(still):,} of {count(len(model.cases), 'case')} unchanged;"
        f" {always:,} of them pass always, {never:,} never"
    )


def _guide(options: Options) -> str:
    return "\n".join(f"- {line}" for line in _guide_lines(options))


def _guide_lines(options: Options) -> Iterator[str]:
    yield "A change is current minus baseline; a negative one is a drop. Points are of 100."
    yield (
        "A case's score is the mean over its scored samples: 0.4 for compiling, 0.5 for tests, 0.1"
        " for clippy."
    )
    yield (
        f"The *threshold* rule calls a drop of a case's score by more than {options.threshold:g} a"
        " regression. It knows nothing of chance: an unchanged model often breaks it."
    )
    yield (
        "The *evidence* rule calls a regression only what chance would rarely show (*beyond"
        f" noise*), at most {100 * options.alpha:g} % of the time, had nothing changed."
    )
    yield "🔴 is a case that dropped beyond noise, 🟠 one that dropped within it, 🟢 one that rose."
    yield "n = 12 settles: at so many samples in each run, the same rates would be evidence."
    yield (
        "p is the chance of such a change or a larger one, had nothing changed. Of a case, it is"
        " one-sided; of a pass rate, two-sided."
    )
    yield (
        "The interval of a change is wider than p would have it: it asks about other cases like"
        " these, p about these very cases run again."
    )
