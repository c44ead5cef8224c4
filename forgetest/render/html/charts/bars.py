"""How samples fail: by outcome, and by the error codes of rustc."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from forgetest.grading.verdict import Outcome
from forgetest.render.html.markup import Figure, el, hue, labels, legend, picture, said, shortened
from forgetest.render.html.models import PageModel

WIDTH, LABELS, ROW, THICK = 520.0, 150.0, 30.0, 14.0
NAMED = 22  # characters of a label
COUNT = 50.0  # room for a number after a bar
CODES = 10  # error codes drawn; the table has all
UNSCORED = "unscored"


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a bar."""

    class_: str
    name: str
    count: int


KINDS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "ok": ("passed", (Outcome.PASSED,)),
    "tests": (
        "tests failed",
        (Outcome.TESTS_FAILED, Outcome.TEST_TIMEOUT, Outcome.TEST_CRASHED, Outcome.NO_TESTS_RAN),
    ),
    "build": (
        "does not compile",
        (Outcome.COMPILE_FAILED, Outcome.COMPILE_TIMEOUT, Outcome.TEST_BUILD_FAILED),
    ),
    "rule": (
        "breaks a rule",
        (Outcome.POLICY, Outcome.TAMPERED, Outcome.REQUIREMENT_FAILED, Outcome.WRONGLY_COMPILED),
    ),
    "nothing": (
        "no code",
        (Outcome.EMPTY, Outcome.REFUSED, Outcome.TRUNCATED, Outcome.NO_CODE),
    ),
    UNSCORED: (UNSCORED, (UNSCORED,)),
}


def outcomes_of(entry: PageModel) -> dict[str, int]:
    """Return how many samples each outcome has, the unscored among them."""
    missing = entry.model.overall.samples_unscored
    return {**entry.model.outcomes, **({UNSCORED: missing} if missing else {})}


def outcomes_figure(entries: Sequence[PageModel]) -> Figure:
    """Return a bar per model whose parts are kinds of outcomes."""
    names = labels([entry.name for entry in entries], NAMED)
    bars = [(name, _kinds(outcomes_of(entry))) for name, entry in zip(names, entries, strict=True)]
    used = {part.class_ for _, parts in bars for part in parts}
    return Figure(
        key="outcomes",
        title="Outcomes",
        caption="Share of each model's samples; the table names every outcome.",
        picture=_bars("outcomes", "Outcomes by model", bars, whole=True),
        head=("model", "outcome", "samples"),
        rows=tuple(
            (entry.name, outcome, str(count))
            for entry in entries
            for outcome, count in sorted(outcomes_of(entry).items(), key=lambda item: -item[1])
        ),
        legend=tuple((f"kind-{key}", KINDS[key][0]) for key in KINDS if f"kind-{key}" in used),
    )


def codes_figure(entries: Sequence[PageModel]) -> Figure | None:
    """Return a bar per error code whose parts are models; None where rustc gave no code."""
    totals: Counter[str] = Counter()
    for entry in entries:
        totals.update(entry.model.error_codes)
    ranked = sorted(totals, key=lambda code: (-totals[code], code))
    if not ranked:
        return None
    bars = [(code, _of_models(entries, code)) for code in ranked[:CODES]]
    hidden = f"; the table has {len(ranked) - CODES} more" if len(ranked) > CODES else ""
    return Figure(
        key="codes",
        title="Errors of rustc",
        caption=f"Samples that do not compile, by error code{hidden}.",
        picture=_bars("codes", "Samples by error code", bars, whole=False),
        head=("code", *(entry.name for entry in entries)),
        rows=tuple(
            (code, *(str(entry.model.error_codes.get(code, 0)) for entry in entries))
            for code in ranked
        ),
        legend=legend([entry.name for entry in entries]),
    )


def _kinds(outcomes: Mapping[str, int]) -> list[Part]:
    parts = [
        Part(f"kind-{key}", name, sum(outcomes.get(word, 0) for word in words))
        for key, (name, words) in KINDS.items()
    ]
    return [part for part in parts if part.count]


def _of_models(entries: Sequence[PageModel], code: str) -> list[Part]:
    parts = [
        Part(hue(index), entry.name, entry.model.error_codes.get(code, 0))
        for index, entry in enumerate(entries)
    ]
    return [part for part in parts if part.count]


def _bars(key: str, title: str, bars: Sequence[tuple[str, list[Part]]], *, whole: bool) -> Markup:
    """Return horizontal bars: each as long as the others, or as long as its count."""
    totals = [sum(part.count for part in parts) for _, parts in bars]
    drawn = [
        piece
        for index, (name, parts) in enumerate(bars)
        for piece in _bar(
            name, parts, ROW * index, totals[index] if whole else max(totals), total=not whole
        )
    ]
    says = "A bar for each row; the table below has the counts."
    return picture(key, title, says, (WIDTH, ROW * len(bars)), *drawn)


def _bar(name: str, parts: list[Part], y: float, scale: int, *, total: bool) -> list[Markup]:
    room = WIDTH - LABELS - (COUNT if total else 0)
    x = LABELS
    pieces = [said(0, y + ROW / 2 + 4, shortened(name, NAMED), class_="name")]
    for part in parts:
        width = room * part.count / max(1, scale)
        title = el("title", f"{name}: {part.name} {part.count}")
        place = {"x": x, "y": y + (ROW - THICK) / 2, "width": max(1.0, width - 1), "height": THICK}
        pieces.append(el("rect", title, class_=f"bar {part.class_}", rx=2, **place))
        x += width
    if total:
        count = sum(part.count for part in parts)
        pieces.append(said(x + 8, y + ROW / 2 + 4, str(count), class_="count"))
    return pieces
