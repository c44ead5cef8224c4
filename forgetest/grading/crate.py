"""A sample as files: a complete cargo workspace that a person can open and run cargo on.

Its root package `sample` is the code, byte for byte. Its member `case` holds the tests, the names
that they see, and the program that runs them; `layout` says where they stand. The sample is never
compiled with `--test`, so its own tests are absent, sound or broken, but where only libtest can run
the case's.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from forgetest.errors import EvalSetError, Problem
from forgetest.evalset.types import Case, Dependency
from forgetest.grading.harness import harness_source
from forgetest.grading.layout import Layout, api_of, fitting_layout, refusal
from forgetest.rust.callable import (
    callable_file,
    invoked_macros,
    with_sample_in_scope,
    without_tests,
)
from forgetest.rust.items import Kind
from forgetest.rust.names import STD_MACROS
from forgetest.rust.root import Root, root_of
from forgetest.rust.splice import splice_module
from forgetest.rust.tests import TestFunction, expected_tests
from forgetest.rust.wrapper import Api

SAMPLE = "sample"
CASE = "case"
SAMPLE_FILE = "src/lib.rs"
LIBRARY_FILE = "case/src/lib.rs"
HARNESS_FILE = "case/tests/case.rs"

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

[dependencies]
{dependencies}
"""
_LIBRARY = """
[lib]
path = "src/lib.rs"
test = {test}
doctest = false
bench = false
"""
_ON_SAMPLE = 'sample = { path = ".." }\n'
# For the lock file alone: one serves every layout.
_NEVER = """
[target.'cfg(any())'.dependencies]
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
    """The files of one sample's workspace and what is in them; paths are those of `files`."""

    files: dict[str, bytes]  # path in the workspace -> content
    tests: tuple[TestFunction, ...]
    layout: Layout
    token: str  # what no sample can foresee in the names below
    wrapped: bool = False  # whether the tests call functions with the types that the case declares

    @property
    def libtest(self) -> bool:
        """Whether the tests need libtest to run them."""
        return self.layout is Layout.LIBTEST

    @property
    def module(self) -> str:
        """The name of the test file, without its suffix, and of its module under libtest."""
        return f"tests_{self.token}"

    @property
    def api_module(self) -> str:
        """The name of the module that the tests see as their crate, and of its file."""
        return f"api_{self.token}"

    @property
    def sample_file(self) -> str:
        """The sample itself."""
        return SAMPLE_FILE

    @property
    def library_file(self) -> str | None:
        """The copy of the sample that the tests are spliced into."""
        return LIBRARY_FILE if LIBRARY_FILE in self.files else None

    @property
    def harness_file(self) -> str | None:
        """The root of the program that runs the tests."""
        return HARNESS_FILE if HARNESS_FILE in self.files else None

    @property
    def api_file(self) -> str | None:
        """The names that the tests see."""
        path = f"{self._folder}/{self.api_module}.rs"
        return path if path in self.files else None

    @property
    def tests_file(self) -> str:
        """The case's tests."""
        return f"{self._folder}/{self.module}.rs"

    @property
    def _folder(self) -> str:
        return "case/tests" if self.layout is Layout.PUBLIC else "case/src"

    def write(self, folder: Path) -> None:
        """Write every file below `folder`."""
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def build_crate(case: Case, code: str, *, token: str, layout: Layout | None = None) -> Crate:
    """Return the workspace of one sample; `token` makes the names of test modules unforeseeable.

    Without a `layout` the code decides it; tests that only libtest can run are always left to it.
    Raises `EvalSetError` when a context file would lie outside the crate.
    """
    tests = expected_tests(case.expectations.test_file or "")
    sample = root_of(code) if tests else Root()
    if not tests:
        crate = Crate({}, tests, Layout.SPLICE, token)
        member = _bare_member(case, code)
    elif not all(test.is_direct for test in tests):
        crate = Crate({}, tests, Layout.LIBTEST, token)
        member = _libtest_member(case, code, sample, crate)
    else:
        api = api_of(case, sample)
        layout = layout or fitting_layout(case, code, sample, api)
        crate = Crate({}, tests, layout, token, wrapped=api.wrapped)
        build = _public_member if layout is Layout.PUBLIC else _spliced_member
        member = (*build(case, code, sample, api, crate), *_test_files(case, api, crate))
    crate.files.update(_context(case))
    if crate.layout is Layout.PUBLIC:
        crate.files.pop(LIBRARY_FILE, None)  # a context file that cargo would take for a library
    crate.files.update(_sample(case, code))
    crate.files.update(member)
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
    manifest = _manifest(SAMPLE, case) + _LIBRARY.format(test="false") + _WORKSPACE
    yield "Cargo.toml", manifest.encode()
    yield SAMPLE_FILE, _bytes(code)


