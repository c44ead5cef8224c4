"""What stands beside an exported crate: how to run cargo on it, and what is not as it was."""

import shlex
from collections.abc import Iterator, Sequence

from forgetest.grading.crate import Exported
from forgetest.grading.verdict import Layout, TestOutcome
from forgetest.render.safe import escape, one_line
from forgetest.report.files import PickedSample
from forgetest.value import count

COMMAND = "cargo test"
_LAYOUTS = {
    Layout.PUBLIC: "the tests in `case/tests` use the sample from outside",
    Layout.SPLICE: "the tests stand in `case`, a copy of the sample with one module more",
    Layout.LIBTEST: "libtest runs the tests, which stand in `case`, a copy of the sample",
}


def instructions(exported: Exported, one: PickedSample, *, rustc: str) -> str:
    """Return the README of an exported crate."""
    where = escape(f"{one.key}, {one.model}, sample {one.sample.index + 1}")
    lines = [
        f"Run `{COMMAND}` here: it fails the tests that the sample failed.",
        "",
        f"- Sample: {where}; graded as {one.sample.outcome or 'unscored'}.",
        f"- Code: `src/lib.rs`, byte for byte; {_LAYOUTS[exported.layout]}.",
        "- Lints: `cargo clippy -p sample` shows those that the code does not silence.",
        *(f"- Not as it was graded: {escape(text)}." for text in differences(exported, rustc)),
    ]
    if _hangs(one):
        lines.append("- A test of it does not end by itself: stop it with Ctrl-C.")
    return "\n".join(lines) + "\n"


def printed(exported: Exported, one: PickedSample, *, folder: str, rustc: str) -> str:
    """Return what the program says of an exported crate."""
    where = f"{one.key} · {one.model} · sample {one.sample.index + 1}"
    size = count(len(exported.crate.files), "file")
    return "\n".join(
        [
            one_line(f"{where}: {one.sample.outcome or 'unscored'}, {size} in {folder}", 1000),
            f"run: cd {shlex.quote(folder)} && {COMMAND}",
            f"not as it was graded: {'; '.join(differences(exported, rustc))}",
        ]
    )


def differences(exported: Exported, rustc: str) -> Sequence[str]:
    """Return what of a person's run of cargo is not as the grader's."""
    return tuple(_differences(exported, one_line(rustc)))


def _differences(exported: Exported, rustc: str) -> Iterator[str]:
    yield f"no sandbox and no limits hold the code; your toolchain, not {rustc}"
    yield f"modules of tests are named with {exported.crate.module}, not at random"
    if exported.crate.libtest:
        yield f"names of tests begin with {exported.crate.module}::"
    if not exported.crate.tests:
        yield "the case has no tests: it asks whether the code compiles"
    if exported.lock is not None:
        yield "dependencies are locked as on this machine now"


def _hangs(one: PickedSample) -> bool:
    tests = one.sample.verdict.tests if one.sample.verdict else ()
    return any(test.outcome is TestOutcome.TIMEOUT for test in tests)
