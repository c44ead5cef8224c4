"""Docker: a container for every box, from an image of our own that holds links and no file.

The image is imported here, never pulled. The system's own folders are bound into it, read-only,
at their own places.
"""

import hashlib
import io
import os
import secrets
import shutil
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from forgetest.sandbox.backends import Backend
from forgetest.sandbox.guarded import GuardedBoxes
from forgetest.sandbox.host import (
    ASK,
    Host,
    host_for,
    is_top_link,
    let_run,
    lies_in,
    outermost,
    spare_user,
    system_folders,
)
from forgetest.sandbox.landlock import landlock_abi
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
from forgetest.sandbox.types import Guarantees
from forgetest.system.process import GIB, MIB, Exit, run
from forgetest.system.toolchain import Toolchain

_GUARD = "/forgetest/guard"
_PROGRAM = "/forgetest/program"
_TMP = "/tmp"  # noqa: S108 - the container's own
_COMPILE_TMP = 256 * MIB
_TEST_TMP = 16 * MIB
_TEST_TASKS = TEST_THREADS + 2  # the guard, and the first thread of the test
_COMPILE_TASKS = 256
_MEMORY = 4 * GIB  # where no limit is set
_MEMORY_EXTRA = 256 * MIB  # for the guard and the scratch folder
_LANDLOCK_ABI = 3
# What the client needs to find its daemon; nothing of it reaches a container.
_CLIENT_NAMES = ("DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_CERT_PATH", "HOME")
_FLAGS = (
    *("run", "--rm", "--interactive", "--pull", "never", "--log-driver", "none"),
    *("--network", "none", "--ipc", "none", "--hostname", "sandbox"),
    *("--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--read-only"),
)

_ROOT_DAEMON = "the daemon that builds the containers is root"


@dataclass(frozen=True, slots=True)
class DockerWalls:
    """Builds containers of `image` with the client `program`."""

    program: Path
    host: Host
    image: str
    env: Mapping[str, str]
    landlocked: bool  # in the container, too: it hides /proc from tests

    def compile_box(self, call: CompilerCall) -> Launch:
        """Return a container with the system's /usr, the sysroot and the given paths."""
        reads = (*system_folders(), self.host.sysroot, *call.reads)
        flags = (
            *_limits(call.limits.address_space, _COMPILE_TASKS, _COMPILE_TMP),
            *("--user", f"{os.getuid()}:{os.getgid()}"),
            *_mounts(reads, call.writes),
        )
        return self._launch(flags, (("calls", "compile"),))

    def test_box(self, plan: TestPlan, scratch: Path) -> Launch:  # noqa: ARG002 - /tmp is its own
        """Return a container that holds the program and what it loads."""
        user = spare_user() or os.getuid()
        let_run(plan.program)
        reads = outermost((*self.host.libraries, *plan.reads))
        inside = any(lies_in(plan.cwd, path) for path in reads)
        flags = (
            *_limits(plan.limits.address_space, _TEST_TASKS, plan.limits.file_size or _TEST_TMP),
            *("--user", f"{user}:{user}", *_mounts(reads, ())),
            *_mount(plan.program, _PROGRAM),
            *(() if inside else ("--tmpfs", f"{plan.cwd}:ro,size=4k")),
        )
        fields = (("calls", "test"), ("arg", _PROGRAM), *scratch_fields(_TMP))
        return self._launch(flags, (*fields, *self._landlock(reads)))

    def _landlock(self, reads: Sequence[Path]) -> Iterator[Field]:
        if self.landlocked:
            yield ("landlock",)
            yield from (("read", str(path)) for path in (*reads, _PROGRAM))
            yield ("write", _TMP)

    def _launch(self, flags: Sequence[str], fields: Sequence[Field]) -> Launch:
        name = f"forgetest-{secrets.token_hex(8)}"
        docker = str(self.program)
        argv = (docker, *_FLAGS, "--name", name, *flags, *_mount(self.host.guard, _GUARD))
        undo = (docker, "rm", "--force", name)
        return Launch((*argv, self.image, _GUARD), tuple(fields), undo=undo, env=self.env)


async def docker_sandbox(toolchain: Toolchain, cache: Path) -> Sandbox:
    """Return the sandbox of the daemon that the client finds; `Unusable` when there is none."""
    program = shutil.which("docker")
    if program is None:
        raise Unusable("docker is not installed")
    env = {name: os.environ[name] for name in _CLIENT_NAMES if name in os.environ}
    version = await _docker(program, env, "version", "--format", "{{.Server.Version}}")
    if version.code != 0:
        raise Unusable("the docker daemon does not answer")
    image = await _image(program, env)
    host = await host_for(toolchain, cache)
    landlocked = await landlock_abi(host) >= _LANDLOCK_ABI
    walls = DockerWalls(Path(program), host, image, env, landlocked=landlocked)
    number = version.stdout.decode(errors="replace").strip()
    return Sandbox(Backend.DOCKER, number, Guarantees.enforced(_ROOT_DAEMON), GuardedBoxes(walls))


async def _docker(program: str, env: Mapping[str, str], *args: str, stdin: bytes = b"") -> Exit:
    return await run([program, *args], cwd=Path("/"), env=env, limits=ASK, stdin=stdin)


async def _image(program: str, env: Mapping[str, str]) -> str:
    """Return the name of the image, imported now if the daemon does not have it."""
    archive = _archive()
    image = f"forgetest/empty:{hashlib.sha256(archive).hexdigest()[:16]}"
    if (await _docker(program, env, "image", "inspect", image)).code == 0:
        return image
    imported = await _docker(program, env, "import", "-", image, stdin=archive)
    if imported.code != 0:
        raise Unusable("docker cannot import an image")
    return image


def _archive() -> bytes:
    """Return the image: the links at the top of this system, such as /bin to usr/bin."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for path in system_folders():
            if is_top_link(path):
                link = tarfile.TarInfo(path.name)
                link.type = tarfile.SYMTYPE
                link.linkname = str(path.readlink())
                tar.addfile(link)
    return archive.getvalue()


def _limits(memory: int | None, tasks: int, scratch: int) -> tuple[str, ...]:
    size = str((memory or _MEMORY) + _MEMORY_EXTRA)
    return (
        *("--memory", size, "--memory-swap", size, "--pids-limit", str(tasks)),
        *("--tmpfs", f"{_TMP}:rw,exec,nosuid,nodev,size={scratch},mode=1777"),
    )


def _mounts(reads: Sequence[Path], writes: Sequence[Path]) -> Iterator[str]:
    """Yield the mounts; the links at the top of the system are in the image."""
    places = dict.fromkeys(reads, True) | dict.fromkeys(writes, False)
    for path, readonly in places.items():
        if not is_top_link(path):
            yield from _mount(path, str(path), readonly=readonly)


def _mount(source: Path, target: str, *, readonly: bool = True) -> tuple[str, str]:
    mount = f"type=bind,source={source},target={target}"
    return ("--mount", f"{mount},readonly" if readonly else mount)
