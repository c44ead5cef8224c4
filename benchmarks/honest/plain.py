"""What plain cargo says of a program with the case's tests in a child module, test by test.

For speed rustc is called as `cargo test --lib` calls it, but for what only makes programs larger;
`ByCargo` is the real one, and the long form compares the two. Cases with dependencies are cargo's.
"""

import itertools
import os
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Protocol

from forgetest.evalset.types import Case, Dependency
from forgetest.grading.packages import root_manifest
from forgetest.system.toolchain import Toolchain
from honest.source import Source

PASSED, FAILED, IGNORED = "passed", "failed", "ignored"
WRAPPER = "hidden_case"
_WORDS = {"ok": PASSED, "FAILED": FAILED, "ignored": IGNORED}
_ENDED = re.compile(r"^test (\S+)(?: - should panic)? \.\.\. (ok|FAILED|ignored)\b", re.MULTILINE)
_ERROR = re.compile(r"^error(?:\[E\d+\])?: .*(?:\n.*){0,6}", re.MULTILINE)
_BUILD_SECS = 600
_RUN_SECS = 8
_MEMORY = 4 << 30


@dataclass(frozen=True, slots=True)
class Judgement:
    """What somebody says of a program."""

    builds: bool  # the sample and the tests on it
    tests: Mapping[str, str] = field(default_factory=dict)  # name in the test file -> what became
    hangs: bool = False
    why: str = ""  # the first error or reason

    @property
    def passes(self) -> bool:
        """Whether it builds, some test passes, and none fails."""
        ended = set(self.tests.values())
        return self.builds and PASSED in ended and FAILED not in ended

    @property
    def in_words(self) -> str:
        """What it says, in a line."""
        if not self.builds:
            return "does not build"
        failed = [name for name, ended in self.tests.items() if ended == FAILED]
        passed = sum(ended == PASSED for ended in self.tests.values())
        return f"{passed} passed" + (
            f", {len(failed)} failed: {', '.join(failed)}" if failed else ""
        )


class Judge(Protocol):
    """Whoever builds and runs a program's tests."""

    def judge(self, case: Case, code: str) -> Judgement:
        """Return what becomes of each test."""
        ...


def with_tests(case: Case, code: str) -> tuple[str, str]:
    """Return a program with the case's tests in it, and the module of their names."""
    tests = (case.expectations.test_file or "").strip("\n")
    found = Source(tests).units
    names = {unit.name for unit in Source(code).units if unit.kind == "mod_item"}
    alone = len(found) == 1 and found[0].kind == "mod_item" and "cfg(test)" in found[0].head
    if alone and found[0].name not in names:
        return f"{code}\n{tests}\n", f"{plain_name(found[0].name)}::"
    wrapper = f"#[cfg(test)]\nmod {WRAPPER} {{\n    #[allow(unused_imports)]\n    use super::*;\n"
    return f"{code}\n{wrapper}{tests}\n}}\n", f"{WRAPPER}::"


@dataclass
class ByCargo:
    """`cargo test --lib`, in packages of `work` whose builds of dependencies are used again."""

    toolchain: Toolchain
    work: Path
    _locks: dict[tuple[Dependency, ...], str] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _busy: set[Path] = field(default_factory=set)

    def judge(self, case: Case, code: str) -> Judgement:
        """Return what becomes of each test."""
        package = self._package(case)
        try:
            return self._judge(case, code, package)
        finally:
            self._busy.discard(package)

    def _judge(self, case: Case, code: str, package: Path) -> Judgement:
        text, prefix = with_tests(case, code)
        shutil.rmtree(package / "src", ignore_errors=True)
        _write(package, case, text)
        (package / "Cargo.toml").write_text(_manifest(case))
        self._resolve(case, package)
        done = self._cargo(package, "test", "--lib", "--no-run", "--offline")
        if done.returncode != 0:
            return Judgement(builds=False, why=first_error(done.stderr))
        shown = re.search(r"\((/?[^()]*/deps/[^()]+)\)", done.stderr)
        if shown is None:
            raise RuntimeError(f"cargo names no program: {done.stderr}")
        return _run(package, package / shown[1], self.toolchain, prefix)

    def _package(self, case: Case) -> Path:
        name = blake2b(repr((case.dependencies, case.edition)).encode(), digest_size=6).hexdigest()
        with self._lock:
            numbered = (self.work / f"{name}-{number}" for number in itertools.count())
            package = next(one for one in numbered if one not in self._busy)
            self._busy.add(package)
        package.mkdir(exist_ok=True)
        return package

    def _resolve(self, case: Case, package: Path) -> None:
        """Fetch what a case depends on, once."""
        with self._lock:
            lock = package / "Cargo.lock"
            if case.dependencies not in self._locks:
                self._cargo(package, "fetch", **self.toolchain.network_env)
                self._locks[case.dependencies] = lock.read_text()
            elif not lock.exists():
                lock.write_text(self._locks[case.dependencies])

    def _cargo(
        self, package: Path, *arguments: str, **more: str
    ) -> subprocess.CompletedProcess[str]:
        env = {
            "PATH": self.toolchain.search_path,
            "HOME": str(package),
            "CARGO_HOME": str(self.toolchain.cargo_home),
            "CARGO_TARGET_DIR": str(package / "target"),
            "CARGO_TERM_COLOR": "never",
        }
        return _call([str(self.toolchain.cargo), *arguments], package, env | more)


