"""A comparison as GitHub markdown: verdict, changed cases, what failed; the rest is folded.

Every text that comes from a model, a server or an eval set stands in code, which GitHub searches
for neither mentions nor links; prose that holds such texts is escaped.
"""

from collections.abc import Iterator

from forgetest.compare.types import Comparison, Finding, GateResult
from forgetest.render.comparison.advice import gate_words, next_step
from forgetest.render.comparison.cases import (
    Moved,
    beyond_noise,
    case_cells,
    failure_lines,
    improved,
    regressed,
    settled,
)
from forgetest.render.comparison.fit import Listing, Section, fitted
from forgetest.render.comparison.folded import folded_sections, folding, pair_name
from forgetest.render.comparison.numbers import level
from forgetest.render.comparison.words import (
    attribution_words,
    coverage_words,
    difference_words,
    run_words,
    same_rustc,
    summary_cells,
    verdict_parts,
)
from forgetest.render.markdown import table
from forgetest.render.numbers import unscored_mark
from forgetest.render.safe import GITHUB, code, code_html, escape, fence
from forgetest.words import count

MARKER = "<!-- forgetest-compare -->"
LIMIT = 60_000  # bytes; a comment on GitHub holds 65,536 characters
ROWS = 100  # changed cases of each direction
EXCERPTS = 20  # dropped cases of which failures are told
SIGNS = {
    Finding.REGRESSED: "❌",
    Finding.IMPROVED: "✅",
    Finding.SAME: "✅",
    Finding.INCONCLUSIVE: "⚠️",
    Finding.NOT_COMPARABLE: "❓",
}
CHANGED = ["changed cases", "", "passed", "score", "change", "p", "noise"]


def comparison_markdown(comparison: Comparison, *, limit: int = LIMIT) -> str:
    """Return the comparison as markdown of at most `limit` bytes, ending in a newline.

    What does not fit is left out by sections, then by rows, from the end, and named. The head and
    the heads of the tables always stand, even where they alone are longer than that.
    """
    sections = [Section("what failed", _excerpts(comparison)), *folded_sections(comparison)]
    listings = [_models(comparison), _changed(comparison)]
    return fitted(_head(comparison), listings, sections, limit=limit)


def sign(comparison: Comparison) -> str:
    """Return the sign of the verdict; a gate that could not judge is never shown as passed."""
    stuck = {GateResult.INCOMPLETE, GateResult.INCONCLUSIVE}
    if comparison.gate.result in stuck and comparison.finding is not Finding.REGRESSED:
        return "⚠️"
    if comparison.gate.result is GateResult.NOT_COMPARABLE:
        return "❓"
    return SIGNS[comparison.finding]


def _head(comparison: Comparison) -> str:
    headline, figures = verdict_parts(comparison, GITHUB)
    lines = [MARKER, f"### {sign(comparison)} {headline}", ""]
    if figures:
        lines.extend([f"**{figures[0].upper()}{figures[1:]}.**", ""])
    step = next_step(comparison)
    lines.extend([f"**To do:** {step[0].lower()}{step[1:]}.", "", *_facts(comparison)])
    return "\n".join(lines)


def _facts(comparison: Comparison) -> Iterator[str]:
    if len(comparison.models) == 1:
        yield f"- model {pair_name(comparison.models[0])}"
    yield f"- gate: {gate_words(comparison, GITHUB)}"
    if comparison.differences:
        told = (difference_words(difference, GITHUB) for difference in comparison.differences)
        yield f"- differs: {', '.join(told)}"
    elif rustc := same_rustc(comparison):
        yield f"- nothing declared differs; rustc {code(rustc)}"
    yield f"- {_escaped_coverage(comparison)}"
    yield f"- baseline {run_words(comparison.baseline, GITHUB)}"
    yield f"- current {run_words(comparison.current, GITHUB)}"
    for model in comparison.models:
        if model.attribution:
            who = f" of {code(model.current)}" if len(comparison.models) > 1 else ""
            yield f"- whose{who}: {escape(attribution_words(model.attribution))}"
    for note in comparison.notes:
        yield f"- ⚠️ {escape(note, 500)}"


def _escaped_coverage(comparison: Comparison) -> str:
    return escape(coverage_words(comparison.coverage, len(comparison.models)))


def _models(comparison: Comparison) -> Listing:
    """Return a row per model; one model alone is told by the verdict."""
    if len(comparison.models) == 1:
        return Listing("models", "", [])
    interval = f"{level(comparison.options.alpha)} interval"
    header = ["model", "finding", "pass rate", "change", interval, "p"]
    rows = [
        [code(model.current), model.finding, *summary_cells(model)] for model in comparison.models
    ]
    return _listing("models", header, rows)


def _changed(comparison: Comparison) -> Listing:
    fell, rose = regressed(comparison), improved(comparison)
    rows = [_row(one, _dropped(one)) for one in fell[:ROWS]] + [
        _row(one, "🟢") for one in rose[:ROWS]
    ]
    several = len(comparison.models) > 1
    header = [name or "model" for name in CHANGED if name or several]
    if not several:
        rows = [[row[0], *row[2:]] for row in rows]
    hidden = max(0, len(fell) - ROWS) + max(0, len(rose) - ROWS)
    listing = _listing("changed cases", header, rows)
    return Listing(listing.name, listing.head, listing.rows, hidden)


def _listing(name: str, header: list[str], rows: list[list[str]]) -> Listing:
    if not rows:
        return Listing(name, "", [])
    lines = table(header, rows, texts=1 + header.count("model") - (name == "models")).splitlines()
    return Listing(name, "\n".join(lines[:2]), lines[2:])


def _dropped(one: Moved) -> str:
    return "🔴" if beyond_noise(one) else "🟠"


def _row(one: Moved, mark: str) -> list[str]:
    *cells, noise = case_cells(one)
    shown = f"**{noise}**" if beyond_noise(one) else "; ".join(filter(None, [noise, settled(one)]))
    return [f"{mark} {code(one.name)}", code(one.model.current), *cells, shown]


def _excerpts(comparison: Comparison) -> str:
    shown = [one for one in regressed(comparison) if one.case.current.failures]
    parts = [_excerpt(comparison, one) for one in shown[:EXCERPTS]]
    if len(shown) > EXCERPTS:
        parts.append(f"… and {count(len(shown) - EXCERPTS, 'case')} more that dropped")
    return "\n\n".join(parts)


def _excerpt(comparison: Comparison, one: Moved) -> str:
    line = "" if one.case.line is None else f":{one.case.line}"
    who = f" of {code_html(one.model.current)}" if len(comparison.models) > 1 else ""
    most = one.case.current.failures[0]
    kind = code_html(" ".join(part for part in (most.outcome, most.code) if part), 60)
    side = one.case.current
    share = f"{most.samples} of {side.n}{unscored_mark(side.n, side.planned)}"
    title = f"What failed in {code_html(one.name)}{who}: {share} {kind}"
    body = fence(failure_lines(one.case.current))
    return folding(title, f"{code(one.case.file + line)}\n\n{body}")
