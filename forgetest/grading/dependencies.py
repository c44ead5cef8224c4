"""Resolve, fetch and build each set of dependencies once, for all samples that use it.

A prepared set is a folder of the user's cache with a lock file and a target folder. A sample gets
copies of both, never the originals: its own target folder is not shared.

The compilers need what `cargo build` leaves. `cargo clippy` needs what `cargo check` leaves, too,
which costs as much again: so a second set, a copy of the first with both, is made for cargo alone.
"""

import asyncio
import hashlib
import re
import shutil
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import partial
from pathlib import Path

from forgetest.errors import CratesError, ToolchainError
from forgetest.evalset.types import Case, Dependency
from forgetest.grading.cargo import SETTINGS, build_env
from forgetest.grading.crate import build_crate
from forgetest.grading.depository import BUDGET, NAME, Depository, unfinished
from forgetest.grading.direct import direct_link_args
from forgetest.grading.limits import Limits
from forgetest.grading.packages import CASE, HARNESS_CRATE, SAMPLE
from forgetest.grading.workspace import Prepared, Recipe, Workspace
from forgetest.system.process import Exit, run
from forgetest.system.toolchain import Toolchain

FOLDER = "dependencies"  # below the cache folder
_FORMAT = b"5"  # of the files in a set; another one makes all sets anew
_COMPLAINT_KEPT = 300  # characters
# Trying again does not change these, here or elsewhere.
_FINAL = re.compile(
    r"no matching package|failed to select a version|failed to parse manifest"
    r"|invalid (?:character|feature|package|version)"
)
_NO_CRATE = re.compile(
    r"no matching package named `(?P<name>[^`]+)` found"
    r"|searched package name: `(?P<searched>[^`]+)`\n(?:perhaps you meant: +(?P<meant>[\w-]+))?"
)
_NO_VERSION = re.compile(
    r"failed to select a version for the requirement `(\S+) = \"([^\"]+)\"(?: \([^)]*\))?`\n"
    r"candidate versions found which didn't match: (.+)"
)
_NO_FEATURE = re.compile(
    r"package `(?:case|sample)` depends on `(?P<crate>[^`]+)`,?"
    r" with features?:? `(?P<feature>[^`]+)`.*\n"
    r"(?: *package `[^`]+` does have feature `(?P<meant>[^`]+)`)?"
)
_NOT_COMPILED = re.compile(r"could not compile `([^`]+)`")
# What a name of a crate that does not exist was most likely meant to be.
_COMMON = (
    *("anyhow", "async-trait", "base64", "bitflags", "bytes", "chrono", "clap", "crossbeam"),
    *("dashmap", "futures", "hashbrown", "indexmap", "itertools", "lazy_static", "libc", "log"),
    *("nom", "num-bigint", "num-traits", "once_cell", "parking_lot", "petgraph", "proptest"),
    *("quickcheck", "rand", "rayon", "regex", "semver", "serde", "serde_json", "smallvec"),
    *("thiserror", "time", "tokio", "tokio-stream", "tokio-util", "tracing", "url", "uuid"),
)
# A build may fail so on one machine and not on another.
_MACHINE = re.compile(r"No space left|Read-only file system|Cannot allocate memory|signal: \d+")
# Folders of crates, and packages of ours that the user does not know.
_FOLDERS = re.compile(
    r" (?:required by|as a dependency of) package `case [^`]*`|(?<=\s)/\S*/registry/src/[^/\s]+/"
)
_RECIPE = "recipe.json"