def _bytes(code: str) -> bytes:
    """Encode code; half a surrogate pair stays what it is: no UTF-8, for rustc to refuse."""
    return code.encode("utf-8", "surrogatepass")


def _bare_member(case: Case, code: str) -> Iterator[tuple[str, bytes]]:
    yield "case/Cargo.toml", _library_manifest(case, test="false").encode()
    yield LIBRARY_FILE, _bytes(code)


def _libtest_member(
    case: Case, code: str, sample: Root, crate: Crate
) -> Iterator[tuple[str, bytes]]:
    source = case.expectations.test_file or ""
    macros = _private_macros(sample) & invoked_macros(source) - STD_MACROS
    yield "case/Cargo.toml", _library_manifest(case, test="true").encode()
    yield LIBRARY_FILE, _bytes(splice_module(without_tests(code), crate.module, macros))
    yield crate.tests_file, with_sample_in_scope(source).encode()


def _public_member(
    case: Case, code: str, sample: Root, api: Api, crate: Crate
) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a crate that depends on the sample."""
    manifest = _manifest(CASE, case) + _ON_SAMPLE + _CASE + _HARNESS_TARGET
    yield "case/Cargo.toml", manifest.encode()
    module = crate.api_module
    head = f'extern crate sample;\n#[allow(warnings)] #[path = "{module}.rs"] pub mod {module};'
    yield HARNESS_FILE, _harness(case, crate, head, f"{module}::tests")
    yield _api_file(crate, api.text("::sample"))


def _spliced_member(
    case: Case, code: str, sample: Root, api: Api, crate: Crate
) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a crate that is the sample, with one module more."""
    manifest = _library_manifest(case, test="false") + _HARNESS_TARGET
    yield "case/Cargo.toml", manifest.encode()
    path = f"case::{crate.api_module}::tests"
    yield HARNESS_FILE, _harness(case, crate, "extern crate case;", path)
    macros = api.macros & _private_macros(sample)
    yield LIBRARY_FILE, _bytes(splice_module(code, crate.api_module, macros))
    yield _api_file(crate, f"{refusal(case, code)}\n{api.text('crate')}")


def _api_file(crate: Crate, text: str) -> tuple[str, bytes]:
    path = crate.tests_file.replace(crate.module, crate.api_module)
    return path, f'{text}\n#[path = "{crate.module}.rs"] pub mod tests;\n'.encode()


def _test_files(case: Case, api: Api, crate: Crate) -> Iterator[tuple[str, bytes]]:
    source = case.expectations.test_file or ""
    text = callable_file(source, api=crate.api_module, std_macros=not api.wrapped)
    yield crate.tests_file, text.encode()


def _harness(case: Case, crate: Crate, head: str, path: str) -> bytes:
    return harness_source(crate.tests, head=head, path=path, edition=case.edition).encode()


def _private_macros(sample: Root) -> frozenset[str]:
    """Return the macros of the crate root that the rest of the crate sees only below them."""
    return frozenset(
        item.name for item in sample.items.top if item.kind is Kind.MACRO and not item.public
    )


def _library_manifest(case: Case, *, test: str) -> str:
    """Return the manifest of a `case` that is a copy of the sample."""
    return _manifest(CASE, case) + _NEVER + _ON_SAMPLE + _LIBRARY.format(test=test) + _CASE


def _manifest(name: str, case: Case) -> str:
    return _MANIFEST.format(
        name=name,
        edition=case.edition,
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
