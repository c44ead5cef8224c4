"""A sample as files: a complete cargo workspace that a person can open and run cargo on.

Its root package `sample` is the code, byte for byte. Its member `case` holds the same code with the
case's tests spliced in, and the program that runs them; there the sample is compiled without
`--test`, so its own tests are absent, sound or broken. Tests that only libtest can run are compiled
with it instead.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from forgetest.errors import EvalSetError, Problem
from forgetest.evalset.types import Case, Dependency
from forgetest.grading.harness import harness_source
from forgetest.rust.callable import (
    callable_file,
    invoked_macros,
    with_sample_in_scope,
    without_tests,
)
from forgetest.rust.items import Kind, defined_items
from forgetest.rust.splice import splice_module
from forgetest.rust.tests import TestFunction, expected_tests

SAMPLE = "sample"
CASE = "case"
SAMPLE_FILE = "src/lib.rs"

# What `assert_eq!` and the like mean in a test is not for the sample to say.
_STD_NAMES = """
assert assert_eq assert_ne cfg column compile_error concat dbg debug_assert debug_assert_eq
debug_assert_ne env eprint eprintln file format format_args include include_bytes include_str
line matches module_path option_env panic print println stringify thread_local todo try
unimplemented unreachable vec write writeln
"""
_MANIFEST = """\
[package]
name = "{name}"
version = "0.0.0"
edition = "{edition}"
publish = false
build = false
autobins = false
autoexamples = false
autotests = false
autobenches = false

[lib]
path = "src/lib.rs"
test = {lib_test}
doctest = false
bench = false

[dependencies]
{dependencies}
"""
_WORKSPACE = """
[workspace]
members = ["case"]
default-members = [".", "case"]
resolver = "2"

[profile.dev]
debug = 0
incremental = false
codegen-units = 1
strip = "symbols"
"""
_CASE = """
[lints.rust]
warnings = "allow"

[lints.clippy]
all = "allow"
"""
_HARNESS_TARGET = """
[[test]]
name = "case"
path = "tests/case.rs"
harness = false
"""


@dataclass(frozen=True, slots=True)
class Crate:
    """The files of one sample's workspace and what is in them."""

    files: dict[str, bytes]  # path in the workspace -> content
    tests: tuple[TestFunction, ...]
    module: str  # the random name of the test module
    libtest: bool  # whether the tests need libtest to run them

    @property
    def tests_file(self) -> str:
        """The path of the case's tests in the workspace."""
        return f"case/src/{self.module}.rs"

    def write(self, folder: Path) -> None:
        """Write every file below `folder`."""
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def build_crate(case: Case, code: str, *, token: str) -> Crate:
    """Return the workspace of one sample; `token` makes the test module's name unforeseeable.

    Raises `EvalSetError` when a context file would lie outside the crate.
    """
    source = case.expectations.test_file or ""
    tests = expected_tests(source)
    crate = Crate({}, tests, f"tests_{token}", libtest=not all(test.is_direct for test in tests))
    crate.files.update(_context(case))
    crate.files.update(_sample(case, code))
    crate.files.update(_case_member(case, code, crate))
    return crate


def _context(case: Case) -> Iterator[tuple[str, bytes]]:
    for context in case.context:
        path = PurePosixPath(context.path)
        if path.is_absolute() or ".." in path.parts or not path.parts:
            problem = f"case {case.id!r}: context path {context.path!r} must stay inside the crate"
            raise EvalSetError((Problem(case.file, case.line, problem),))
        for package in ("", "case/"):
            yield f"{package}{path}", context.content.encode()


def _sample(case: Case, code: str) -> Iterator[tuple[str, bytes]]:
    yield "Cargo.toml", (_manifest(SAMPLE, case, lib_test=False) + _WORKSPACE).encode()
    yield SAMPLE_FILE, _bytes(code)


def _bytes(code: str) -> bytes:
    """Encode code; half a surrogate pair stays what it is: no UTF-8, for rustc to refuse."""
    return code.encode("utf-8", "surrogatepass")


def _case_member(case: Case, code: str, crate: Crate) -> Iterator[tuple[str, bytes]]:
    manifest = _manifest(CASE, case, lib_test=crate.libtest) + _CASE
    if crate.tests and not crate.libtest:
        manifest += _HARNESS_TARGET
        harness = harness_source(crate.tests, module=crate.module, edition=case.edition)
        yield "case/tests/case.rs", harness.encode()
    yield "case/Cargo.toml", manifest.encode()
    if not crate.tests:
        yield "case/src/lib.rs", _bytes(code)
        return
    source = case.expectations.test_file or ""
    in_scope = with_sample_in_scope if crate.libtest else callable_file
    yield crate.tests_file, in_scope(source).encode()
    yield "case/src/lib.rs", _bytes(_spliced(code, source, crate))


def _spliced(code: str, test_file: str, crate: Crate) -> str:
    wanted = invoked_macros(test_file) - frozenset(_STD_NAMES.split())
    macros = wanted & _private_macros(code) if wanted else frozenset[str]()
    return splice_module(without_tests(code) if crate.libtest else code, crate.module, macros)


def _private_macros(code: str) -> frozenset[str]:
    """Return the macros of the crate root that the rest of the crate sees only below them."""
    return frozenset(
        item.name for item in defined_items(code).top if item.kind is Kind.MACRO and not item.public
    )


def _manifest(name: str, case: Case, *, lib_test: bool) -> str:
    return _MANIFEST.format(
        name=name,
        edition=case.edition,
        lib_test="true" if lib_test else "false",
        dependencies=_dependency_lines(case.dependencies),
    )


def _dependency_lines(dependencies: Sequence[Dependency]) -> str:
    """Return the lines of a `[dependencies]` table, sorted; of one name the last entry counts."""
    by_name = {dependency.name: dependency for dependency in dependencies}
    return "\n".join(_dependency_line(by_name[name]) for name in sorted(by_name))


def _dependency_line(dependency: Dependency) -> str:
    # A JSON string is a TOML string.
    fields = f"version = {json.dumps(dependency.version)}"
    if dependency.features:
        fields += f", features = {json.dumps(list(dependency.features))}"
    return f"{json.dumps(dependency.name)} = {{ {fields} }}"
