"""The Cargo.toml of each package of a graded crate: sample, case, harness and workspace."""

import json
from collections.abc import Sequence

from forgetest.evalset.types import Case, Dependency
from forgetest.grading.layout import USES

SAMPLE = "sample"
CASE = "case"
HARNESS = "forgetest-harness"
HARNESS_CRATE = HARNESS.replace("-", "_")

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
_ANSWER = """\
[package]
name = "{name}"
version = "0.0.0"
edition = "{edition}"
publish = false

[dependencies]
{dependencies}

[workspace]
"""
_LIBRARY = """
[lib]
path = "src/lib.rs"
test = {test}
doctest = false
bench = false
"""
_ON_SAMPLE = 'sample = { path = ".." }\n'
_ON_HARNESS = 'forgetest-harness = { path = "../harness" }\n'
# For the lock file alone: one serves every layout.
_NEVER = """
[target.'cfg(any())'.dependencies]
"""
_WORKSPACE = """
[workspace]
members = ["case", "harness"]
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


# Its files are written when the sample is built, which must not see them.
_USES_TARGET = f"""
[[test]]
name = "{USES}"
path = "{USES}/lib.rs"
harness = false
test = false
"""


def root_manifest(case: Case) -> bytes:
    """Return the manifest of the sample and of the workspace."""
    text = _manifest(SAMPLE, case) + _LIBRARY.format(test="false") + _WORKSPACE
    return text.encode()


def answer_manifest(case: Case) -> bytes:
    """Return the manifest of the sample alone, for somebody who writes it."""
    return _ANSWER.format(
        name=SAMPLE, edition=case.edition, dependencies=_dependency_lines(case.dependencies)
    ).encode()


def user_manifest(case: Case) -> bytes:
    """Return the manifest of a `case` that uses the sample."""
    manifest = _manifest(CASE, case) + _ON_SAMPLE + _ON_HARNESS
    return (manifest + _CASE + _HARNESS_TARGET + _uses_target(case)).encode()


def harness_manifest() -> bytes:
    """Return the manifest of the library that runs tests."""
    return (_package(HARNESS, "2021", "") + _LIBRARY.format(test="false") + _CASE).encode()


def copy_manifest(case: Case, *, harness: bool, libtest: bool = False) -> bytes:
    """Return the manifest of a `case` that is a copy of the sample."""
    library = _LIBRARY.format(test="true" if libtest else "false")
    target = (_HARNESS_TARGET if harness else "") + _uses_target(case)
    manifest = _manifest(CASE, case) + _ON_HARNESS + _NEVER + _ON_SAMPLE
    return (manifest + library + _CASE + target).encode()


def _uses_target(case: Case) -> str:
    return _USES_TARGET if case.expectations.compile_fail else ""


def _manifest(name: str, case: Case) -> str:
    return _package(name, case.edition, _dependency_lines(case.dependencies))


def _package(name: str, edition: str, dependencies: str) -> str:
    return _MANIFEST.format(name=name, edition=edition, dependencies=dependencies)


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