class Dependencies:
    """The prepared sets below `cache`; several processes may share the folder."""

    def __init__(
        self,
        toolchain: Toolchain,
        cache: Path,
        limits: Limits,
        *,
        budget: int = BUDGET,
        retry_delays: Sequence[float] = (1.0, 4.0),
    ) -> None:
        self._toolchain = toolchain
        self._sets = Depository(cache / FOLDER, budget=budget)
        self._locks: dict[tuple[Dependency, ...], str] = {}
        self._pinned: dict[tuple[Dependency, ...], bytes] = {}
        self._known: dict[tuple[tuple[Dependency, ...], bool], Prepared] = {}
        self._limits = limits
        self._retry_delays = retry_delays

    async def prepare(
        self, dependencies: Sequence[Dependency], *, for_cargo: bool = False
    ) -> Prepared:
        """Return a set, made now if it is not there yet; `for_cargo` one that cargo can lint with.

        Raises `ToolchainError` naming the crates when they cannot be fetched or do not build,
        `CratesError` when that is the crates' own fault.
        """
        wanted = tuple(dependencies)
        known = self._known.get((wanted, for_cargo))
        if known is not None and known.folder.exists():
            return known
        case = _template(wanted)
        name = self._name(case, *((b"cargo",) if for_cargo else ()))
        make = self._make_for_cargo if for_cargo else self._make
        ready = await self._sets.claim(name, partial(make, case, name))
        self._note_lock(wanted, ready)
        prepared = self._known[wanted, for_cargo] = _read(ready)
        return prepared

    def pin(self, dependencies: Sequence[Dependency], lock: bytes) -> None:
        """Resolve a set as this lock file says, and not to what is newest."""
        self._pinned[tuple(dependencies)] = lock

    def _name(self, case: Case, *more: bytes) -> str:
        """Return the name of a set's folder: an own one where its lock differs from the pinned."""
        lock = self._pinned.get(case.dependencies)
        own = _key(case, self._toolchain)
        if lock is None or _locked(self._sets.folder / own) == lock:
            return _key(case, self._toolchain, *more)
        return _key(case, self._toolchain, *more, lock)

    def lock_of(self, case: Case) -> str | None:
        """Return a digest of what the case's crates were resolved to, None before `prepare`."""
        return self._locks.get(case.dependencies) if case.dependencies else ""

    def lock_file(self, case: Case) -> bytes | None:
        """Return the lock file of the case's crates, None before `prepare`."""
        sets = (self._known.get((case.dependencies, for_cargo)) for for_cargo in (False, True))
        prepared = next(filter(None, sets), None)
        return None if prepared is None else (prepared.folder / "Cargo.lock").read_bytes()

    def _note_lock(self, dependencies: tuple[Dependency, ...], ready: Path) -> None:
        if dependencies not in self._locks:
            locked = (ready / "Cargo.lock").read_bytes()
            self._locks[dependencies] = hashlib.sha256(locked).hexdigest()

    async def _make(self, case: Case, name: str) -> None:
        """Build the set in a folder next to its place and move it there whole."""
        root = self._sets.folder / unfinished(name)
        workspace = Workspace(root, build_crate(case, "", token=""), self._toolchain)
        names = dependency_names(case.dependencies)
        try:
            workspace.write()
            await self._fetch(workspace, case.dependencies)
            recipe = await self._built(workspace, names)
            env = build_env(self._toolchain, workspace.scratch)
            link_args = await direct_link_args(self._toolchain, env)
            recipe = recipe.model_copy(update={"link_args": link_args})
            (workspace.folder / _RECIPE).write_text(recipe.model_dump_json())
            _keep_harness(workspace)
            await self._build(workspace, ("clean", "-p", SAMPLE, "-p", CASE), names)
            self._sets.adopt(workspace.folder, name, label=names)
        finally:
            shutil.rmtree(root, ignore_errors=True)

    async def _make_for_cargo(self, case: Case, name: str) -> None:
        """Add to a copy of the set what cargo's clippy reads of its crates."""
        prepared = await self.prepare(case.dependencies)
        root = self._sets.folder / unfinished(name)
        workspace = Workspace(root, build_crate(case, "", token=""), self._toolchain)
        names = dependency_names(case.dependencies)
        try:
            # Times of change are kept: by them cargo knows that nothing has to be built again.
            shutil.copytree(prepared.folder, workspace.folder, ignore=shutil.ignore_patterns(NAME))
            workspace.scratch.mkdir()
            await self._build(workspace, ("check", "--lib"), names)
            await self._build(workspace, ("clean", "-p", SAMPLE, "-p", CASE), names)
            self._sets.adopt(workspace.folder, name, label=f"{names}, for cargo")
        finally:
            shutil.rmtree(root, ignore_errors=True)

    async def _fetch(self, workspace: Workspace, dependencies: tuple[Dependency, ...]) -> None:
        """Lock and download; if that fails, try with the crates in cargo's own cache."""
        fetch: tuple[str, ...] = ("fetch", "--target", self._toolchain.host)
        if (lock := self._pinned.get(dependencies)) is not None:
            (workspace.folder / "Cargo.lock").write_bytes(lock)
            fetch = (*fetch, "--locked")
        for delay in (*self._retry_delays, None):
            ended = await self._cargo(workspace, fetch, dict(self._toolchain.network_env))
            if ended.code == 0:
                return
            if delay is None or _FINAL.search(_text(ended)):
                break
            await asyncio.sleep(delay)
        offline = await self._cargo(workspace, (*fetch, "--offline"), {})
        if offline.code != 0:
            raise _unfetched(_text(ended), dependency_names(dependencies))

    async def _built(self, workspace: Workspace, names: str) -> Recipe:
        """Build, and return how cargo compiled the template's own crate."""
        shown = await self._build(workspace, ("build", "--lib", "-vv"), names)
        return Recipe.read(_text(shown), SAMPLE, target=workspace.target)

    async def _build(self, workspace: Workspace, args: Sequence[str], names: str) -> Exit:
        ended = await self._cargo(workspace, (*args, "--offline", "--locked"), {})
        if ended.code != 0:
            raise _unbuilt(_text(ended), names)
        return ended

    async def _cargo(self, workspace: Workspace, args: Sequence[str], env: dict[str, str]) -> Exit:
        argv = [str(self._toolchain.cargo), *args]
        own = {"CARGO_TARGET_DIR": str(workspace.target)}
        return await run(
            argv,
            cwd=workspace.folder,
            env=build_env(self._toolchain, workspace.scratch) | own | env,
            limits=self._limits.dependencies(),
        )


