"""What makes two graders the same: a text that changes with anything that may change a verdict."""

import dataclasses
import functools
import hashlib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from forgetest.grading.limits import Limits
from forgetest.toolchain import Toolchain

_PACKAGE = Path(__file__).parent.parent
# The source that verdicts are made by. Hashing it is safer than a version number: no change of a
# rule is forgotten, in a checkout under work as little as in a release.
_SOURCES = (
    "grading",
    "rust",
    "sandbox",
    "process.py",
    "toolchain.py",
    "orphan.py",
    "evalset/types.py",
)
_SUFFIXES = frozenset({".py", ".rs", ".c"})
_PARSERS = ("tree-sitter", "tree-sitter-rust")


def identity_of(toolchain: Toolchain, limits: Limits, *more: str) -> str:
    """Return the grader's identity; `more` is what else decides, such as the sandbox."""
    parts = (
        toolchain.rustc_version,
        toolchain.cargo_version,
        toolchain.clippy_version,
        repr(sorted(dataclasses.asdict(limits).items())),
        grader_version(),
        *more,
    )
    return "\n".join(parts)


@functools.cache
def grader_version(package: Path = _PACKAGE, sources: tuple[str, ...] = _SOURCES) -> str:
    """Return a digest of source, the grader's own if no other is named, and of its parsers."""
    digest = hashlib.sha256()
    for name in _PARSERS:
        digest.update(f"{name} {version(name)}\0".encode())
    for path in sorted(_source_files(package, sources)):
        data = path.read_bytes()
        head = f"{path.relative_to(package).as_posix()}\0{len(data)}\0"
        digest.update(head.encode() + data)
    return digest.hexdigest()


def _source_files(package: Path, sources: tuple[str, ...]) -> Iterator[Path]:
    for name in sources:
        place = package / name
        found = place.rglob("*") if place.is_dir() else iter([place])
        yield from (path for path in found if path.suffix in _SUFFIXES and path.is_file())
