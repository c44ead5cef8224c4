"""Programs are linked without the C compiler only where a trial shows that they start."""

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import pytest

from forgetest.grading.direct import direct_link_args
from forgetest.system.toolchain import Toolchain

pytestmark = pytest.mark.cargo

CC = """#!/bin/sh
echo ' collect2 -dynamic-linker {loader} -L/usr/lib Scrt1.o nothing.o crtn.o' >&2
"""


def args(toolchain: Toolchain, path: str) -> tuple[str, ...]:
    return asyncio.run(direct_link_args(toolchain, {"PATH": path}))


@pytest.fixture(scope="module")
def toolchain() -> Toolchain:
    return Toolchain.resolve(os.environ)


def test_what_cc_says_is_passed_on_when_the_trial_works(toolchain: Toolchain) -> None:
    found = args(toolchain, toolchain.search_path)
    if not (toolchain.library_folder.with_name("bin") / "rust-lld").is_file():
        assert found == ()
        return
    said = [word.removeprefix("link-arg=") for word in found if word.startswith("link-arg=")]
    files = [Path(word).name for word in said if word.endswith(".o")]
    assert files[0].endswith("crt1.o")
    assert files[-1] == "crtn.o"
    assert any(word.startswith("-dynamic-linker=") for word in said)


def test_without_cc_nothing_is_changed(toolchain: Toolchain, tmp_path: Path) -> None:
    assert args(toolchain, str(tmp_path)) == ()


def test_what_does_not_link_is_not_used(toolchain: Toolchain, tmp_path: Path) -> None:
    program = tmp_path / "cc"
    program.write_text(CC.format(loader="/nowhere/loader"))
    program.chmod(0o755)
    assert args(toolchain, f"{tmp_path}:/usr/bin:/bin") == ()


def test_without_a_linker_of_its_own_nothing_is_changed(
    toolchain: Toolchain, tmp_path: Path
) -> None:
    assert args(replace(toolchain, sysroot=tmp_path), toolchain.search_path) == ()
