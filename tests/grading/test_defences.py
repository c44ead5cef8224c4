"""Each defence, switched off alone, lets something through: else its tests prove nothing."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from attacks import attack
from boxes import guarded, sandbox_of, toolchain
from graders import grade, outcomes
from surroundings import Surroundings, surroundings

from forgetest.grading.limits import ALL, Defences
from forgetest.grading.verdict import Verdict
from forgetest.sandbox.sandbox import Sandbox

pytestmark = pytest.mark.cargo


@pytest.fixture(scope="module")
def around(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Surroundings]:
    with surroundings(tmp_path_factory.mktemp("defences"), toolchain().sysroot) as made:
        yield made


@pytest.fixture
def sandbox(pytestconfig: pytest.Config) -> Sandbox:
    return sandbox_of("bwrap", pytestconfig)


@pytest.fixture
def none(pytestconfig: pytest.Config) -> Sandbox:
    return sandbox_of("none", pytestconfig)


def verdict_on(
    name: str, sandbox: Sandbox, around: Surroundings, *, layout: str | None = None, **off: bool
) -> Verdict:
    found = attack(name)
    defences = replace(ALL, **off)
    grader = guarded(
        sandbox, cache=around.cache, temp=around.temp, layout=layout, defences=defences
    )
    return grade(grader, found.case, found.code(around.places))


@pytest.mark.parametrize(
    ("name", "off", "outcome_without"),
    [
        ("f34", ("trap",), "passed"),
        ("f27b", ("trap", "nonce"), "passed"),
        ("f27b", ("nonce",), "tampered"),  # the trap still holds
        ("f09", ("wrappers",), "passed"),
        ("f16", ("scan",), "tampered"),  # the self-check still holds
        ("f16", ("scan", "self_check"), "passed"),
        ("f12b", ("own_crate",), "passed"),
        ("r05", ("environment",), "passed"),
    ],
)
def test_without_a_defence_an_attack_comes_through(
    name: str, off: tuple[str, ...], outcome_without: str, sandbox: Sandbox, around: Surroundings
) -> None:
    switched = dict.fromkeys(off, False)
    assert str(verdict_on(name, sandbox, around, **switched).outcome) == outcome_without
    for one in off if len(off) > 1 else ():  # that all of them hold, the corpus of attacks shows
        others = {other: False for other in off if other != one}
        assert not verdict_on(name, sandbox, around, **others).passed, one


@pytest.mark.parametrize("name", ["r06", "r07", "r08", "r09", "e02", "e05", "e06", "e07"])
def test_without_a_sandbox_what_it_holds_comes_through(
    name: str, none: Sandbox, around: Surroundings
) -> None:
    """That it does not with one, the corpus of attacks shows, in every backend."""
    if name == "r06" and os.geteuid() == 0:
        pytest.skip("the launcher leaves no right to look into processes of root")
    assert attack(name).once is None
    assert verdict_on(name, none, around).passed


def test_without_a_sandbox_files_are_written_outside(none: Sandbox, around: Surroundings) -> None:
    written = [Path(str(around.places["OUTSIDE"]), "e01"), Path("/var/tmp/forgetest-e01")]  # noqa: S108
    before = around.state()
    try:
        verdict_on("e01", none, around)
        assert all(path.exists() for path in written)
        assert around.state() != before  # or the tests of attacks would see nothing
    finally:
        for path in (*written, Path("/dev/shm/forgetest-e01")):  # noqa: S108
            path.unlink(missing_ok=True)


def test_where_proc_is_to_be_seen_only_the_trap_stops_who_reads_the_nonce(
    none: Sandbox, sandbox: Sandbox, around: Surroundings
) -> None:
    assert verdict_on("f25", none, around, trap=False).passed
    assert str(verdict_on("f25", none, around).outcome) == "tampered"
    assert not verdict_on("f25", sandbox, around, trap=False).passed


@pytest.mark.parametrize("layout", ["public", "splice"])
def test_a_process_for_each_test_saves_the_others(
    layout: str, sandbox: Sandbox, around: Surroundings
) -> None:
    found = verdict_on("x11", sandbox, around, layout=layout)
    assert list(outcomes(found).values()) == ["passed", "crashed", "passed", "passed"]


def test_all_defences_are_on_unless_a_test_says_so() -> None:
    assert Defences() == ALL
    assert all(getattr(ALL, name) for name in Defences.__dataclass_fields__)


def test_without_a_sandbox_a_listener_is_told(none: Sandbox, around: Surroundings) -> None:
    told = around.state()["told"]
    verdict_on("e02", none, around)
    assert around.state()["told"] != told
