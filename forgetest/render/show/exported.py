"""The README of an exported crate: how to run cargo on it, and what differs from its grading."""

import shlex
from collections.abc import Iterator, Sequence

from forgetest.grading.crate import Exported
from forgetest.grading.layout import USES_FILE
from forgetest.grading.verdict import Layout, TestOutcome
from forgetest.render.safe import escape, one_line
from forgetest.report.files import PickedSample
from forgetest.value import count

COMMAND = "cargo test"
_LAYOUTS = {
    Layout.PUBLIC: "the tests in `case/tests` use the sample from outside",
    Layout.SPLICE: "the tests are in `case`, a copy of the sample with one module more",
    Layout.LIBTEST: "libtest runs the tests, which are in `case`, a copy of the sample",
}


_USES = (
    "- Uses that must not compile: `cargo check -p case --test compile_fail` compiles their twins;"
    " put a file of `case/compile_fail/rejected` in place of its twin to see it rejected."
)


def export_readme(exported: Exported, picked: PickedSample, *, rustc: str) -> str:
    """Return the README of an exported crate."""
    where = escape(f"{picked.key}, {picked.model}, sample {picked.sample.index + 1}")
    lines = [
        f"Run `{COMMAND}` here: it fails the tests that the sample failed.",
        "",
        f"- Sample: {where}; graded as {picked.sample.outcome or 'unscored'}.",
        f"- Code: `src/lib.rs`, byte for byte; {_LAYOUTS[exported.layout]}.",
        *([_USES] if USES_FILE in exported.crate.files else ()),
        "- Lints: `cargo clippy -p sample` shows those that the code does not silence.",
        *(
            f"- Differs from its grading: {escape(text)}."
            for text in export_differences(exported, rustc)
        ),
    ]
    if _hangs(picked):
        lines.append("- One of its tests never ends: stop it with Ctrl-C.")
    return "\n".join(lines) + "\n"


def export_message(exported: Exported, picked: PickedSample, *, folder: str, rustc: str) -> str:
    """Return what the program prints after an export."""
    where = f"{picked.key} · {picked.model} · sample {picked.sample.index + 1}"
    size = count(len(exported.crate.files), "file")
    return "\n".join(
        [
            one_line(f"{where}: {picked.sample.outcome or 'unscored'}, {size} in {folder}", 1000),
            f"run: cd {shlex.quote(folder)} && {COMMAND}",
            f"differs from its grading: {'; '.join(export_differences(exported, rustc))}",
        ]
    )


def export_differences(exported: Exported, rustc: str) -> Sequence[str]:
    """Return how running cargo by hand differs from the grading."""
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


def _hangs(picked: PickedSample) -> bool:
    tests = picked.sample.verdict.tests if picked.sample.verdict else ()
    return any(test.outcome is TestOutcome.TIMEOUT for test in tests)
