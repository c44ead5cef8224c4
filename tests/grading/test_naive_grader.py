"""The attacks are real: a grader that appends tests and believes what they print falls for them."""

import asyncio
from pathlib import Path

import pytest
from attacks import attack, attacks
from boxes import sandbox_of, toolchain

from forgetest.sandbox.sandbox import Sandbox
from forgetest.system.process import GIB, CommandLimits, Exit

pytestmark = pytest.mark.cargo

LIMITS = CommandLimits(wall_secs=20, cpu_secs=20, address_space=4 * GIB)
BY_TEXT = "f01 f03d f05 f06 f12 f12b f13 f14b f14c f15 f35b f31"
BY_EXIT_CODE = "f02 f03a f03b f03c f03e f03f f18 f21 f26 f33 f35 f38"


def naively(name: str, sandbox: Sandbox, folder: Path) -> Exit:
    """Append the tests to the sample, compile with `--test`, and run it all in one process."""
    found = attack(name)
    source = folder / "lib.rs"
    places = {"TEMP": folder}
    source.write_text(found.code(places) + (found.case.expectations.test_file or ""))
    program = folder / "program"
    rustc = [str(toolchain().rustc), "--test", "--edition=2021", "-Cdebuginfo=0", str(source)]
    built = in_box([*rustc, "-o", str(program)], sandbox, folder)
    assert built.code == 0, built.stderr.decode()
    return in_box([str(program), "--test-threads=1"], sandbox, folder)


def in_box(argv: list[str], sandbox: Sandbox, folder: Path) -> Exit:
    env = {"PATH": toolchain().search_path, "TMPDIR": str(folder), "RUST_BACKTRACE": "0"}
    call = sandbox.compile(argv, cwd=folder, env=env, limits=LIMITS, reads=(), writes=(folder,))
    return asyncio.run(call)


@pytest.mark.parametrize("name", [*BY_TEXT.split(), *BY_EXIT_CODE.split()])
def test_a_naive_grader_falls_for_it(
    name: str, pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    ended = naively(name, sandbox_of("bwrap", pytestconfig), tmp_path)
    if name in BY_TEXT.split():
        assert b"test result: ok." in ended.stdout
    else:
        assert ended.code == 0


def test_what_the_naive_grader_falls_for_is_in_the_corpus() -> None:
    names = {found.name.partition("_")[0] for found in attacks()}
    assert {*BY_TEXT.split(), *BY_EXIT_CODE.split()} <= names
