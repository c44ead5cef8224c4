"""Call cargo in a workspace with an environment from scratch, and tell machine from sample.

A cargo that was killed by somebody else, or that waited for somebody else's lock, is a `Fault`;
every other end is returned for a step to judge.
"""

import re
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from forgetest.errors import Fault, FaultKind
from forgetest.grading.diagnostics import CargoMessage, RustcMessage, read_messages
from forgetest.grading.workspace import Workspace
from forgetest.process import CommandLimits, Exit, run
from forgetest.toolchain import Toolchain

_OFFLINE = ("--offline", "--locked")
_LOCK_WAIT = b"Blocking waiting for file lock"
# The last words of cargo about a compiler that a signal ended.
_COMPILER_SIGNAL = re.compile(
    rb"process didn't exit successfully: .*\(signal: (\d+)[^)]*\)\s*$", re.DOTALL
)
# What is the same in every environment; each undoes a setting that a cargo configuration in a
# folder above could make.
SETTINGS = {
    "CARGO_ENCODED_RUSTFLAGS": "",
    "CARGO_INCREMENTAL": "0",
    "CARGO_PROFILE_DEV_DEBUG_ASSERTIONS": "true",
    "CARGO_PROFILE_DEV_OPT_LEVEL": "0",
    "CARGO_PROFILE_DEV_OVERFLOW_CHECKS": "true",
    "CARGO_PROFILE_DEV_PANIC": "unwind",
    "CARGO_TERM_COLOR": "never",
    "CARGO_TERM_QUIET": "false",
    # No wrapper; with an empty name cargo would ask rustc about itself at every call, instead of
    # reading the answers that lie in the target folder.
    "RUSTC_WRAPPER": "/usr/bin/env",
    "RUST_BACKTRACE": "0",
}
_TRIES = 2
_WORDS_KEPT = 300  # characters


@dataclass(frozen=True, slots=True)
class CargoRun:
    """How a call of cargo ended and what it said."""

    exit: Exit
    messages: tuple[CargoMessage, ...]

    @property
    def succeeded(self) -> bool:
        """Whether cargo did what it was asked."""
        return self.exit.code == 0 and not self.exit.output_limited

    @property
    def diagnostics(self) -> list[RustcMessage]:
        """What the compilers said, in their order."""
        return [message.message for message in self.messages if message.message is not None]

    @property
    def errors(self) -> list[RustcMessage]:
        """The errors among it."""
        return [message for message in self.diagnostics if message.is_error]

    @property
    def compiler_signal(self) -> int | None:
        """The signal that ended the compiler below cargo."""
        found = _COMPILER_SIGNAL.search(self.exit.stderr)
        return int(found[1]) if found else None

    @property
    def last_words(self) -> str:
        """The end of what cargo says about itself, as one line."""
        return " ".join(self.exit.stderr.decode(errors="replace").split())[-_WORDS_KEPT:]

    @property
    def killed_by_others(self) -> bool:
        """Whether a SIGKILL that was not ours ended cargo or the compiler below it."""
        below = self.compiler_signal == signal.SIGKILL and not self.exit.timed_out
        return self.exit.killed_by_others or below


def build_env(toolchain: Toolchain, folder: Path) -> dict[str, str]:
    """Return everything that a compiler's process finds in its environment.

    `folder` is for its temporary files.
    """
    return {
        **SETTINGS,
        "PATH": toolchain.search_path,
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "CARGO": str(toolchain.cargo),
        "CARGO_HOME": str(toolchain.cargo_home),
        "CLIPPY_CONF_DIR": str(folder),
    }


async def run_cargo(
    workspace: Workspace, args: Sequence[str], *, limits: CommandLimits
) -> CargoRun:
    """Run `cargo ARGS` offline in a workspace, on one core, and return what came of it.

    Raises `Fault` when cargo could not do its work for a reason outside the sample.
    """
    return await _run([str(workspace.toolchain.cargo), *args, *_OFFLINE], workspace, limits)


async def run_clippy(
    workspace: Workspace, args: Sequence[str], *, levels: Sequence[str], limits: CommandLimits
) -> CargoRun:
    """Run `cargo clippy ARGS -- LEVELS` as `run_cargo` does.

    The subcommand is called by its path: cargo itself would look for it among rustup's proxies.
    """
    program = str(workspace.toolchain.cargo_clippy)
    argv = [program, "clippy", *args, *_OFFLINE, "--", *levels]
    return await _run(argv, workspace, limits)


async def _run(argv: Sequence[str], workspace: Workspace, limits: CommandLimits) -> CargoRun:
    env = build_env(workspace.toolchain, workspace.scratch) | _own_folders(workspace)
    for _ in range(_TRIES):
        ended = await run(argv, cwd=workspace.folder, env=env, limits=limits)
        found = CargoRun(ended, tuple(read_messages(ended.stdout)))
        if ended.timed_out and _LOCK_WAIT in ended.stderr:
            raise Fault(FaultKind.TOOLCHAIN, "another cargo held the package cache for too long")
        if not found.killed_by_others:
            return found
    raise Fault(FaultKind.SANDBOX, "cargo was killed twice, and not by forgetest")


def _own_folders(workspace: Workspace) -> dict[str, str]:
    return {
        "CARGO_BUILD_BUILD_DIR": str(workspace.target),
        "CARGO_BUILD_JOBS": "1",
        "CARGO_NET_OFFLINE": "true",
        "CARGO_TARGET_DIR": str(workspace.target),
    }
