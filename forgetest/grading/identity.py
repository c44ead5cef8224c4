"""The identity of a grader: a text that changes with anything that may change a verdict.

Cached verdicts are found by it, so a change to the sources of grading makes the grader another one,
without a version number to raise.
"""

import dataclasses
import functools
import hashlib
import os
import posixpath
import re
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from forgetest.grading.limits import Limits
from forgetest.system.toolchain import Toolchain

_PACKAGE = Path(__file__).parent.parent
# Where verdicts are made. All that these import, and what that imports, is hashed with them. That
# is safer than a version number or a list: no change of a rule is forgotten, not even in a
# checkout.
_SOURCES = ("grading", "sandbox")
_SUFFIXES = frozenset({".py", ".rs", ".c"})
_PARSERS = ("tree-sitter", "tree-sitter-rust")
# A pattern, because parsing would add a tenth of a second to every start. All our imports have this
# form; a test compares the pattern with Python's own parser.
_IMPORT = re.compile(r"^[ \t]*from forgetest\.([\w.]+) import (\([^)]*\)|.+)$", re.MULTILINE)
_INIT = "__init__.py"
_WORD = re.compile(r"\w+")


def identity_of(toolchain: Toolchain, limits: Limits, *more: str) -> str:
    """Return the grader's identity; `more` is everything else that decides, such as the sandbox."""
    parts = (
        toolchain.rustc_version,
        toolchain.cargo_version,
        toolchain.clippy_version,
        _text_of(limits),
        grader_version(),
        *more,
    )
    return "\n".join(parts)


@functools.cache
def _text_of(limits: Limits) -> str:
    """Return the limits as text; every sample whose verdict is known asks for it."""
    return repr(sorted(dataclasses.asdict(limits).items()))


@functools.cache
def grader_version(package: Path = _PACKAGE, sources: tuple[str, ...] = _SOURCES) -> str:
    """Return a digest of sources with all that they import, and of the parsers.

    Unless others are named, the sources are the grader's own.
    """
    digest = hashlib.sha256()
    for name in _PARSERS:
        digest.update(f"{name} {version(name)}\0".encode())
    for name, data in sorted(closure(package, sources).items()):
        digest.update(f"{name}\0{len(data)}\0".encode() + data)
    return digest.hexdigest()


def closure(package: Path, sources: tuple[str, ...]) -> dict[str, bytes]:
    """Return the sources below a package and all of it that they import, by path.

    A source is a file or a folder. Files other than Python, such as the harness, count with their
    folder.
    """
    present = frozenset(_files(package))
    beside: dict[str, set[str]] = {}
    for name in filter(_counts_with_folder, present):
        beside.setdefault(posixpath.dirname(name), set()).add(name)
    waiting = {name for name in present for source in sources if _lies_in(name, source)}
    content: dict[str, bytes] = {}
    while waiting:
        name = waiting.pop()
        data = content[name] = package.joinpath(name).read_bytes()
        also = set(beside.get(posixpath.dirname(name), ()))
        if name.endswith(".py"):
            also |= set(_imported(data.decode()))
        waiting |= (also & present) - content.keys()
    return content


def _files(package: Path) -> Iterator[str]:
    """Yield the paths of all sources in a package, relative to it."""
    for folder, _, names in os.walk(package):
        inner = os.path.relpath(folder, package).replace(os.sep, "/")
        for name in names:
            if posixpath.splitext(name)[1] in _SUFFIXES:
                yield posixpath.normpath(posixpath.join(inner, name))


def _lies_in(name: str, source: str) -> bool:
    return name == source or name.startswith(f"{source}/")


def _counts_with_folder(name: str) -> bool:
    """Tell whether a file counts with every module of its folder: it is executed, or read."""
    return not name.endswith(".py") or posixpath.basename(name) == _INIT


def _imported(text: str) -> Iterator[str]:
    """Yield all modules that the imports of a source may mean."""
    for module, names in _IMPORT.findall(text):
        parts = module.split(".")
        for depth in range(1, len(parts)):  # what is imported on the way
            yield "/".join((*parts[:depth], _INIT))
        place = "/".join(parts)
        for path in (place, *(f"{place}/{name}" for name in _WORD.findall(names))):
            yield from (f"{path}.py", f"{path}/{_INIT}")
