"""A sample as files: a complete cargo workspace that a person can open and run cargo on.

Its root package `sample` is the code, byte for byte. Its member `case` holds the tests, the names
that they see, and the program that runs them; it depends on `sample`, or is a copy of it and names
it only for the lock file, so that one lock file serves every layout. `forgetest-harness` is the
library that runs the tests. Where the tests are put is decided by `layout`.

The sample is only compiled with `--test` if its case needs libtest; otherwise its own tests, sound
or broken, are absent. `graded_crate` returns the same files for a person, without random names.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath

from forgetest.errors import EvalSetError, Problem
from forgetest.evalset.types import Case
from forgetest.grading.harness import harness_source, library_source, without_self_check
from forgetest.grading.layout import USES_FOLDER, api_of, first_layout, refusal, use_files
from forgetest.grading.limits import ALL, Defences
from forgetest.grading.packages import (
    CASE,
    HARNESS_CRATE,
    SAMPLE,
    copy_manifest,
    harness_manifest,
    root_manifest,
    user_manifest,
)
from forgetest.grading.verdict import Layout, Reach, Verdict
from forgetest.rust.callable import callable_file, libtest_file, without_test_items
from forgetest.rust.joined import LIBRARY, split
from forgetest.rust.splice import Rewritten, splice_module
from forgetest.rust.stdlib import COUNTS
from forgetest.rust.tests import TestFunction, expected_tests
from forgetest.rust.wrapper import Api

TOKEN_DIGITS = 12  # of the random part of names
_KEPT = 64  # test files to remember, because a case has many samples
_ANY_API = "api_of_any_sample"
SAMPLE_FILE = LIBRARY
LIBRARY_FILE = "case/src/lib.rs"
HARNESS_LIBRARY_FILE = "harness/src/lib.rs"
HARNESS_FILE = "case/tests/case.rs"


@dataclass(frozen=True, slots=True)
class Crate:
    """The files of one sample's workspace and what is in them; paths are those of `files`."""

    files: dict[str, bytes]  # path in the workspace -> content
    tests: tuple[TestFunction, ...]
    reach: Reach
    token: str  # the part of the names below that no sample can foresee
    wrapped: bool = False  # whether the tests call functions with the types that the case declares
    counts: bool = False  # whether the test program counts what it allocates
    needs: frozenset[str] = frozenset()  # what the tests take from the sample's root by name
    context: tuple[str, ...] = ()  # the case's own files, by their names in each package
    code: str = ""  # the sample; several files as one text
    sample_files: tuple[str, ...] = (SAMPLE_FILE,)

    @property
    def layout(self) -> Layout:
        """Where the tests are put."""
        return self.reach.layout

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
        return self.api_path if self.api_path in self.files else None

    @property
    def api_path(self) -> str:
        """Where the names that the tests see lie in the layouts that have them apart."""
        return f"{self._folder}/{self.api_module}.rs"

    @property
    def tests_file(self) -> str:
        """The case's tests."""
        return f"{self._folder}/{self.module}.rs"

    @property
    def _folder(self) -> str:
        return "case/tests" if self.layout is Layout.PUBLIC else "case/src"

    def write(self, folder: Path) -> None:
        """Write every file below `folder`."""
        write_files(folder, self.files)

    def write_context(self, folder: Path) -> None:
        """Write the case's own files alone below `folder`."""
        folder.mkdir(parents=True)
        write_files(folder, {name: self.files[name] for name in self.context})


