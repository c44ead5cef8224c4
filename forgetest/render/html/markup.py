"""Elements of SVG and HTML, built so that no text or attribute of others can leave its place."""

import re
from urllib.parse import quote

from markupsafe import Markup, escape

from forgetest.render.safe import one_line

NAME_LIMIT = 120


def el(tag: str, *children: Markup | str, **attributes: str | float | None) -> Markup:
    """Return an element; `class_` is class, `_` in names is `-`, None leaves an attribute out.

    A child that is no markup is text of others: one line, without controls, escaped.
    """
    shown = [
        Markup(' {}="{}"').format(_attribute(name), _value(value))
        for name, value in attributes.items()
        if value is not None
    ]
    inner = Markup().join(map(_child, children))
    return Markup("<{0}{1}>{2}</{0}>").format(tag, Markup().join(shown), inner)


def text(said: str, limit: int = NAME_LIMIT) -> Markup:
    """Return text of others on one line, escaped."""
    return escape(one_line(said, limit))


def broken(said: str, limit: int = NAME_LIMIT) -> Markup:
    """Return a name that may go on in the next line after each of its parts."""
    parts = re.findall(r"[^/#:]*[/#:]?", one_line(said, limit))
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
