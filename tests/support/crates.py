"""Workspaces of samples built by rustc alone, in any layout, and their test programs."""

import atexit
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from graders import make_case

from forgetest.evalset.types import Case
from forgetest.grading.crate import Crate, build_crate
from forgetest.grading.harness import ONLY, REPORT, library_source, request
from forgetest.grading.verdict import Layout
from forgetest.system.toolchain import Toolchain

NONCE = "n0"


@cache
def toolchain() -> Toolchain:
    return Toolchain.resolve(os.environ)


@dataclass(frozen=True)
class Built:
    """A test program, or what rustc says against it."""

    crate: Crate
    program: Path
    errors: str

    def ask(self, test: str, mode: str = REPORT) -> subprocess.CompletedProcess[bytes]:
        """Run one test."""
        command = [self.program, ONLY, test]
        return subprocess.run(
            command,
            input=request(NONCE, mode),
            capture_output=True,
            check=False,
            timeout=20,
            env={"RUST_BACKTRACE": "0", "LD_LIBRARY_PATH": str(toolchain().library_folder)},
        )

    def word(self, test: str, mode: str = REPORT) -> str:
        """Return the report of one test, less the nonce and the name."""
        said = self.ask(test, mode).stdout.decode()
        return said.removeprefix(f"{NONCE} ").removesuffix(f" {test}\n") if said else "nothing"


def declare(reference: str | None, tests: str, **more: object) -> Case:
    """Return a case with a test file that sees its parent."""
    return make_case("built", tests, reference, **more)


def build(folder: Path, case: Case, code: str, layout: Layout | None = None) -> Built:
    """Write a sample's workspace and build its test program; the sample itself must compile."""
    crate = build_crate(case, code, token="0f", layout=layout)
    crate.write(folder)
    edition = case.edition
    errors = rustc(folder, crate.sample_file, edition, "--crate-type=rlib", "--crate-name=sample")
    assert not errors, errors
    extern = "sample"
    if crate.library_file:
        extern = "case"
        errors = rustc(
            folder, crate.library_file, edition, "--crate-type=rlib", "--crate-name=case"
        )
    assert crate.harness_file
    link = (
        f"--extern={extern}={folder}/lib{extern}.rlib",
        f"--extern=forgetest_harness={harness()}",
        "-Cprefer-dynamic",
        *("-o", str(folder / "program")),
    )
    errors = errors or rustc(folder, crate.harness_file, edition, "--crate-name=harness", *link)
    return Built(crate, folder / "program", errors)


@cache
def harness() -> Path:
    """Return the library that runs tests, built once."""
    folder = Path(tempfile.mkdtemp(prefix="harness-"))
    atexit.register(shutil.rmtree, folder)
    (folder / "lib.rs").write_text(library_source())
    errors = rustc(folder, "lib.rs", "2021", "--crate-type=rlib", "--crate-name=forgetest_harness")
    assert not errors, errors
    return folder / "libforgetest_harness.rlib"


def rustc(folder: Path, source: str, edition: str, *args: str) -> str:
    """Run rustc and return its complaints when it fails."""
    command = [str(toolchain().rustc), source, f"--edition={edition}", "-Awarnings", *args]
    ran = subprocess.run(command, cwd=folder, capture_output=True, check=False, text=True)
    return ran.stderr if ran.returncode else ""