def build_crate(
    case: Case,
    code: str,
    *,
    token: str,
    layout: Layout | None = None,
    reach: Reach | None = None,
    defences: Defences = ALL,
) -> Crate:
    """Return the workspace of one sample; `token` makes the names of test modules unforeseeable.

    Without a `layout` the code decides it; tests that only libtest can run are always left to it. A
    `reach` settles the layout as well. Raises `EvalSetError` when a context file would lie outside
    the crate.
    """
    tests = _tests(case.expectations.test_file or "")
    if not tests:
        layout = Layout.SPLICE
    elif not all(test.is_direct for test in tests):
        layout = Layout.LIBTEST
    if reach is None or layout is Layout.LIBTEST:
        reach = Reach(layout=layout or first_layout(case, code))
    layout = reach.layout
    api = api_of(case, reach, wrapped=defences.wrappers)
    wrapped = bool(tests) and api.wrapped and layout is not Layout.LIBTEST
    context = tuple(file.path for file in case.context)
    files = split(code, case.answer_files)
    counts, sample_files = case.expectations.counts, tuple(files)
    crate = Crate({}, tests, reach, token, wrapped, counts, api.needs, context, code, sample_files)
    crate.files.update(_context(case))
    crate.files.update(_beside_root(files, libtest=layout is Layout.LIBTEST))
    root = files.get(SAMPLE_FILE, "")
    if layout is Layout.PUBLIC:
        crate.files.pop(LIBRARY_FILE, None)  # a context file that cargo would take for a library
    crate.files.update({"Cargo.toml": root_manifest(case), SAMPLE_FILE: _bytes(root)})
    crate.files.update(_harness(defences))
    crate.files.update(_Member(case, root, api, crate, defences).files())
    return crate


@lru_cache(maxsize=_KEPT)
def _tests(source: str) -> tuple[TestFunction, ...]:
    return expected_tests(source)


@lru_cache(maxsize=_KEPT)
def _callable_tests(source: str) -> str:
    """Return the callable test file with `_ANY_API` where the name of each sample's module goes."""
    return callable_file(source, api=_ANY_API, std_macros=True).text


def _harness(defences: Defences) -> Iterator[tuple[str, bytes]]:
    source = library_source()
    yield "harness/Cargo.toml", harness_manifest()
    kept = source if defences.self_check else without_self_check(source)
    yield HARNESS_LIBRARY_FILE, kept.encode()


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files by their paths below a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _context(case: Case) -> Iterator[tuple[str, bytes]]:
    for context in case.context:
        path = PurePosixPath(context.path)
        if path.is_absolute() or ".." in path.parts or not path.parts:
            problem = f"case {case.id!r}: context path {context.path!r} must stay inside the crate"
            raise EvalSetError((Problem(case.file, case.line, problem),))
        for package in ("", "case/"):
            yield f"{package}{path}", context.content.encode()


def _beside_root(files: Mapping[str, str], *, libtest: bool) -> Iterator[tuple[str, bytes]]:
    """Yield the sample's files but its root, in both packages; a copy under `--test` has no tests.

    They take the place of the case's own files of the same names.
    """
    for path, text in files.items():
        if path != SAMPLE_FILE:
            yield path, _bytes(text)
            yield f"case/{path}", _bytes(without_test_items(text).text if libtest else text)


def _bytes(code: str) -> bytes:
    """Encode code; half a surrogate pair stays invalid UTF-8, for rustc to refuse."""
    return code.encode("utf-8", "surrogatepass")


_COUNTS = f"extern crate {HARNESS_CRATE}; pub use self::{HARNESS_CRATE}::counts as {COUNTS};"


@dataclass(frozen=True, slots=True)
class _Member:
    """The package `case` of a workspace."""

    case: Case
    code: str  # the root of the sample
    api: Api
    crate: Crate
    defences: Defences

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Yield its files in the crate's layout."""
        if not self.crate.tests:
            yield "case/Cargo.toml", copy_manifest(self.case, harness=False)
            yield LIBRARY_FILE, _bytes(self.code)
        elif self.crate.layout is Layout.LIBTEST:
            yield from self._libtest()
        else:
            public = self.crate.layout is Layout.PUBLIC
            yield from self._public() if public else self._spliced()
            text = _callable_tests(self._source)
            yield self.crate.tests_file, text.replace(_ANY_API, self.crate.api_module).encode()

    @property
    def _source(self) -> str:
        return self.case.expectations.test_file or ""

    def _libtest(self) -> Iterator[tuple[str, bytes]]:
        spliced = splice_module(without_test_items(self.code).text, self.crate.module)
        yield "case/Cargo.toml", copy_manifest(self.case, harness=False, libtest=True)
        yield LIBRARY_FILE, _bytes(spliced)
        yield self.crate.tests_file, libtest_file(self._source).text.encode()

    def _public(self) -> Iterator[tuple[str, bytes]]:
        """Yield the files of a crate that uses the sample."""
        module = self.crate.api_module
        head = f'extern crate sample;\n#[allow(warnings)] #[path = "{module}.rs"] mod {module};'
        yield "case/Cargo.toml", user_manifest(self.case)
        yield HARNESS_FILE, self._harness(head, f"{module}::tests")
        yield self._api("::sample")

    def _spliced(self) -> Iterator[tuple[str, bytes]]:
        """Yield the files of a crate that is the sample with one more module."""
        spliced = splice_module(self.code, self.crate.api_module)
        path = f"case::{self.crate.api_module}::tests"
        yield "case/Cargo.toml", copy_manifest(self.case, harness=True)
        yield HARNESS_FILE, self._harness("extern crate case;", path)
        yield LIBRARY_FILE, _bytes(spliced)
        yield self._api("crate", refusal(self.case, self.crate.code))

    def _harness(self, head: str, path: str) -> bytes:
        head = f"extern crate forgetest_harness;\n{head}"
        counted = self.case.expectations if self.case.expectations.counts else None
        return harness_source(self.crate.tests, head=head, path=path, counted=counted).encode()

    def _api(self, root: str, *first: str) -> tuple[str, bytes]:
        tests = f'#[path = "{self.crate.module}.rs"] pub mod tests;'
        counts = _COUNTS if self.case.expectations.counts else ""
        lines = [*filter(None, (*first, counts)), self.api.text(root), tests]
        return self.crate.api_path, ("\n".join(lines) + "\n").encode()


