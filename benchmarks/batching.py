"""What linking the tests of several samples into one program would save.

Builds the test programs of sixteen samples of the corpus one by one, then all in one, and prints
the CPU time of both per sample. Nothing is graded: it measures an idea that forgetest does not use.
"""

import os
import resource
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from speed.corpus import Sample, load

from forgetest.grading.crate import Crate, build_crate
from forgetest.grading.harness import library_source
from forgetest.grading.packages import HARNESS_CRATE
from forgetest.grading.verdict import Layout
from forgetest.system.toolchain import Toolchain

BATCH = 16
_PASSES = 5
_CODEGEN = ("-C", "debuginfo=0", "-C", "codegen-units=1", "-A", "warnings")
_LINK = ("-C", "prefer-dynamic", "-C", "strip=symbols")
_MS = 1000


@dataclass(frozen=True, slots=True)
class Bench:
    """A folder with the compiled samples and the library that runs tests."""

    folder: Path
    rustc: Path
    crates: tuple[Crate, ...]

    def compile(self, source: Path, *args: str) -> None:
        """Run rustc in the folder; `CalledProcessError` when it fails."""
        argv = [str(self.rustc), str(source), "--edition=2021", *_CODEGEN, *args]
        subprocess.run(argv, cwd=self.folder, check=True, capture_output=True)

    def prepare(self) -> None:
        """Write all crates and compile what both ways of building have in common."""
        harness = self.folder / "harness.rs"
        harness.write_text(library_source())
        self.compile(harness, "--crate-type=rlib", f"--crate-name={HARNESS_CRATE}")
        for number, crate in enumerate(self.crates):
            crate.write(self.folder / str(number))
            name = f"--crate-name=sample{number}"
            self.compile(self.folder / str(number) / crate.sample_file, "--crate-type=rlib", name)

    def one_by_one(self) -> None:
        """Build a program for each sample."""
        for number in range(len(self.crates)):
            self._program(f"one{number}", (number,))

    def together(self) -> None:
        """Build one program for all of them."""
        self._program("all", range(len(self.crates)))

    def _program(self, name: str, numbers: Sequence[int]) -> None:
        root = self.folder / f"{name}.rs"
        root.write_text("\n".join(map(self._module, numbers)) + "\nfn main() {}\n")
        externs = [f"--extern=sample{n}={self.folder}/libsample{n}.rlib" for n in numbers]
        harness = f"--extern={HARNESS_CRATE}={self.folder}/lib{HARNESS_CRATE}.rlib"
        self.compile(root, f"--crate-name={name}", *_LINK, *externs, harness)

    def _module(self, number: int) -> str:
        """Return the harness of a sample as a module that uses it by its number."""
        harness = self.folder / str(number) / str(self.crates[number].harness_file)
        api = harness.parent / f"{self.crates[number].api_module}.rs"
        api.write_text(api.read_text().replace("::sample::", f"::sample{number}::"))
        text = harness.read_text().replace("extern crate sample;", "")
        module = harness.with_name("module.rs")
        module.write_text(text.replace("fn main()", "pub fn main()"))
        return f'#[path = "{module}"] pub mod m{number};'


def samples() -> tuple[Sample, ...]:
    """Return the first clean samples of the corpus."""
    clean = [one for one in load().samples if one.key.endswith(("/clean", "/lints"))]
    return tuple(clean[:BATCH])


def cpu_ms(work: Callable[[], None]) -> float:
    """Return the CPU milliseconds of the processes that `work` starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return _MS * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def main() -> None:
    """Print the CPU time of both ways, in milliseconds per sample."""
    toolchain = Toolchain.resolve(os.environ)
    crates = tuple(
        build_crate(one.case, one.code, token="b", layout=Layout.PUBLIC)  # noqa: S106
        for one in samples()
    )
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), toolchain.rustc, crates)
        bench.prepare()
        pairs = [(cpu_ms(bench.one_by_one), cpu_ms(bench.together)) for _ in range(_PASSES)]
    alone = statistics.median(pair[0] for pair in pairs) / len(crates)
    batched = statistics.median(pair[1] for pair in pairs) / len(crates)
    Console().print(
        f"test programs of {len(crates)} samples, CPU per sample: one by one {alone:.0f} ms,"
        f" in one program {batched:.0f} ms"
    )


if __name__ == "__main__":
    main()
