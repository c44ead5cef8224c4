"""Elements of SVG and HTML, in which no text or attribute of others can leave its place.

Then what pages are made of: charts with their numbers, the templates, and the page's own style and
script with the policy that lets nothing else in.
"""

import base64
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from forgetest.render.safe import one_line

NAME_LIMIT = 120


def el(tag: str, *children: Markup | str, **attributes: str | float | None) -> Markup:
    """Return an element; `class_` is class, `_` in names is `-`, None leaves an attribute out.

    A child that is not markup is foreign text: one line, without controls, escaped.
    """
    shown = [
        Markup(' {}="{}"').format(_attribute(name), _value(value))
        for name, value in attributes.items()
        if value is not None
    ]
    inner = Markup().join(map(_child, children))
    return Markup("<{0}{1}>{2}</{0}>").format(tag, Markup().join(shown), inner)


def text(value: str, limit: int = NAME_LIMIT) -> Markup:
    """Return text of others on one line, escaped."""
    return escape(one_line(value, limit))


def broken(name: str, limit: int = NAME_LIMIT) -> Markup:
    """Return a name that may go on in the next line after each of its parts."""
    parts = re.findall(r"[^/#:]*[/#:]?", one_line(name, limit))
    return Markup("<wbr>").join(part for part in parts if part)


def link_to(*parts: str | int) -> str:
    """Return the address of a case, a model's samples of it, or one sample, within the page."""
    return "#" + "/".join(quote(str(part), safe="") for part in parts)


def _child(child: Markup | str) -> Markup:
    return child if isinstance(child, Markup) else text(child)


def _attribute(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


def _value(value: str | float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


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
    """Return an SVG element with its title and description for those who cannot see it."""
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


STYLES = ("base", "page", "tables", "charts", "samples", "print")
SCRIPTS = (
    "text",
    "rust",
    "store",
    "code",
    "sample",
    "case",
    "pair",
    "dialog",
    "filter",
    "sort",
    "main",
)


@dataclass(frozen=True, slots=True)
class Assets:
    """Style and script as they are in the page, and its Content-Security-Policy."""

    style: Markup
    script: Markup
    policy: str


def assets(*, loads_files: bool) -> Assets:
    """Return what a page needs; one that `loads_files` may let its script load others.

    The policy names style and script by their SHA-256, so that no other style or script counts
    wherever it is. Files next to the page have no hash that a browser would accept from disk:
    'strict-dynamic' lets what the page's own script adds run, and nothing else.
    """
    style, script = _joined("css", STYLES), _joined("js", SCRIPTS)
    loading = " 'strict-dynamic'" if loads_files else ""
    policy = (
        f"default-src 'none'; script-src {_hash(script)}{loading}; style-src {_hash(style)};"
        " base-uri 'none'; form-action 'none'; require-trusted-types-for 'script';"
        f" trusted-types {'forgetest' if loads_files else chr(39) + 'none' + chr(39)}"
    )
    return Assets(Markup(style), Markup(script), policy)  # noqa: S704 - files of ours


def templates() -> Environment:
    """Return the templates: every value is escaped, and one that is missing is an error."""
    environment = Environment(
        loader=PackageLoader("forgetest.render.html"),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["name"] = text
    environment.filters["broken"] = broken
    environment.globals["link_to"] = link_to
    return environment


def _joined(kind: str, names: tuple[str, ...]) -> str:
    folder = files("forgetest.render.html") / "static"
    texts = [(folder / f"{name}.{kind}").read_text(encoding="utf-8") for name in names]
    inner = "\n".join(texts)
    return f'"use strict";\n(() => {{\n{inner}}})();\n' if kind == "js" else inner


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