@dataclass(frozen=True, slots=True)
class AuthoredFile:
    """A file of a graded crate that holds a string of the case, and how a verdict quotes it."""

    key: str  # of the case
    built: Rewritten  # what the compiler saw, in length
    quoted: Rewritten  # the same without the random part of names, as verdicts leave it out


def authored_files(case: Case, code: str, layout: Layout) -> dict[str, AuthoredFile]:
    """Return the files that hold `code` and the tests of its case, by their paths in verdicts."""
    tests = case.expectations.test_file or ""
    folder = "case/tests" if layout is Layout.PUBLIC else "case/src"
    files = split(code, case.answer_files)
    return {
        **dict(built for path in files for built in _of_reference(path, files, layout)),
        f"{folder}/tests.rs": AuthoredFile(
            "expectations.test_file",
            _tests_as_built(tests, layout, f"api_{'0' * TOKEN_DIGITS}"),
            _tests_as_built(tests, layout, "api"),
        ),
    }


def _of_reference(
    path: str, files: Mapping[str, str], layout: Layout
) -> Iterator[tuple[str, AuthoredFile]]:
    """Yield a file of the reference in both packages; each of several has a key of its own."""
    key = "reference_solution" if len(files) == 1 else f"reference_solution.{path}"
    copied = without_test_items(files[path]) if layout is Layout.LIBTEST else Rewritten(files[path])
    yield path, _unchanged(key, Rewritten(files[path]))
    yield f"case/{path}", _unchanged(key, copied)


def _unchanged(key: str, file: Rewritten) -> AuthoredFile:
    return AuthoredFile(key, file, file)


def _tests_as_built(tests: str, layout: Layout, api: str) -> Rewritten:
    if layout is Layout.LIBTEST:
        return libtest_file(tests)
    return callable_file(tests, api=api, std_macros=True)


TOKEN = "forgetest"  # noqa: S105 - in place of the random part of names


@dataclass(frozen=True, slots=True)
class Exported:
    """A crate to be written, and the lock file of its dependencies where one is known."""

    crate: Crate
    lock: bytes | None
    layout: Layout


def graded_crate(case: Case, code: str, verdict: Verdict | None, *, lock: bytes | None) -> Exported:
    """Return the workspace in which a sample was graded.

    A verdict says how far the tests had to reach into the sample; without that, they are put where
    they are tried first. Raises EvalSetError when a context file would lie outside the crate.
    """
    reach = verdict.reach if verdict else None
    crate = build_crate(case, code, token=TOKEN, reach=reach)
    if uses := case.expectations.compile_fail:
        library = SAMPLE if crate.layout is Layout.PUBLIC else CASE
        crate.files.update(use_files(case, uses, library=library))
        for use in uses:
            crate.files[f"{USES_FOLDER}/rejected/{use.name}.rs"] = use.source.encode()
    return Exported(crate, lock, crate.layout)
