"""A chart as a page shows it: a picture, what it says in words, and its numbers as a table."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from forgetest.render.html.markup import el

HUES = 7  # colours of models; from there on they repeat with another dash


@dataclass(frozen=True, slots=True)
class Figure:
    """One chart; `head` and `rows` hold all of its numbers."""

    key: str  # unique on the page, a word of ours
    title: str
    caption: str
    picture: Markup
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    legend: tuple[tuple[str, str], ...] = ()  # class and name
    wide: bool = False


def picture(
    key: str, title: str, says: str, size: tuple[float, float], *children: Markup
) -> Markup:
    """Return an SVG element with its title and description for those who can not see it."""
    width, height = size
    return el(
        "svg",
        el("title", title, id=f"{key}-title"),
        el("desc", says, id=f"{key}-desc"),
        *children,
        viewBox=f"0 0 {width:g} {height:g}",
        role="img",
        aria_labelledby=f"{key}-title {key}-desc",
        class_=f"chart {key}",
    )


def hue(index: int) -> str:
    """Return the classes that colour the model in this place of the leaderboard."""
    again = index // HUES % 3
    return f"hue{index % HUES}" + (f" dash{again}" if again else "")


def legend(names: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return class and name of each model."""
    return tuple((hue(index), name) for index, name in enumerate(names))


def shortened(name: str, most: int) -> str:
    """Return a name of at most `most` characters: the middle goes, as its end tells names apart."""
    if len(name) <= most:
        return name
    head = most // 3
    return f"{name[:head]}…{name[head + 1 - most :].lstrip('./#:-_')}"


def labels(names: Sequence[str], most: int) -> list[str]:
    """Return names of at most `most` characters that differ: at need without their provider.

    Names that would still be alike have their place in the leaderboard in front.
    """
    short = [
        shortened(name if len(name) <= most else name.rpartition("/")[2], most) for name in names
    ]
    if len(set(short)) == len(set(names)):
        return short
    return [f"{rank} {shortened(name, most - 3)}" for rank, name in enumerate(names, start=1)]


def said(x: float, y: float, words: str, class_: str = "", anchor: str | None = None) -> Markup:
    """Return text in a picture."""
    return el("text", words, x=x, y=y, class_=class_ or None, text_anchor=anchor)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    """Return a straight line."""
    return el("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def path(points: Sequence[tuple[float, float]], class_: str, *, closed: bool = False) -> Markup:
    """Return a line through points, or the area that they enclose."""
    steps = "L".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return el("path", d=f"M{steps}{'Z' if closed else ''}", class_=class_)
