"""What the machine fails at says nothing about a case, and is told."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from deepsets import Checked, a_case, deep, write
from disks import mounted
from program import Program, program_in

pytestmark = pytest.mark.cargo

# The disk holds the crate of a small case, and not this file.
BIG = f'context = [{{ path = "src/big.txt", content = """{"x" * 7_000_000}""" }}]'
CASES = (a_case("small"), a_case("large", more=BIG))
ONE = ("--times", "1", "--parallelism", "1")


@contextmanager
def crowded(program: Program, folder: Path) -> Iterator[Program]:
    """Give a program a disk of 6 MiB for its work."""
    with mounted(folder, "size=6m") as disk:
        yield Program(program.folder, {**program.environ, "TMPDIR": str(disk)})


@pytest.fixture(scope="module")
def roomy(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Program:
    """Return the program with all the room of this machine."""
    folder, home = (tmp_path_factory.mktemp(name) for name in ("roomy", "cache"))
    return program_in(folder, home, pytestconfig)


@pytest.fixture(scope="module")
def found(roomy: Program, tmp_path_factory: pytest.TempPathFactory) -> Checked:
    """Check both cases where one finds no room."""
    with crowded(roomy, tmp_path_factory.mktemp("disk")) as program:
        return deep(program, *CASES, args=ONE)


def test_a_case_that_the_machine_fails_on_is_not_checked_and_not_broken(
    found: Checked, roomy: Program, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert found.done.code == 3
    assert found.findings("small") == {}
    assert not found.case("large")["broken"]
    assert "No space left on device" in found.findings("large")["unchecked fault"]

    with crowded(roomy, tmp_path_factory.mktemp("disk")) as program:
        plain = program("validate", roomy.folder / "s.toml", "--parallelism", "1")

    assert plain.code == 3
    assert "s/small: ok" in plain.err
    assert "s/large: unchecked (fault)" in plain.err


@pytest.mark.usefixtures("found")
def test_a_fault_is_not_remembered(roomy: Program) -> None:
    again = deep(roomy, *CASES, args=ONE)

    assert again.done.code == 0
    assert [again.case(name)["cached"] for name in ("small", "large")] == [True, False]


def test_a_case_that_can_not_be_checked_is_asked_all_the_same(
    forgetest: Program, tmp_path_factory: pytest.TempPathFactory
) -> None:
    asked = ("-e", write(forgetest, *CASES), "-m", "reference/solution", "--pass-k", "1")

    with crowded(forgetest, tmp_path_factory.mktemp("disk")) as program:
        done = program("run", *asked, "--skip-broken", "--dry-run")

    assert done.code == 0, done.err
    assert "not checked, kept: s/large: disk: " in done.err
    assert "left out" not in done.err
    assert "1 model x 2 cases x 1 sample = 2 samples" in done.out
