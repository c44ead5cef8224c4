"""The expected verdicts: cargo on each sample alone, with a target folder of its own."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from forgetest.system.toolchain import Toolchain
from speed.corpus import Sample
from speed.judged import Expected
from speed.messages import lints_in
from speed.plain import Plain, judge
from speed.project import FORCED, LIB, Project


def reference(
    samples: Sequence[Sample], toolchain: Toolchain, listen: Callable[[Sample], None]
) -> dict[str, Expected]:
    """Return what cargo says of every sample; `listen` hears of each before it is its turn."""
    expected = {}
    with tempfile.TemporaryDirectory(prefix="forgetest-reference-") as work:
        fetched = Plain("fetch", toolchain, Path(work))
        fetched.fetch([sample for sample in samples if sample.case.dependencies])
        for number, sample in enumerate(samples):
            listen(sample)
            lock = fetched.locks.get(sample.case.dependencies, "")
            expected[sample.key] = _expected(sample, Path(work, str(number)), toolchain, lock)
    return expected


def _expected(sample: Sample, folder: Path, toolchain: Toolchain, lock: str) -> Expected:
    written = Project.write(sample, folder / "written", folder / "t1", toolchain, lock)
    found = judge(written)
    if not found.compiles:
        return Expected(compiles=False, tests=None, lints=(), written=())
    forced = Project.write(sample, folder / "forced", folder / "t2", toolchain, lock)
    return Expected(
        compiles=True,
        tests=found.tests,
        lints=lints_in(forced.clippy(FORCED).out, LIB),
        written=found.written or (),
    )
