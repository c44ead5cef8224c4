"""Bubblewrap: namespaces of their own for every box, and a root that holds only what is named."""

import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from forgetest.sandbox.backends import Backend
from forgetest.sandbox.guarded import GuardedBoxes
from forgetest.sandbox.host import (
    ASK,
    Host,
    counts_processes,
    host_for,
    is_top_link,
    let_run,
    lies_in,
    outermost,
    spare_user,
    system_folders,
)
from forgetest.sandbox.plan import (
    TEST_THREADS,
    CompilerCall,
    Field,
    Launch,
    TestPlan,
    Unusable,
    scratch_fields,
)
from forgetest.sandbox.sandbox import Sandbox
from forgetest.sandbox.types import Guarantees, Held
from forgetest.system.process import MIB, run
from forgetest.system.toolchain import Toolchain

_GUARD = "/forgetest/guard"
_PROGRAM = "/forgetest/program"
_TMP = Path("/tmp")  # noqa: S108 - the box's own
_COMPILE_TMP = 256 * MIB
_TEST_TMP = 16 * MIB
_GUARD_ITSELF = 1  # it is the same user
_KNOWS_DISABLE_USERNS = (0, 8)
_INSTALL = "sudo apt-get install bubblewrap"
_SYSCTLS = {  # what some systems forbid, and the value by which they do
    "kernel/apparmor_restrict_unprivileged_userns": "1",
    "kernel/unprivileged_userns_clone": "0",
    "user/max_user_namespaces": "0",
}

# No --new-session: the command is started in a session of its own, and without a terminal. No
# --clearenv: it is started with an empty environment. Seccomp filters are the guard's.
_ALWAYS = ("--die-with-parent", "--as-pid-1", "--hostname", "sandbox")
_OWN_USER = ("--unshare-all", "--unshare-user")
_AS_ROOT = (
    *("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
    # What the guard needs to become another user; it keeps nothing of it.
    *("--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"),
    *("--cap-add", "CAP_DAC_READ_SEARCH"),  # kept: what is in the box is there to be read
)


@dataclass(frozen=True, slots=True)
class BwrapWalls:
    """Builds boxes with `program`; `hardened` where it knows --disable-userns (0.8)."""

    program: Path
    host: Host
    hardened: bool

    def compile_box(self, call: CompilerCall) -> Launch:
        """Return a box with the system's /usr, the sysroot and the given paths."""
        read = (*system_folders(), self.host.sysroot, *call.reads)
        argv = (
            *(str(self.program), *_ALWAYS, *self._own_user()),
            *("--dev", "/dev", "--proc", "/proc", *_tmpfs(_TMP, _COMPILE_TMP)),
            *_binds(read, call.writes),
            *("--ro-bind", str(self.host.guard), _GUARD),
            *("--remount-ro", "/", "--", _GUARD),
        )
        return Launch(argv, (("calls", "compile"),))

    def test_box(self, plan: TestPlan, scratch: Path) -> Launch:  # noqa: ARG002 - /tmp is its own
        """Return a box whose root is empty but for the program and what it loads."""
        user = spare_user()
        if user is not None:
            let_run(plan.program)
        read = (*self.host.libraries, *plan.reads)
        argv = (
            *(str(self.program), *_ALWAYS, *(self._own_user() if user is None else _AS_ROOT)),
            *_tmpfs(_TMP, plan.limits.file_size or _TEST_TMP),
            *_closed(read, plan.cwd),
            *("--ro-bind", str(self.host.guard), _GUARD),
            *("--ro-bind", str(plan.program), _PROGRAM),
            *("--remount-ro", "/", "--", _GUARD),
        )
        return Launch(argv, (*_test_fields(user), *scratch_fields(str(_TMP))))

    def _own_user(self) -> tuple[str, ...]:
        return (*_OWN_USER, "--disable-userns") if self.hardened else _OWN_USER


def _test_fields(user: int | None) -> Iterator[Field]:
    yield ("calls", "test")
    yield ("arg", _PROGRAM)
    yield ("processes", str(TEST_THREADS + _GUARD_ITSELF))
    if user is not None:
        yield ("uid", str(user))
        yield ("keep_search",)


def _tmpfs(place: Path, size: int) -> tuple[str, ...]:
    return ("--perms", "1777", "--size", str(size), "--tmpfs", str(place))


def _binds(reads: Sequence[Path], writes: Sequence[Path]) -> Iterator[str]:
    """Yield the mounts, parents first, so that what is inside another stays visible."""
    mounts = dict.fromkeys(reads, "--ro-bind") | dict.fromkeys(writes, "--bind")
    for path in sorted(mounts, key=lambda path: len(path.parts)):
        place = str(path)
        if is_top_link(path):
            yield from ("--symlink", str(path.readlink()), place)
        else:
            yield from (mounts[path], place, place)


def _closed(reads: Sequence[Path], cwd: Path) -> Iterator[str]:
    """Yield the mounts of a test box, none of which can be moved away by a test.

    /tmp can be written: a folder of it that holds mounts could be renamed, and another put in its
    place for the next test. So the uppermost is a mount itself, and read-only.
    """
    inside = [path for path in (*reads, cwd) if lies_in(path, _TMP)]
    tops = {_TMP / path.relative_to(_TMP).parts[0] for path in inside if path != _TMP}
    tops -= set(reads)
    for top in sorted(tops):
        yield from ("--perms", "0755", "--size", str(MIB), "--tmpfs", str(top))
    yield from _binds(outermost(reads), ())
    if not any(lies_in(cwd, path) for path in reads):
        yield from ("--dir", str(cwd))
    for top in sorted(tops):
        yield from ("--remount-ro", str(top))


async def bwrap_sandbox(toolchain: Toolchain, cache: Path) -> Sandbox:
    """Return the sandbox of the bwrap on PATH, not yet tried; `Unusable` when there is none."""
    path = shutil.which("bwrap")
    if path is None:
        raise Unusable("bwrap is not installed", _INSTALL)
    program = Path(os.path.realpath(path))  # noqa: ASYNC240 - one call, before any work
    ended = await run([str(program), "--version"], cwd=Path("/"), env={}, limits=ASK)
    version = ended.stdout.decode(errors="replace").removeprefix("bubblewrap").strip()
    if ended.code != 0:
        raise Unusable("bwrap does not run", _INSTALL)
    host = await host_for(toolchain, cache)
    walls = BwrapWalls(program, host, hardened=_numbers(version) >= _KNOWS_DISABLE_USERNS)
    boxes = GuardedBoxes(walls)
    return Sandbox(Backend.BWRAP, version, _guarantees(), boxes, fix=_sysctl_fix())


def _sysctl_fix() -> str:
    """Return the command that lets bwrap make namespaces here; empty if no setting forbids it."""
    for name, forbidding in _SYSCTLS.items():
        path = Path("/proc/sys", name)
        if path.exists() and path.read_text(encoding="ascii").strip() == forbidding:
            value = {"0": "1", "1": "0"}[forbidding] if "max" not in name else "10000"
            return f"sudo sysctl -w {name.replace('/', '.')}={value}"
    return ""


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdecimal())


def _guarantees() -> Guarantees:
    counted = counts_processes()
    processes = Held.ENFORCED if counted else Held.BEST_EFFORT
    return Guarantees.enforced(*_notes(counted=counted), processes=processes)


def _notes(*, counted: bool) -> tuple[str, ...]:
    if os.geteuid() != 0:
        return ()
    if counted:
        return ("started by root: tests run as a user of their own, compilers as a confined root",)
    return ("root cannot become another user here: the system does not count its threads",)
