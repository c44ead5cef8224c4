"""The page's own style and script, and the policy that lets nothing else in."""

import base64
import hashlib
from dataclasses import dataclass
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from forgetest.render.html.markup import broken, link_to, text

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
    """Style and script as they stand in the page, and its Content-Security-Policy."""

    style: Markup
    script: Markup
    policy: str


def assets(*, loads_files: bool) -> Assets:
    """Return what a page needs; one that `loads_files` may let its script load others.

    The policy names style and script by their SHA-256, so that no other style or script counts
    wherever it stands. Files beside the page have no hash that a browser would accept from disk:
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
    found = Environment(
        loader=PackageLoader("forgetest.render.html"),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters["name"] = text
    found.filters["broken"] = broken
    found.globals["link_to"] = link_to
    return found


def _joined(kind: str, names: tuple[str, ...]) -> str:
    folder = files("forgetest.render.html") / "static"
    texts = [(folder / f"{name}.{kind}").read_text(encoding="utf-8") for name in names]
    inner = "\n".join(texts)
    return f'"use strict";\n(() => {{\n{inner}}})();\n' if kind == "js" else inner


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
