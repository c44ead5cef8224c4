"""A comparison as GitHub markdown: the gate, what made it fail, and all else folded.

Every text that comes from a model, a server or an eval set is put in code, which GitHub searches
for neither mentions nor links; prose that holds such texts is escaped. A comment holds only so many
bytes: sections and rows that do not fit are left out whole, and named.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from forgetest.compare.types import (
    Comparison,
    ComparisonVerdict,
    ModelComparison,
)
from forgetest.evalset.shipped import case_place
from forgetest.render.columns import markdown_rows
from forgetest.render.comparison.cases import (
    Moved,
    beyond_noise,
    culprits,
    failure_lines,
    improved,
    moved_cells,
    regressed,
    settled,
)
from forgetest.render.comparison.folds import (
    ROWS,
    Section,
    folded_sections,
    folding,
    pair_name,
)
from forgetest.render.comparison.headline import headline, next_step
from forgetest.render.comparison.words import (
    attribution_words,
    coverage_words,
    difference_words,
    gate_words,
    model_name,
    rates,
    repeat_words,
    shows_variants,
    summary_cells,
    variant_name,
)
from forgetest.render.numbers import more
from forgetest.render.safe import GITHUB, code, escape, fence

MARKER = "<!-- forgetest-compare -->"
LIMIT = 60_000  # bytes; a comment on GitHub holds 65,536 characters
ROOM = 400  # bytes kept for the line that names what was left out
WORST = 10  # dropped cases that are shown open
MOVED = ("passed", "score", "change", "p", "noise")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where in CI a comparison was made: the commit, and the address of the run."""

    commit: str = ""
    link: str = ""


NOWHERE = Origin()


@dataclass(frozen=True, slots=True)
class ShortenedTable:
    """A table that is shortened by rows; its head is shown as long as it has any."""

    name: str
    head: str
    rows: list[str]
    hidden: int = 0  # rows that are not there from the start

    def text(self) -> str:
        """Return the table, and how many more rows there are."""
        lines = [self.head, *self.rows]
        if self.hidden:
            lines.extend(["", f"… {more(self.hidden, 'row')}; `--format json` has all"])
        return "\n".join(lines)

    def shortened(self, size: int) -> "ShortenedTable":
        """Return as many of the first rows as fit into so many bytes."""
        left, kept = size - _size(self.head), 0
        for row in self.rows:
            left -= _size(row) + 1
            if left < 0:
                break
            kept += 1
        return replace(self, rows=self.rows[:kept], hidden=self.hidden + len(self.rows) - kept)


def comparison_markdown(
    comparison: Comparison, *, origin: Origin = NOWHERE, limit: int = LIMIT
) -> str:
    """Return the comparison as markdown of at most `limit` bytes, ending in a newline.

    What does not fit is left out by sections, then by rows, from the end, and named. The head and
    the heads of the tables are always shown, even where they alone are longer than that.
    """
    worst = culprits(comparison)[:WORST]
    sections = [
        Section("what fails now", _failures(comparison, worst)),
        Section("other changed cases", _others(comparison, worst)),
        *folded_sections(comparison),
    ]
    listings = [_models(comparison), _worst(comparison, worst)]
    return fitted(_head(comparison, origin), listings, sections, limit=limit)


def _head(comparison: Comparison, origin: Origin) -> str:
    first = headline(comparison, GITHUB)
    step = next_step(comparison, GITHUB)
    lines = [
        MARKER,
        f"### {first.sign} {first.text}",
        "",
        f"**To do:** {step[0].lower()}{step[1:]}.",
        "",
        *_facts(comparison, origin),
    ]
    return "\n".join(lines)


def _facts(comparison: Comparison, origin: Origin) -> Iterator[str]:
    if len(comparison.models) == 1:
        model = comparison.models[0]
        yield f"- model: {pair_name(model)}, {rates(model)}"
    repeats = repeat_words(comparison)
    if repeats:
        yield f"- ⚠️ repeated samples: {repeats}"
    if origin.commit or origin.link:
        yield f"- {_origin_words(origin)}"
    yield f"- gate: {gate_words(comparison, GITHUB)}"
    yield f"- cases: {coverage_words(comparison.coverage, len(comparison.models), GITHUB)}"
    if comparison.differences:
        words = (difference_words(difference, GITHUB) for difference in comparison.differences)
        yield f"- differs: {', '.join(words)}"
    for model in comparison.models:
        if model.attribution:
            who = f" of {code(model.current)}" if len(comparison.models) > 1 else ""
            yield f"- cause{who}: {escape(attribution_words(model.attribution))}"
    for note in comparison.notes:
        yield f"- ⚠️ {escape(note, 500)}"


def _origin_words(origin: Origin) -> str:
    """Return the commit, which GitHub links, and the link to the run."""
    commit = f"commit: {origin.commit}" if origin.commit else ""
    run = f"[run]({origin.link})" if origin.link else ""
    return ", ".join(filter(None, (commit, run)))


def _models(comparison: Comparison) -> ShortenedTable:
    """Return a row per model; one model alone is told by the head."""
    if len(comparison.models) == 1:
        return ShortenedTable("models", "", [])
    rows = [
        [*_who(comparison, model), _finding(model.finding), *summary_cells(model)]
        for model in comparison.models
    ]
    header = [*_who_header(comparison), "finding", "pass rate", "change", "p"]
    return _listing("models", header, rows)


