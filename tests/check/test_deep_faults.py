"""What the machine fails at says nothing about a case, and is told."""

from collections.abc import Iterator

import pytest
from deepsets import a_case, deep, write
from disks import mounted
from program import Program

pytestmark = pytest.mark.cargo

# The disk holds the crate of a small case, and not this file.
BIG = f'context = [{{ path = "src/big.txt", content = """{"x" * 7_000_000}""" }}]'
CASES = (a_case("small"), a_case("large", more=BIG))
ONE = ("--times", "1", "--parallelism", "1")


@pytest.fixture
def crowded(forgetest: Program, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """Return the program with a disk of 6 MiB for its work."""
    with mounted(tmp_path_factory.mktemp("disk"), "size=6m") as disk:
        yield Program(forgetest.folder, {**forgetest.environ, "TMPDIR": str(disk)})


def test_a_case_that_the_machine_fails_on_is_not_checked_and_not_broken(crowded: Program) -> None:
    found = deep(crowded, *CASES, args=ONE)

    assert found.done.code == 3
    assert found.findings("small") == {}
    assert not found.case("large")["broken"]
    assert "No space left on device" in found.findings("large")["unchecked fault"]

    plain = crowded("validate", crowded.folder / "s.toml", "--parallelism", "1")

    assert plain.code == 3
    assert "s/small: ok" in plain.err
    assert "s/large: unchecked (fault)" in plain.err


def test_a_fault_is_not_remembered(crowded: Program, forgetest: Program) -> None:
    deep(crowded, *CASES, args=ONE)

    again = deep(forgetest, *CASES, args=ONE)

    assert again.done.code == 0
    assert [again.case(name)["cached"] for name in ("small", "large")] == [True, False]


def test_a_case_that_can_not_be_checked_is_asked_all_the_same(crowded: Program) -> None:
    path = write(crowded, *CASES)

    done = crowded(
        "run", "-e", path, "-m", "reference/solution", "--pass-k", "1", "--skip-broken", "--dry-run"
    )

    assert done.code == 0, done.err
    assert "not checked, kept: s/large: disk: " in done.err
    assert "left out" not in done.err
    assert "1 model x 2 cases x 1 sample = 2 samples" in done.out
