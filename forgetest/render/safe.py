"""Texts of models and users, made safe for a terminal line, for GitHub markdown and for HTML.

GitHub looks for mentions, references and addresses after markdown is rendered, where a backslash
is gone. So names and messages are put in code, which it leaves alone; prose that holds them is
broken by zero-width spaces at the places where it would find something.

Files as a repository names them, for tools that show its lines.
"""

import html
import os.path
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from forgetest.evalset.shipped import PACKED

ZERO_WIDTH_SPACE = "\u200b"
LIMIT = 160  # characters of a text that is shown on one line
MARKS = 2  # accents on one letter; more of them would paint over other lines
REPLACED = "\ufffd"  # replaces a character that cannot be shown
TAB = 4  # columns

_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_OLD_COMMAND = re.compile(r"##(?=\[)")  # GitHub's runner obeys it anywhere in a line
_COMMAND = re.compile(r"^([^\S\n]*):(?=:):", re.MULTILINE)  # as it looks for them in a log
_FOUND = re.compile(  # mention, reference, address, :shortcode:
    r"@|#(?=\w)|:(?=//|[\w+-]+:)|www(?=\.)|gh(?=-\d)|(?:mailto|xmpp)(?=:)", re.IGNORECASE
)
_BLOCK = re.compile(r"^(\d*)([-+=](?=[-=\s]|$)|(?<=\d)[.)](?=\s|$))")  # a list, an underline
_SPECIAL = str.maketrans(
    {
        **{sign: f"\\{sign}" for sign in "\\`*_{}[]<>|#@~&"},
        "$": "<span>$</span>",  # else two of them enclose a formula
        ZERO_WIDTH_SPACE: "&#8203;",
    }
)


def one_line(text: str, limit: int = LIMIT) -> str:
    """Return text that is safe in a terminal line: no control, bidi or invisible character."""
    printable = "".join(sign if sign.isprintable() else " " for sign in text[: 20 * limit])
    folded = " ".join("".join(_few_marks(_BLANK.sub("", printable))).split())
    folded = _OLD_COMMAND.sub("# #", folded)
    return folded if len(folded) <= limit else f"{folded[: limit - 1]}…"


def many_lines(text: str) -> str:
    """Return text of many lines, such as code, that is safe in a terminal.

    Newlines stay, and tabs as spaces; what would move the cursor, colour, turn round or hide is
    replaced, sign by sign, so that columns stay what they are.
    """
    shown = "".join(map(_shown, text.replace("\r\n", "\n")))
    lines = "".join(_few_marks(_BLANK.sub(REPLACED, shown))).split("\n")
    return _OLD_COMMAND.sub("# #", "\n".join(line.expandtabs(TAB) for line in lines))


def _shown(sign: str) -> str:
    if sign in "\n\t" or sign.isprintable():
        return sign
    return " " if unicodedata.category(sign) == "Zs" else REPLACED


@dataclass(frozen=True, slots=True)
class Marks:
    """How texts of others are written in a place: names and values, and prose that holds them."""

    name: Callable[[str], str]
    prose: Callable[[str], str]


def _few_marks(text: str) -> Iterator[str]:
    run = 0
    for sign in text:
        run = run + 1 if unicodedata.combining(sign) else 0
        if run <= MARKS:
            yield sign


def without_commands(text: str) -> str:
    """Return what is printed with no line that a workflow's runner would take for a command."""
    return _COMMAND.sub(rf"\1:{ZERO_WIDTH_SPACE}:", text)


def escape(text: str, limit: int = 20 * LIMIT) -> str:
    """Return text that markdown shows as it is, on one line, linking to and mentioning nobody."""
    broken = _FOUND.sub(rf"\g<0>{ZERO_WIDTH_SPACE}", one_line(text, limit))
    return _BLOCK.sub(r"\1\\\2", broken.translate(_SPECIAL))


def code(text: str, limit: int = LIMIT) -> str:
    """Return text as a code span, fit for a cell of a table too; a dash where there is none."""
    shown = one_line(text, limit)
    if not shown:
        return "–"
    ticks = "`" * (_longest_run(shown) + 1)
    pad = " " if "`" in (shown[0], shown[-1]) else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}".replace("|", "\\|")


def code_html(text: str, limit: int = LIMIT) -> str:
    """Return text as a code element for a line that is HTML already, such as a summary."""
    return f"<code>{html.escape(one_line(text, limit))}</code>"


def fence(lines: list[str], limit: int = LIMIT) -> str:
    """Return lines as a block of code, each cut at `limit` characters."""
    shown = [one_line(line, limit) for line in lines]
    ticks = "`" * max(3, *(_longest_run(line) + 1 for line in shown), 3)
    return "\n".join([f"{ticks}text", *shown, ticks])


def listing(text: str, language: str) -> str:
    """Return text of many lines, such as a diff, as a block of code that keeps its indentation."""
    shown = many_lines(text)
    ticks = "`" * max(3, _longest_run(shown) + 1)
    return f"{ticks}{language}\n{shown}\n{ticks}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)


PLAIN = Marks(one_line, one_line)
GITHUB = Marks(code, escape)


LONGEST = 4096  # characters of a path


@dataclass(frozen=True, slots=True)
class Paths:
    """Names files relative to `root`, the repository; relative ones are meant from `here`.

    Without either, relative names are taken as they are.
    """

    root: Path | None = None
    here: Path | None = None

    def of(self, file: str) -> str | None:
        """Return a file as the repository names it; None for one outside, or of no plain name."""
        path = file.replace("\\", "/")
        if self.root and self.here:
            whole = os.path.normpath(self.here / path)
            path = os.path.relpath(whole, os.path.normpath(self.root)).replace(os.sep, "/")
        else:
            path = os.path.normpath(path).replace(os.sep, "/")
        outside = (
            path.startswith(("../", "/"))
            or file.startswith(PACKED)
            or path in {"..", "."}
            or path[1:2] == ":"
        )
        return None if outside or one_line(path, LONGEST) != path else path
