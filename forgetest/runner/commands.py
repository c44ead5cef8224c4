"""Commands in a session: what they need of the user's machine, and what grading lends them.

The rooms that ask and that grade do not know each other; here a command gets a crate's manifest and
lock file, the compilers that grade, and a box.
"""

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from forgetest.errors import ConfigError
from forgetest.evalset.shipped import shipped_folder
from forgetest.evalset.types import Case
from forgetest.grading.grader import SampleGrader
from forgetest.grading.packages import answer_manifest
from forgetest.sampling.exec.command import (
    CommandBox,
    CommandHost,
    CommandSpec,
    program_of,
    unset_variables,
)
from forgetest.sampling.secrets import secrets_of
from forgetest.sandbox.commandbox import boxed

LOGS = "logs/exec"  # in the run folder
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)


def demand_usable(spec: CommandSpec, environ: Mapping[str, str]) -> None:
    """Raise ConfigError for a program or a box that is missing, or a variable unset."""
    where = f"provider {spec.name}"
    program = program_of(spec)
    if shutil.which(program, path=environ.get("PATH", os.defpath)) is None:
        raise ConfigError(f"{where}: command: {program} is not there or cannot be executed")
    if unset := unset_variables(spec, environ):
        raise ConfigError(f"{where}: pass_env: set {', '.join(unset)} in the environment")
    if spec.box is CommandBox.BWRAP and shutil.which("bwrap") is None:
        raise ConfigError(f"{where}: box: bwrap is not installed; install bubblewrap")


def recorded_command(spec: CommandSpec, environ: Mapping[str, str]) -> str:
    """Return how a run records a command: with nothing that looks like a key."""
    keys = (value for name, value in environ.items() if _SECRET.search(name))
    passed = (environ.get(name, "") for name in spec.pass_env)
    return secrets_of((*keys, *passed)).hide(spec.description)


def command_host(run: Path, grader: SampleGrader) -> CommandHost:
    """Return what commands of a run use: its log folder, and crates with the grader's compilers."""
    toolchain = grader.toolchain
    sysroot, home = toolchain.sysroot, toolchain.cargo_home

    def base_of(case: Case) -> Mapping[str, bytes]:
        lock = grader.lock_file(case)
        locked = {} if lock is None else {"Cargo.lock": lock}
        return {"Cargo.toml": answer_manifest(case), **locked}

    def enclose(spec: CommandSpec, argv: Sequence[str], folder: Path, report: Path) -> list[str]:
        if spec.box is CommandBox.NONE:
            return list(argv)
        reads = (sysroot, home / "registry", *(Path(path).expanduser() for path in spec.box_reads))
        writes = (folder, report.parent) if spec.in_workspace else (report.parent,)
        return boxed(argv, folder, reads=reads, writes=writes, hidden=(shipped_folder(),))

    return CommandHost(
        logs=run / LOGS,
        base_of=base_of,
        env={
            "PATH": toolchain.search_path,
            "CARGO_HOME": str(home),
            "CARGO_NET_OFFLINE": "true",
        },
        enclose=enclose,
    )
