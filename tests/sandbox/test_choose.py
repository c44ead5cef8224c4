"""Which sandbox is chosen, what is said where none works, and that `none` is never chosen."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from sandbox_lab import opened, require, toolchain

from forgetest.errors import ConfigError, ToolchainError
from forgetest.sandbox.backends import Backend
from forgetest.sandbox.choose import choose
from forgetest.sandbox.guardprogram import guard_program
from forgetest.sandbox.sandbox import Sandbox
from forgetest.sandbox.types import Held

pytestmark = [
    pytest.mark.cargo,
    pytest.mark.skipif(sys.platform != "linux", reason="the guard is at home on Linux"),
]

NO_LANDLOCK = """
import asyncio, ctypes, os, struct, sys
from pathlib import Path
CALLS = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
code = [(0x20, 0, 0, 4), (0x15, 0, 3, CALLS[os.uname().machine]), (0x20, 0, 0, 0),
        (0x15, 0, 1, 444), (0x06, 0, 0, 0x50026), (0x06, 0, 0, 0x7FFF0000)]
block = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *one) for one in code))
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0
program = Program(len(code), ctypes.addressof(block))
assert libc.prctl(22, 2, ctypes.byref(program), 0, 0) == 0
from forgetest.errors import ToolchainError
from forgetest.sandbox.choose import choose
from forgetest.system.toolchain import Toolchain
toolchain = Toolchain.resolve(os.environ)
os.environ["PATH"] = sys.argv[2]
try:
    found = asyncio.run(choose("auto", toolchain=toolchain, cache=Path(sys.argv[1])))
    print("chosen", found.backend)
except ToolchainError as error:
    print(error)
"""


def chosen(requested: str, store: Path) -> Sandbox:
    return asyncio.run(choose(requested, toolchain=toolchain(), cache=store))


def path_without(folder: Path, *missing: str) -> str:
    """Return a PATH with the system's programs but for those missing."""
    tools = folder / "tools"
    tools.mkdir()
    for name in ("/usr/bin", "/bin"):
        for program in Path(name).iterdir():
            if program.name not in missing and not (tools / program.name).is_symlink():
                (tools / program.name).symlink_to(program)
    return str(tools)


def test_auto_takes_bwrap_where_it_works(store: Path) -> None:
    sandbox = require("bwrap", store)
    found = chosen("auto", store)
    assert (found.backend, found.version) == (Backend.BWRAP, sandbox.version)
    assert found.version[0].isdecimal()


def test_auto_without_bwrap_takes_the_next(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require("landlock", store)
    monkeypatch.setenv("PATH", path_without(tmp_path, "bwrap", "docker"))
    assert chosen("auto", store).backend is Backend.LANDLOCK
    with pytest.raises(ToolchainError, match=r"bwrap is not installed.*apt-get install bubblewrap"):
        chosen("bwrap", store)


def test_a_bwrap_that_fails_is_not_chosen(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require("landlock", store)
    tools = Path(path_without(tmp_path, "bwrap", "docker"))
    fake = tools / "bwrap"
    fake.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && echo bubblewrap 0.8.0 && exit\n'
        "echo 'setting up uid map: Permission denied' >&2; exit 1\n"
    )
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tools))
    assert chosen("auto", store).backend is Backend.LANDLOCK
    with pytest.raises(
        ToolchainError, match=r"setting up uid map: Permission denied.*--sandbox none"
    ):
        chosen("bwrap", store)


def test_a_box_that_holds_nothing_is_not_chosen(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bwrap that only becomes its command is no sandbox, and shows in what the canary reads."""
    require("bwrap", store)
    tools = Path(path_without(tmp_path, "bwrap", "docker"))
    guard = asyncio.run(guard_program(toolchain(), store))
    fake = tools / "bwrap"
    fake.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo 0.8.0 && exit\nexec {guard}\n')
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tools))
    with pytest.raises(ToolchainError, match="no sandbox works here"):
        chosen("bwrap", store)


def test_with_no_backend_auto_refuses_and_names_the_way_out(store: Path, tmp_path: Path) -> None:
    asyncio.run(guard_program(toolchain(), store))
    argv = [sys.executable, "-c", NO_LANDLOCK, str(store)]
    argv += [path_without(tmp_path, "bwrap", "docker")]
    done = subprocess.run(argv, capture_output=True, text=True, check=True, cwd=tmp_path)
    (line,) = done.stdout.splitlines()
    assert line.startswith("no sandbox works here (bwrap: bwrap is not installed; docker: ")
    assert "apt-get install bubblewrap" in line
    assert "--sandbox none" in line


def test_none_is_taken_by_name_and_says_what_is_absent(store: Path) -> None:
    found = chosen("none", store)
    assert found.backend is Backend.NONE
    held = [value for name, value in found.guarantees if name != "notes"]
    assert Held.ENFORCED not in held
    assert found.guarantees.read is found.guarantees.network is Held.ABSENT
    assert found.guarantees.notes


def test_an_unknown_word_is_a_mistake_of_the_user(store: Path) -> None:
    with pytest.raises(ConfigError, match="--sandbox firejail: choose from auto, bwrap"):
        chosen("firejail", store)


_BESIDE = {".lock", ".sha256", ".used"}


def test_the_launcher_is_built_once_for_a_compiler(tmp_path: Path) -> None:
    async def many() -> list[Path]:
        return await asyncio.gather(*(guard_program(toolchain(), tmp_path) for _ in range(4)))

    first, *rest = asyncio.run(many())
    assert rest == [first] * 3
    kept = [path for path in first.parent.iterdir() if path.suffix not in _BESIDE]
    assert kept == [first]
    assert os.access(first, os.X_OK)


def test_a_sandbox_that_is_absent_is_told_in_one_line(store: Path) -> None:
    for backend in Backend:
        found = opened(backend, store)
        assert isinstance(found, Sandbox) or "\n" not in found