def _who_header(comparison: Comparison) -> list[str]:
    return ["model", "variant"] if shows_variants(comparison) else ["model"]


def _who(comparison: Comparison, model: ModelComparison) -> list[str]:
    """Return the model, and its variant where not all models have the same."""
    variant = [code(variant_name(model))] if shows_variants(comparison) else []
    return [code(model_name(model)), *variant]


def _finding(verdict: ComparisonVerdict) -> str:
    return "within noise" if verdict is ComparisonVerdict.INCONCLUSIVE else str(verdict)


def _worst(comparison: Comparison, worst: Sequence[Moved]) -> ShortenedTable:
    """Return the cases that a reviewer should look at first."""
    return _cases("dropped cases", "dropped", comparison, worst)


def _cases(name: str, title: str, comparison: Comparison, cases: Sequence[Moved]) -> ShortenedTable:
    several = len(comparison.models) > 1
    header = [title, *(_who_header(comparison) if several else []), *MOVED]
    rows = [_row(comparison, moved) for moved in cases]
    return _listing(name, header, rows)


def _others(comparison: Comparison, worst: Sequence[Moved]) -> str:
    """Return every other case that moved, folded."""
    shown = {_identity(moved) for moved in worst}
    moves = (*regressed(comparison), *improved(comparison))
    rest = [moved for moved in moves if _identity(moved) not in shown]
    table = _cases("other changed cases", "changed", comparison, rest[:ROWS])
    if not rest:
        return ""
    listed = replace(table, hidden=max(0, len(rest) - ROWS))
    return folding(_title_of_others(rest, worst), listed.text())


def _identity(moved: Moved) -> tuple[int, int]:
    """Return what tells moves apart; to compare them would compare all cases of their models."""
    return id(moved.model), id(moved.case)


def _title_of_others(rest: Sequence[Moved], worst: Sequence[Moved]) -> str:
    cases = (
        f"{len(rest):,}{' more' if worst else ''} {'case' if len(rest) == 1 else 'cases'} changed"
    )
    return cases if any(map(beyond_noise, rest)) else f"{cases} within noise"


def _listing(name: str, header: list[str], rows: list[list[str]]) -> ShortenedTable:
    if not rows:
        return ShortenedTable(name, "", [])
    lines = markdown_rows(
        header,
        rows,
        texts=sum(map(header.count, ("model", "variant", "finding"))) + (name != "models"),
    ).splitlines()
    return ShortenedTable(name, "\n".join(lines[:2]), lines[2:])


def _row(comparison: Comparison, moved: Moved) -> list[str]:
    *cells, noise = moved_cells(moved)
    words = "; ".join(filter(None, [noise, settled(moved)]))
    shown = f"**{noise}**" if beyond_noise(moved) else words
    who = _who(comparison, moved.model) if len(comparison.models) > 1 else []
    return [f"{_mark(moved)} {code(moved.name)}", *who, *cells, shown]


def _mark(moved: Moved) -> str:
    if moved.case.score_delta > 0:
        return "🟢"
    return "🔴" if beyond_noise(moved) else "🟠"


def _failures(comparison: Comparison, worst: Sequence[Moved]) -> str:
    """Return how the worst cases fail now, in one fold."""
    failing = [moved for moved in worst if moved.case.current.failures]
    if not failing:
        return ""
    return folding(
        "What fails now", "\n\n".join(_failures_of(comparison, moved) for moved in failing)
    )


def _failures_of(comparison: Comparison, moved: Moved) -> str:
    case = moved.case
    who = f" of {code(moved.model.current)}" if len(comparison.models) > 1 else ""
    place = f", {code(case_place(case.file, case.line, case.key))}" if case.file else ""
    title = f"{code(moved.name)}{who}{place}"
    return f"{title}\n\n{fence(failure_lines(moved.case.current))}"


def fitted(
    head: str, tables: Sequence[ShortenedTable], sections: Sequence[Section], *, limit: int
) -> str:
    """Return head, tables and as many of the first sections as fit; then shortened tables."""
    listings = [listing for listing in tables if listing.head]
    kept = [section for section in sections if section.body]
    left: list[str] = []
    while True:
        text = _joined(head, listings, kept, left)
        if _size(text) <= limit or not kept:
            break
        left.insert(0, kept.pop().name)
    if _size(text) > limit:
        text = _joined(head, _shorter(head, listings, limit), kept, left)
    return text


def _shorter(head: str, listings: list[ShortenedTable], limit: int) -> list[ShortenedTable]:
    size = limit - _size(head) - ROOM
    short = []
    for index, listing in enumerate(listings):
        heads = sum(_size(other.head) + ROOM // 4 for other in listings[index + 1 :])
        short.append(listing.shortened(max(0, size - heads)))
        size -= _size(short[-1].text()) + 2
    return short


def _joined(head: str, tables: list[ShortenedTable], kept: list[Section], left: list[str]) -> str:
    parts = [head, *(listing.text() for listing in tables), *(section.body for section in kept)]
    if left:
        parts.append(f"Left out to keep this short: {', '.join(left)}. `--format json` has all.")
    return "\n\n".join(parts) + "\n"


def _size(text: str) -> int:
    return len(text.encode())
