"""The floor: the two bare compiler calls and the test run, on files that lie there already.

Nothing is guarded, no Python runs, and nobody reads the answers while time is measured. What a
grader costs above this is its own.
"""

import asyncio
import json
import os
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from forgetest.system.toolchain import Toolchain
from speed.contest import Answers
from speed.corpus import Sample
from speed.judged import Judged
from speed.messages import ended_tests, lints_in

_MODULE = "hidden::"
_LEAN = "-C debuginfo=0 -C codegen-units=1"
_HIDDEN = "\n#[cfg(test)] #[allow(warnings)] mod hidden {{ use {scope}::*; include!({tests}); }}\n"
_SCRIPT = """\
cd {folder}
if {clippy} --crate-name sample --crate-type rlib --emit=link {lean} --edition={edition} \\
   --error-format=json --force-warn clippy::all lib.rs 2>lints.json; then
  echo 1 >compiled
  if {rustc} --test --crate-name tests -C prefer-dynamic -C strip=symbols {lean} \\
     --edition={edition} --extern sample=libsample.rlib {root} 2>errors.txt; then
    echo 1 >built
    ./tests >tests.txt 2>panics.txt
  else
    echo 0 >built
  fi
else
  echo 0 >compiled
fi
:
"""


@dataclass(frozen=True, slots=True)
class Floor:
    """Runs prepared shell scripts, a block of them at a time, or `workers` samples at once."""

    name: str
    toolchain: Toolchain
    work: Path
    workers: int = 1
    scripts: dict[str, str] = field(default_factory=dict)

    def prepare(self, samples: Sequence[Sample]) -> None:
        """Lay out every sample.

        Tests are linked to the compiled sample, as a trusted crate would be; they stand in a copy
        of the sample where that does not build, as for private items.
        """
        for sample in samples:
            folder = self._folder(sample)
            folder.mkdir(parents=True)
            self._write(folder, sample)
            self.scripts[sample.key] = self._script(sample, "linked.rs")
            self._run([sample])
            if not _said(folder, "built"):
                self.scripts[sample.key] = self._script(sample, "inside.rs")

    async def grade(self, block: Sequence[Sample]) -> Answers:
        """Run the scripts of a block, one after the other or several at once."""
        if self.workers == 1:
            await asyncio.to_thread(self._run, block)
        else:
            seats = asyncio.Semaphore(self.workers)
            await asyncio.gather(*(self._seated(seats, sample) for sample in block))
        return lambda: [_answer(self._folder(sample)) for sample in block]

    async def _seated(self, seats: asyncio.Semaphore, sample: Sample) -> None:
        async with seats:
            await asyncio.to_thread(self._run, [sample])

    def _folder(self, sample: Sample) -> Path:
        return self.work / self.name / sample.key

    def _write(self, folder: Path, sample: Sample) -> None:
        (folder / "lib.rs").write_text(sample.code)
        (folder / "case.rs").write_text(sample.case.expectations.test_file or "")
        tests = json.dumps(str(folder / "case.rs"))
        (folder / "linked.rs").write_text(_HIDDEN.format(scope="sample", tests=tests))
        inside = sample.code + _HIDDEN.format(scope="super", tests=tests)
        (folder / "inside.rs").write_text(inside)

    def _script(self, sample: Sample, root: str) -> str:
        return _SCRIPT.format(
            folder=shlex.quote(str(self._folder(sample))),
            clippy=shlex.quote(str(self.toolchain.clippy_driver)),
            rustc=shlex.quote(str(self.toolchain.rustc)),
            edition=sample.case.edition,
            lean=_LEAN,
            root=root,
        )

    def _run(self, block: Sequence[Sample]) -> None:
        script = "".join(self.scripts[sample.key] for sample in block)
        env = {
            "PATH": os.defpath,
            "LD_LIBRARY_PATH": str(self.toolchain.library_folder),
            "CLIPPY_CONF_DIR": str(self.work),
            "RUST_BACKTRACE": "0",
        }
        subprocess.run(["/bin/sh"], input=script.encode(), env=env, check=True)


def _said(folder: Path, name: str) -> bool:
    file = folder / name
    return file.exists() and file.read_text().strip() == "1"


def _answer(folder: Path) -> Judged:
    if not _said(folder, "compiled"):
        return Judged(compiles=False, lints=())
    built = _said(folder, "built")
    return Judged(
        compiles=True,
        tests=ended_tests((folder / "tests.txt").read_text("utf-8", "replace"), _MODULE)
        if built
        else None,
        lints=lints_in((folder / "lints.json").read_text("utf-8"), "lib.rs"),
    )