@dataclass
class ByRustc:
    """rustc as cargo calls it, for cases without dependencies; the others are left to cargo."""

    toolchain: Toolchain
    work: Path
    cargo: ByCargo

    def judge(self, case: Case, code: str) -> Judgement:
        """Return what becomes of each test."""
        if case.dependencies:
            return self.cargo.judge(case, code)
        text, prefix = with_tests(case, code)
        with tempfile.TemporaryDirectory(dir=self.work, prefix="plain-") as folder:
            package = Path(folder)
            _write(package, case, text)
            program = package / "tests"
            done = self._rustc(case, package, "--test", "-Cprefer-dynamic", "-o", str(program))
            if done.returncode != 0:
                return Judgement(builds=False, why=first_error(done.stderr))
            return _run(package, program, self.toolchain, prefix)

    def builds_alone(self, case: Case, code: str) -> bool:
        """Tell whether `cargo build` takes the sample, without any test; not for dependencies."""
        with tempfile.TemporaryDirectory(dir=self.work, prefix="alone-") as folder:
            _write(Path(folder), case, code)
            done = self._rustc(case, Path(folder), "--crate-type=lib", "--emit=obj")
            return done.returncode == 0

    def _rustc(
        self, case: Case, package: Path, *arguments: str
    ) -> subprocess.CompletedProcess[str]:
        argv = [
            str(self.toolchain.rustc),
            "--crate-name=sample",
            f"--edition={case.edition}",
            "src/lib.rs",
            "--check-cfg=cfg(docsrs,test)",
            "--check-cfg=cfg(feature, values())",
            "-Ccodegen-units=1",
            "-Cstrip=symbols",
            *arguments,
        ]
        return _call(argv, package, _environment(self.toolchain, package))


def first_error(text: str) -> str:
    """Return the first error in what a compiler says, with the place it names."""
    found = _ERROR.search(text)
    return found[0] if found else text[-400:]


def plain_name(name: str) -> str:
    """Return the path of a test without the marks of raw names."""
    return name.replace("r#", "")


def _manifest(case: Case) -> str:
    text = root_manifest(case).decode()
    return (
        text.replace("test = false", "test = true")
        .replace('members = ["case", "harness"]', "")
        .replace('default-members = [".", "case"]', "")
    )


def _write(package: Path, case: Case, text: str) -> None:
    for file in case.context:
        path = package / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.content)
    (package / "src").mkdir(exist_ok=True)
    (package / "src/lib.rs").write_bytes(text.encode("utf-8", "surrogatepass"))


def _environment(toolchain: Toolchain, package: Path) -> dict[str, str]:
    return {
        "PATH": toolchain.search_path,
        "HOME": str(package),
        "CARGO_MANIFEST_DIR": str(package),
        "CARGO_PKG_NAME": "sample",
        "CARGO_PKG_VERSION": "0.0.0",
        "CARGO_CRATE_NAME": "sample",
    }


def _call(
    argv: Sequence[str], folder: Path, env: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        argv,
        cwd=folder,
        env=dict(env),
        capture_output=True,
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
        errors="replace",
        timeout=_BUILD_SECS,
        check=False,
    )


def _run(package: Path, program: Path, toolchain: Toolchain, prefix: str) -> Judgement:
    """Run a test program; what its own report leaves out is run again alone."""
    env = {
        "LD_LIBRARY_PATH": _libraries(toolchain),
        "PATH": os.environ["PATH"],
        "RUST_BACKTRACE": "0",
    }
    listed = _ended(program, package, env, "--list", "--format=terse")
    names = [line.removesuffix(": test") for line in (listed or "").splitlines()]
    names = [name for name in names if plain_name(name).startswith(prefix)]
    if not names:
        return Judgement(builds=False, why="the program lists no test of the case")
    out = _ended(program, package, env)
    if out is None:
        return Judgement(builds=True, hangs=True)
    found = {name: _WORDS[word] for name, word in _ENDED.findall(out)}
    for name in names:
        if name not in found:
            alone = _ended(program, package, env, "--exact", name)
            if alone is None:
                return Judgement(builds=True, hangs=True)
            found[name] = _WORDS[dict(_ENDED.findall(alone)).get(name, "FAILED")]
    why = next((line for line in out.splitlines() if "panicked at" in line), "")
    tests = {plain_name(name).removeprefix(f"{WRAPPER}::"): found[name] for name in names}
    return Judgement(builds=True, tests=tests, why=why)


def _libraries(toolchain: Toolchain) -> str:
    """Return where the standard library lies that programs are linked to."""
    host = re.search(r"^host: (\S+)", toolchain.rustc_version, re.MULTILINE)
    folders = [toolchain.sysroot / "lib"]
    if host is not None:
        folders.append(toolchain.sysroot / "lib/rustlib" / host[1] / "lib")
    return ":".join(map(str, folders))


def _ended(program: Path, folder: Path, env: Mapping[str, str], *arguments: str) -> str | None:
    """Return what a test program prints; None when it has to be stopped."""
    argv = [
        "prlimit",
        f"--as={_MEMORY}",
        f"--cpu={_RUN_SECS}",
        "--core=0",
        str(program),
        *arguments,
    ]
    with tempfile.TemporaryFile() as out:
        running = subprocess.Popen(
            argv if shutil.which("prlimit") else argv[4:],
            cwd=folder,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.DEVNULL,
        )
        try:
            running.wait(_RUN_SECS)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()
            return None
        out.seek(0)
        return out.read().decode(errors="replace")
