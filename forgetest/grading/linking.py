"""Link test programs without the C compiler in between, where that is known to work.

rustc calls `cc`, which calls `collect2`, which calls the linker: a tenth of the time that a small
program takes to build. What cc adds to the call, it says itself (`-###`); with that, rustc can call
the linker that comes with it. A trial program decides; without it, all stays as rustc does it.
"""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from forgetest.folders import temporary_folder
from forgetest.process import CommandLimits, run
from forgetest.toolchain import Toolchain

_LIMITS = CommandLimits(wall_secs=60)
_START_FILE = re.compile(r"(?:crt1|crti|crtbegin\w*)\.o$")
_END_FILE = re.compile(r"(?:crtend\w*|crtn)\.o$")
_TRIAL = """fn main() { assert_eq!(std::env::args().count().to_string(), "1"); }\n"""


async def direct_link_args(toolchain: Toolchain, env: Mapping[str, str]) -> tuple[str, ...]:
    """Return rustc's arguments to link a dynamic program directly; none where a trial fails."""
    linker = toolchain.library_folder.with_name("bin") / "rust-lld"
    if not linker.is_file():
        return ()
    with temporary_folder() as folder:
        words = await _words_of_cc(folder, env)
        if "-dynamic-linker" not in words:
            return ()
        args = tuple(_args(linker, words))
        return args if await _works(toolchain, args, folder, env) else ()


async def _words_of_cc(folder: Path, env: Mapping[str, str]) -> list[str]:
    """Return the words of the linker's call that cc would make; none when there is no such cc."""
    argv = ["/bin/sh", "-c", "exec cc -### -pie -nodefaultlibs nothing.o -o nothing"]
    (folder / "nothing.o").touch()
    ended = await run(argv, cwd=folder, env=env, limits=_LIMITS)
    lines = ended.stderr.decode(errors="replace").splitlines()
    calls = [line for line in lines if "-dynamic-linker" in line]
    return shlex.split(calls[-1]) if ended.code == 0 and calls else []


def _args(linker: Path, words: Sequence[str]) -> Iterator[str]:
    yield from ("-C", f"linker={linker}", "-C", "linker-flavor=ld.lld")
    loader = words[words.index("-dynamic-linker") + 1]
    started = [word for word in words if _START_FILE.search(word)]
    folders = [word for word in words if word.startswith("-L")]
    ends = [word for word in words if _END_FILE.search(word)]
    for arg in (f"-dynamic-linker={loader}", *started, *folders, *ends):
        yield from ("-C", f"link-arg={arg}")


async def _works(
    toolchain: Toolchain, args: Sequence[str], folder: Path, env: Mapping[str, str]
) -> bool:
    """Tell whether a program that is linked so starts and ends as it should."""
    (folder / "trial.rs").write_text(_TRIAL)
    options = ("-C", "prefer-dynamic", "-C", "strip=symbols")
    argv = [str(toolchain.rustc), "trial.rs", *options, *args, "-o", "trial"]
    built = await run(argv, cwd=folder, env=env, limits=_LIMITS)
    if built.code != 0:
        return False
    libraries = {"LD_LIBRARY_PATH": str(toolchain.library_folder)}
    started = await run([str(folder / "trial")], cwd=folder, env=libraries, limits=_LIMITS)
    return started.code == 0
