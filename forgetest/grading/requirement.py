"""What a case requires besides its tests: defined items, few lints, its own check."""

import shlex
import shutil
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from forgetest.errors import EvalSetError, ForgetestError, Problem
from forgetest.evalset.types import Case
from forgetest.grading.compilers import Compilers
from forgetest.grading.diagnostics import BuildRun, undisturbed
from forgetest.grading.layout import NOT_FOUND
from forgetest.grading.verdict import Layout, Reach
from forgetest.grading.workshop import Workshop
from forgetest.grading.workspace import Workspace
from forgetest.rust.items import ItemKind, Items, defined_items, nested
from forgetest.system.process import CommandLimits, Exit, run, signal_name
from forgetest.value import count

_COMPLAINT_KEPT = 200  # characters


@dataclass(frozen=True, slots=True)
class ExpectedItem:
    """An item that a case expects by its name, which may be `Type::method`."""

    kind: str  # function | type
    name: str

    def __str__(self) -> str:
        """Return the reason of a verdict that lacks it."""
        return f"the code defines no {self.kind} {self.name}"

    def probe(self) -> str:
        """Return a test file that compiles only if the item exists."""
        if self.kind == "type":
            return f"fn probe(_: super::{self.name}) {{}}\n#[test] fn builds() {{}}\n"
        return f"#[test] fn builds() {{ let _ = super::{self.name}; }}\n"


def unseen_items(case: Case, code: str) -> Iterator[ExpectedItem]:
    """Yield the expected items whose definition cannot be seen in the code."""
    wanted = case.expectations
    if wanted.expected_functions or wanted.expected_types:
        defined = defined_items(nested(code, case.answer_files))
        for name in wanted.expected_functions:
            if not defined.functions_named(name):
                yield ExpectedItem("function", name)
        for name in wanted.expected_types:
            if name not in defined.types:
                yield ExpectedItem("type", name)


async def missing_items(
    workshop: Workshop, case: Case, code: str, proven: Collection[str]
) -> tuple[ExpectedItem, ...]:
    """Return the expected items that a sample lacks; rustc is asked about those not in its text.

    Re-exports and macros define items that are not to be seen in the text. `proven` are names that
    the case's tests were built with.
    """
    unseen = [item for item in unseen_items(case, code) if item.name not in proven]
    return tuple([item for item in unseen if await _is_missing(workshop, case, code, item)])


async def _is_missing(workshop: Workshop, case: Case, code: str, item: ExpectedItem) -> bool:
    probing = case.expectations.model_copy(update={"test_file": item.probe()})
    case = case.model_copy(update={"expectations": probing, "reference_solution": None})
    reach = Reach(layout=Layout.SPLICE, open=True)
    async with workshop.open(case, code, reach=reach) as workspace:
        run = await _build(workshop.compilers, workspace, workshop.limits.compile(case))
        files = {workspace.crate.tests_file}
        codes = {e.code.code if e.code else "" for e in run.errors if e.own_span(files)}
        if not (run.succeeded or codes):
            await workshop.require_blame(case, workspace, _build, run)
    return not run.succeeded and (not codes or not NOT_FOUND.isdisjoint(codes))


async def _build(compilers: Compilers, workspace: Workspace, limits: CommandLimits) -> BuildRun:
    return (await compilers.build_bare(workspace, limits)).library


def forbidden_items(case: Case, code: str) -> Iterator[str]:
    """Yield one line for each function that the code has and the case forbids."""
    forbidden = case.expectations.forbidden_functions
    defined = defined_items(nested(code, case.answer_files)) if forbidden else Items()
    for name in forbidden:
        if _at_root(defined, name):
            yield f"the code defines a function {name}, which the case forbids"


def _at_root(defined: Items, name: str) -> bool:
    """Tell whether a function of the crate root, or the method `Type::method`, is defined."""
    if "::" in name:
        return bool(defined.functions_named(name))
    return any(item.kind is ItemKind.FUNCTION and item.name == name for item in defined.top)


def too_many_lints(case: Case, lints: int) -> Iterator[str]:
    """Yield a line when there are more lints than the case allows."""
    allowed = case.expectations.max_clippy_warnings
    if allowed is not None and lints > allowed:
        yield f"clippy finds {count(lints, 'lint')}, and the case allows {allowed}"


def check_argv(case: Case) -> list[str]:
    """Return the case's own check as a command; empty when it has none.

    Raises `EvalSetError` when it cannot be split into words.
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
        raise _unusable(case, f"program {argv[0]} not found")
    argv = [program, *argv[1:]]

    async def attempt() -> Exit:
        return await run(argv, cwd=folder, env=env, limits=limits, stdin=code.encode())

    ended = await undisturbed(attempt, "the custom check")
    if ended.code == 0 and not ended.output_limited:
        return ()
    if ended.timed_out:
        return (f"the custom check was stopped after {limits.wall_secs:g} s",)
    how = f"exit code {ended.code}" if ended.signal is None else signal_name(ended.signal)
    output = " ".join((ended.stderr or ended.stdout).decode(errors="replace").split())
    return (f"the custom check failed with {how}: {output[:_COMPLAINT_KEPT]}".rstrip(": "),)


def _folder(case: Case, workspace: Workspace) -> Path:
    return Path(case.file).resolve().parent if case.file else workspace.folder


def _unusable(case: Case, why: str) -> ForgetestError:
    message = f"case {case.id!r}: custom_check cannot run: {why}"
    return EvalSetError((Problem(case.file, case.line, message),))