def known_lock_file(
    toolchain: Toolchain, cache: Path, dependencies: tuple[Dependency, ...]
) -> bytes | None:
    """Return the lock file of a set that was prepared on this machine; None when none was."""
    return _locked(cache / FOLDER / _key(_template(dependencies), toolchain))


def _locked(folder: Path) -> bytes | None:
    try:
        return (folder / "Cargo.lock").read_bytes()
    except OSError:
        return None


def _key(case: Case, toolchain: Toolchain, *more: bytes) -> str:
    """Return a name that changes with everything that decides what is in the folder of a set."""
    files = build_crate(case, "", token="").files
    built = (toolchain.rustc_version.encode(), repr(SETTINGS).encode())
    parts = [_FORMAT, *files.values(), *built, *more]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:32]


def _template(dependencies: tuple[Dependency, ...]) -> Case:
    """Return a case that has nothing but its dependencies."""
    return Case(
        id="template",
        eval_set="template",
        name="template",
        prompt="template",
        dependencies=dependencies,
    )


def _keep_harness(workspace: Workspace) -> None:
    """Give the library that runs tests a name that does not depend on cargo's hashes."""
    name = f"lib{HARNESS_CRATE}"
    (built,) = (workspace.target / "debug" / "deps").glob(f"{name}-*.rlib")
    shutil.copy2(built, workspace.folder / f"{name}.rlib")


def _read(folder: Path) -> Prepared:
    return Prepared(folder, Recipe.model_validate_json((folder / _RECIPE).read_bytes()))


def dependency_names(dependencies: Sequence[Dependency]) -> str:
    """Return the crates of a set for a message."""
    return ", ".join(f"{crate.name} {crate.version}" for crate in dependencies) or "(none)"


def _text(ended: Exit) -> str:
    return ended.stderr.decode(errors="replace")


def _unfetched(stderr: str, names: str) -> ToolchainError:
    """Return the error for crates that cargo cannot fetch: the one at fault, and what was meant."""
    if match := _NO_CRATE.search(stderr):
        crate = match["name"] or match["searched"]
        meant = match["meant"] or next(iter(get_close_matches(crate, _COMMON, n=1)), "")
        return CratesError(f"there is no crate `{crate}`{_did_you_mean(meant)}", crate=crate)
    if match := _NO_VERSION.search(stderr):
        crate, wanted, versions = match.groups()
        message = f"crate `{crate}` has no version {wanted}; the newest are {versions}"
        return CratesError(message.removesuffix(", ..."), crate=crate)
    if match := _NO_FEATURE.search(stderr):
        crate, feature = match["crate"], match["feature"]
        message = f"crate `{crate}` has no feature `{feature}`{_did_you_mean(match['meant'] or '')}"
        return CratesError(message, crate=crate)
    blamed = CratesError if _FINAL.search(stderr) else ToolchainError
    return blamed(f"dependencies {names} cannot be fetched: {_complaint(stderr)}")


def _unbuilt(stderr: str, names: str) -> ToolchainError:
    message = f"dependencies {names} do not build: {_complaint(stderr)}"
    if _MACHINE.search(stderr):
        return ToolchainError(message)
    match = _NOT_COMPILED.search(stderr)
    return CratesError(message, crate=match[1] if match else "")


def _did_you_mean(name: str) -> str:
    return f"; did you mean `{name}`?" if name else ""


def _complaint(stderr: str) -> str:
    """Return cargo's error as one line."""
    lines = [line.strip() for line in _error_lines(stderr)]
    complaint = _FOLDERS.sub("", " ".join(lines))
    return complaint[:_COMPLAINT_KEPT] or "cargo gave no reason"


def _error_lines(stderr: str) -> Iterator[str]:
    started = False
    for line in stderr.splitlines():
        started = started or line.startswith("error")
        if started and line.strip():
            yield line
