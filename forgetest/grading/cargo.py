"""Call cargo in a workspace with an environment from scratch, and tell machine from sample.

If something else killed cargo, or cargo waited for another process's lock, that is a `Fault`; every
other end is returned for a step to judge.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from forgetest.errors import Fault, FaultKind
from forgetest.grading.compilers import ALL_CODE, NO_LINTS, Built
from forgetest.grading.diagnostics import BuildRun, read_messages, undisturbed
from forgetest.grading.layout import USES
from forgetest.grading.packages import CASE, SAMPLE
from forgetest.grading.workspace import Workspace
from forgetest.sandbox.sandbox import Sandbox
from forgetest.system.process import CommandLimits, Exit
from forgetest.system.toolchain import Toolchain

_OFFLINE = ("--offline", "--locked")
_LOCK_WAIT = b"Blocking waiting for file lock"
# The last words of cargo about a compiler that a signal ended.
_COMPILER_SIGNAL = re.compile(
    rb"process didn't exit successfully: .*\(signal: (\d+)[^)]*\)\s*$", re.DOTALL
)
# The same in every environment; each overrides a setting that a cargo configuration in a folder
# above could make.
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
_WORDS_KEPT = 300  # characters


def build_env(toolchain: Toolchain, folder: Path) -> dict[str, str]:
    """Return the whole environment of a compiler's process.

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


@dataclass(frozen=True, slots=True)
class CargoCompilers:
    """The compilers as cargo calls them, on one core and offline, in a compile box of `sandbox`.

    Every call raises `Fault` when cargo could not do its work for a reason outside the sample.
    """

    sandbox: Sandbox

    @property
    def needs_artifacts(self) -> bool:
        """Cargo looks for them in its target folder."""
        return True

    async def build(self, workspace: Workspace, limits: CommandLimits) -> Built:
        """Compile the sample by `cargo build`."""
        args = ("build", "-p", SAMPLE, "--lib", "--message-format=json")
        return Built(await self._cargo(workspace, args, limits))

    async def build_bare(self, workspace: Workspace, limits: CommandLimits) -> Built:
        """Compile the sample by `cargo build`, which lints nothing."""
        return await self.build(workspace, limits)

    async def clippy(
        self, workspace: Workspace, levels: Sequence[str], limits: CommandLimits
    ) -> BuildRun:
        """Lint the sample by `cargo clippy`.

        The subcommand is called by its path: cargo would look for it among rustup's proxies.
        """
        args = ("-p", SAMPLE, "--lib", "--message-format=json", *_OFFLINE, "--", *levels)
        argv = [str(workspace.toolchain.cargo_clippy), "clippy", *args]
        return await self._call(argv, workspace, limits)

    async def build_tests(
        self, workspace: Workspace, built: Built, limits: CommandLimits
    ) -> BuildRun:
        """Build the tests by `cargo test --no-run`."""
        del built  # cargo finds it in the target folder
        target = ("--lib",) if workspace.crate.libtest else ("--test", CASE)
        args = ("test", "-p", CASE, "--no-run", "--message-format=json", *target)
        return await self._cargo(workspace, args, limits)

    async def build_uses(
        self, workspace: Workspace, limits: CommandLimits, *, code: bool
    ) -> BuildRun:
        """Compile the crate of uses by `cargo rustc`, which passes arguments on to it alone."""
        profile = () if code else ("--profile", "check")
        args = ("rustc", "-p", CASE, "--test", USES, "--message-format=json", *profile, *_OFFLINE)
        own = ("--", *NO_LINTS, *(ALL_CODE if code else ()))
        return await self._call([str(workspace.toolchain.cargo), *args, *own], workspace, limits)

    async def _cargo(
        self, workspace: Workspace, args: Sequence[str], limits: CommandLimits
    ) -> BuildRun:
        argv = [str(workspace.toolchain.cargo), *args, *_OFFLINE]
        return await self._call(argv, workspace, limits)

    async def _call(
        self, argv: Sequence[str], workspace: Workspace, limits: CommandLimits
    ) -> BuildRun:
        env = build_env(workspace.toolchain, workspace.scratch) | _own_folders(workspace)

        async def attempt() -> BuildRun:
            run = await self.sandbox.compile(
                argv,
                cwd=workspace.folder,
                env=env,
                limits=limits,
                reads=(workspace.toolchain.cargo_home,),
                writes=(workspace.folder, workspace.scratch),
            )
            if run.timed_out and _LOCK_WAIT in run.stderr:
                message = "another cargo held the package cache for too long"
                raise Fault(FaultKind.TOOLCHAIN, message)
            return _build_run(run)

        return await undisturbed(attempt, "cargo")


def _build_run(run: Exit) -> BuildRun:
    messages = read_messages(run.stdout)
    signalled = _COMPILER_SIGNAL.search(run.stderr)
    programs = [message.executable for message in messages if message.executable]
    return BuildRun(
        exit=run,
        diagnostics=tuple(line.message for line in messages if line.message is not None),
        compiler_signal=int(signalled[1]) if signalled else None,
        last_words=" ".join(run.stderr.decode(errors="replace").split())[-_WORDS_KEPT:],
        program=Path(programs[-1]) if programs else None,
    )


def _own_folders(workspace: Workspace) -> dict[str, str]:
    return {
        "CARGO_BUILD_BUILD_DIR": str(workspace.target),
        "CARGO_BUILD_JOBS": "1",
        "CARGO_NET_OFFLINE": "true",
        "CARGO_TARGET_DIR": str(workspace.target),
    }
