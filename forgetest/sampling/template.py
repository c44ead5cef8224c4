"""Templates of prompts: `{prompt}` and other names in single braces, and all of Jinja's own syntax.

Other single braces are text, because Rust is full of them. A template is run in Jinja's sandbox.
"""

import re
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Template
    from jinja2.sandbox import SandboxedEnvironment

NAMES = ("prompt", "context", "edition", "dependencies", "signatures")

_FIELD = re.compile(r"(?<![{%#])\{([A-Za-z_][A-Za-z0-9_]*)\}(?!\})")
_RAW = re.compile(r"\{%-?\s*raw\s*-?%\}.*?\{%-?\s*endraw\s*-?%\}", re.DOTALL)


def fill(template: str, values: Mapping[str, str]) -> str:
    """Return the template with its values; ValueError says what is wrong with it."""
    from jinja2 import TemplateError

    text = _in_jinja(template, values)
    try:
        return _compiled(text).render(values)
    except TemplateError as error:
        raise ValueError(_explained(str(error.message or error), values)) from None
    except (TypeError, ValueError, ArithmeticError, RecursionError) as error:
        raise ValueError(f"cannot be filled in: {error}") from None


def names_in(template: str) -> frozenset[str]:
    """Return the names that a template uses; ValueError says what is wrong with it."""
    from jinja2 import TemplateSyntaxError, meta

    try:
        tree = _environment().parse(_in_jinja(template, NAMES))
    except TemplateSyntaxError as error:
        raise ValueError(f"line {error.lineno}: {error.message}") from None
    used = meta.find_undeclared_variables(tree) - _environment().globals.keys()
    for name in sorted(used.difference(NAMES)):
        raise ValueError(_unknown(name, NAMES))
    return frozenset(used)


def _in_jinja(template: str, known: Collection[str]) -> str:
    """Return the template with `{name}` as Jinja writes it; text between `raw` tags stays."""
    parts: list[str] = []
    done = 0
    for raw in _RAW.finditer(template):
        parts += [_fields(template[done : raw.start()], known), raw.group()]
        done = raw.end()
    return "".join((*parts, _fields(template[done:], known)))


def _fields(text: str, known: Collection[str]) -> str:
    def field(match: re.Match[str]) -> str:
        if match[1] not in known:
            raise ValueError(_unknown(match[1], known))
        return f"{{{{ {match[1]} }}}}"

    return _FIELD.sub(field, text)


def _unknown(name: str, known: Collection[str]) -> str:
    close = get_close_matches(name, known, n=1)
    hint = f"did you mean {{{close[0]}}}? Or" if close else f"the names are {', '.join(known)};"
    return (
        f"a template has no {{{name}}}; {hint} write text in braces between"
        " {% raw %} and {% endraw %}"
    )


def _explained(message: str, known: Collection[str]) -> str:
    undefined = re.fullmatch(r"'(\w+)' is undefined", message)
    return _unknown(undefined[1], known) if undefined else message


@lru_cache(maxsize=64)
def _compiled(text: str) -> "Template":
    """Return a template ready to be filled in: a run fills each in for every sample."""
    return _environment().from_string(text)


@lru_cache(maxsize=1)
def _environment() -> "SandboxedEnvironment":
    from jinja2 import StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    return SandboxedEnvironment(
        undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False
    )
