"""One sample's folder on disk: its crate, its own target folder, room for temporary files.

A workspace is built on a prepared set of dependencies. Its `Recipe` is the call by which cargo
compiles a package of that set, read from `cargo build -vv` and repeated without cargo. What a
package's own place and profile decide is left out and set anew for each sample; the rest, such as
`--check-cfg`, `--extern` and the package's variables, makes a direct call agree with cargo's.
"""

import itertools
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from forgetest.errors import ToolchainError
from forgetest.grading.crate import Crate
from forgetest.grading.packages import HARNESS_CRATE
from forgetest.rust.scan import Scan
from forgetest.system.toolchain import Toolchain
from forgetest.value import Value

_RUNNING = "Running `"
# Warnings of a crate that was built meanwhile may follow a call: "warning: `rand` (lib) ...".
_END = re.compile(r"`\s*(?:\Z|\n(?=warning: ))")
# cargo begins each line of its own with a right-aligned word.
_NEXT_STEP = re.compile(r"^ +(?=[A-Z][a-z]+ )", re.MULTILINE)
_PRIMARY = "CARGO_PRIMARY_PACKAGE=1"
# Set anew for every sample. Each takes its value from the next word.
_DROPPED = frozenset({"--crate-name", "--crate-type", "--emit", "--out-dir"})
_DROPPED_PREFIXES = ("--error-format=", "--json=", "--edition=", "--emit=", "--crate-type=")
_DROPPED_CODEGEN = ("metadata=", "extra-filename=", "incremental=", "debuginfo=", "strip=")
_TARGET = "{target}"
_OWN_PLACES = ("CARGO_MANIFEST_DIR", "CARGO_MANIFEST_PATH", "LD_LIBRARY_PATH", "OUT_DIR")


class Recipe(Value):
    """The part of cargo's call that is the same for every sample of a set of dependencies."""

    args: tuple[str, ...]
    env: tuple[tuple[str, str], ...]
    link_args: tuple[str, ...] = ()  # of programs; see `linking`

    @classmethod
    def read(cls, stderr: str, crate: str, *, target: Path) -> Self:
        """Return the recipe of the library `crate` from what `cargo build -vv` prints.

        Dependencies, found below `target` by then, are named relative to it. Raises
        `ToolchainError` when cargo shows no such call.
        """
        for words in _calls(stderr, crate):
            if _PRIMARY in words and _named(words, crate):
                env, argv = _split(words)
                return cls(args=tuple(_kept(argv, target)), env=tuple(_of_package(env)))
        raise ToolchainError(f"cargo build -vv does not show how cargo compiles {crate}")

    def args_at(self, target: Path) -> list[str]:
        """Return the arguments with the dependencies where they now lie."""
        return [arg.replace(_TARGET, str(target)) for arg in self.args]


def _calls(stderr: str, crate: str) -> Iterator[list[str]]:
    """Yield the words of each call that names `crate`; a quoted value may have several lines."""
    for part in _NEXT_STEP.split(stderr):
        if part.startswith(_RUNNING) and f"--crate-name {crate} " in part:
            yield shlex.split(_END.split(part.removeprefix(_RUNNING).strip(), maxsplit=1)[0])


def _named(words: list[str], crate: str) -> bool:
    return any(pair == ("--crate-name", crate) for pair in itertools.pairwise(words))


def _split(words: list[str]) -> tuple[list[str], list[str]]:
    """Return the variables and the arguments behind the compiler's name."""
    first = words.index("--crate-name")
    env = [word for word in words[:first] if "=" in word]
    return env, words[first:]


def _kept(argv: list[str], target: Path) -> Iterator[str]:
    words = iter(argv)
    for word in words:
        if word in _DROPPED:
            next(words)
        elif word in ("-C", "-L", "--cfg", "--check-cfg", "--extern"):
            value = next(words)
            if not (word == "-C" and value.startswith(_DROPPED_CODEGEN)):
                yield from (word, _relative(value, target))
        elif not (word.startswith(_DROPPED_PREFIXES) or word.endswith(".rs")):
            yield word


def _relative(value: str, target: Path) -> str:
    """Return an argument with its folder left open; metadata becomes the library that links."""
    value = value.replace(str(target), _TARGET)
    if value.endswith(".rmeta"):
        return value.removesuffix("rmeta") + "rlib"
    return value


def _of_package(env: list[str]) -> Iterator[tuple[str, str]]:
    for variable in env:
        name, _, value = variable.partition("=")
        if name.startswith("CARGO") and name not in _OWN_PLACES:
            yield name, value


EMPTY = Scan()


@dataclass(frozen=True, slots=True)
class Prepared:
    """A set of dependencies, built: its folder, and how cargo compiles a crate that uses it."""

    folder: Path
    recipe: Recipe

    @property
    def target(self) -> Path:
        """Cargo's target folder of the set."""
        return self.folder / "target"

    @property
    def harness(self) -> Path:
        """The library that runs tests, built once for all of them."""
        return self.folder / f"lib{HARNESS_CRATE}.rlib"


@dataclass(frozen=True, slots=True)
class Workspace:
    """A crate that lies in `root`/crate, and the toolchain that builds it there."""

    root: Path
    crate: Crate
    toolchain: Toolchain
    prepared: Prepared | None = None  # None while the set itself is being made
    edition: str = "2021"
    scan: Scan = EMPTY  # of the sample

    @property
    def folder(self) -> Path:
        """The crate's root package."""
        return self.root / "crate"

    @property
    def target(self) -> Path:
        """Cargo's target folder, never shared with another sample."""
        return self.folder / "target"

    @property
    def out(self) -> Path:
        """Where the compilers put their output when they are called directly."""
        return self.root / "out"

    @property
    def fixtures(self) -> Path:
        """The case's context files alone, where its tests run."""
        return self.root / "fixtures"

    @property
    def scratch(self) -> Path:
        """Where a process may write what is not part of the crate."""
        return self.root / "scratch"

    def write(self, *, artifacts: bool = False) -> None:
        """Write the crate with its lock file, and make the other folders.

        With `artifacts` cargo finds copies of what the dependencies were built to.
        """
        self.crate.write(self.folder)
        self.crate.write_context(self.fixtures)
        self.out.mkdir()
        self.scratch.mkdir()
        if self.prepared is not None:
            shutil.copy2(self.prepared.folder / "Cargo.lock", self.folder)
        if self.prepared is not None and artifacts:
            # Times of change are kept: by them cargo knows that nothing has to be built again.
            shutil.copytree(self.prepared.target, self.target)
