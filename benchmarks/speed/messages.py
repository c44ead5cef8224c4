"""Reads what the compilers and libtest print; on its own, so that no bug is shared with the grader.

The corpus is our own and does not forge these lines; a grader of hostile code may not read them.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from speed.judged import FAILED, IGNORED, PASSED, Lint, ordered

_TEST = re.compile(r"^test (\S+)(?: - should panic)? \.\.\. (ok|FAILED|ignored)", re.MULTILINE)
_WORDS = {"ok": PASSED, "FAILED": FAILED, "ignored": IGNORED}


def lints_in(lines: str, file: str) -> tuple[Lint, ...]:
    """Return clippy's lints on `file` in the JSON lines of cargo or of a compiler."""
    return ordered(lint for line in lines.splitlines() for lint in _lints(line, file))


def ended_tests(output: str, module: str) -> dict[str, str]:
    """Return what became of the tests of a module, by their names in it."""
    ended = dict(_TEST.findall(output))
    return {
        name.removeprefix(module): _WORDS[word]
        for name, word in sorted(ended.items())
        if name.startswith(module)
    }


def _lints(line: str, file: str) -> Iterator[Lint]:
    if not line.startswith("{"):
        return
    read: dict[str, Any] = json.loads(line)
    message = read["message"] if isinstance(read.get("message"), Mapping) else read
    code = (message.get("code") or {}).get("code", "")
    if not code.startswith("clippy::"):
        return
    for span in message["spans"]:
        if span["is_primary"] and span["file_name"] == file:
            yield (code, span["line_start"], span["column_start"])
            return
