"""What a case requires beside its tests: items that are defined, few lints, its own check."""

import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

from forgetest.errors import EvalSetError, ForgetestError, Problem
from forgetest.evalset.types import Case
from forgetest.grading.buildrun import undisturbed
from forgetest.grading.workspace import Workspace
from forgetest.process import CommandLimits, Exit, run, signal_name
from forgetest.rust.items import Items, Kind, defined_items
from forgetest.words import count

_COMPLAINT_KEPT = 200  # characters


def wrong_items(case: Case, code: str) -> Iterator[str]:
    """Yield one line for each expected item that the code lacks, and each forbidden one it has."""
    wanted = case.expectations
    if not (wanted.expected_functions or wanted.expected_types or wanted.forbidden_functions):
        return
    found = defined_items(code)
    for name in wanted.expected_functions:
        if not found.functions_named(name):
            yield f"the code defines no function {name}"
    for name in wanted.expected_types:
        if name not in found.types:
            yield f"the code defines no type {name}"
    for name in wanted.forbidden_functions:
        if _at_root(found, name):
            yield f"the code defines a function {name}, which the case forbids"


def _at_root(found: Items, name: str) -> bool:
    """Tell whether a function of the crate root, or the method `Type::method`, is defined."""
    if "::" in name:
        return bool(found.functions_named(name))
    return any(item.kind is Kind.FUNCTION and item.name == name for item in found.top)


def too_many_lints(case: Case, lints: int) -> Iterator[str]:
    """Yield a line when there are more lints than the case allows."""
    allowed = case.expectations.max_clippy_warnings
    if allowed is not None and lints > allowed:
        yield f"clippy finds {count(lints, 'lint')}, and the case allows {allowed}"


def check_argv(case: Case) -> list[str]:
    """Return the case's own check as a command; empty when it has none.

    Raises `EvalSetError` when it is no command of this machine.
    """
    text = case.expectations.custom_check
    if text is None:
        return []
    try:
        argv = shlex.split(text)
    except ValueError as error:
        raise _unusable(case, str(error)) from None
    if not argv:
        raise _unusable(case, "it is empty")
    return argv


async def failed_check(
    case: Case, code: str, workspace: Workspace, limits: CommandLimits
) -> tuple[str, ...]:
    """Run the case's own check, the code on its stdin, and return a line when it does not exit 0.

    It runs in the folder of the eval set, with the PATH of the user and nothing else.
    """
    argv = check_argv(case)
    if not argv:
        return ()
    folder = _folder(case, workspace)
    env = {"PATH": workspace.toolchain.search_path, "TMPDIR": str(workspace.scratch)}
    # A path with a slash is meant from the eval set's folder; a bare name is looked up.
    program = str(folder / argv[0]) if "/" in argv[0] else argv[0]
    if shutil.which(program, path=env["PATH"]) is None:
        raise _unusable(case, f"{argv[0]} is no program")
    argv = [program, *argv[1:]]

    async def attempt() -> Exit:
        return await run(argv, cwd=folder, env=env, limits=limits, stdin=code.encode())

    ended = await undisturbed(attempt, "the custom check")
    if ended.code == 0 and not ended.output_limited:
        return ()
    if ended.timed_out:
        return (f"the custom check was stopped after {limits.wall_secs:g} s",)
    how = f"exit code {ended.code}" if ended.signal is None else signal_name(ended.signal)
    said = " ".join((ended.stderr or ended.stdout).decode(errors="replace").split())
    return (f"the custom check failed with {how}: {said[:_COMPLAINT_KEPT]}".rstrip(": "),)


def _folder(case: Case, workspace: Workspace) -> Path:
    return Path(case.file).resolve().parent if case.file else workspace.folder


def _unusable(case: Case, why: str) -> ForgetestError:
    message = f"case {case.id!r}: custom_check can not run: {why}"
    return EvalSetError((Problem(case.file, case.line, message),))
