"""Every attack and every honest oddity gets the verdict that it deserves, and leaves no trace."""

import asyncio
import platform
from collections.abc import Iterator

import pytest
from attacks import FOLDER, ONCE, PUBLIC, SPLICE, Attack, attacks, cases
from boxes import BACKENDS, guarded, sandbox_of, toolchain
from graders import grade, outcomes
from surroundings import Surroundings, surroundings

from forgetest.grading.verdict import Verdict
from forgetest.sandbox.sandbox import Sandbox
from forgetest.sandbox.types import Held

pytestmark = pytest.mark.cargo

ATTACKS = attacks()
ROWS = """
f01 f02 f03 f04 f05 f06 f07 f08 f09 f12 f13 f15 f16 f17 f20 f21 f25 f26 f30 f31 f33 f34 c02
r01 r02 r03 r04 r05 r06 r07 e01 e02 e03 e04 e05 e06 e07 e08 e12 e13 x01 x02 x03 x04 x05 x06 x07 x08
x09 x10 x11 x12 x13 x14 x15 x16 x18 n01 n03 n08 n10 l01 l02 l03 k01 k05 k06 k07 i01 i02 i03 i04 i05
i06 c06 c10 s01 s02 s03 s04 s05 s06 s07
"""
_SLACK_SECS = 10.0
_MESSAGE_KEPT = 16 << 10  # bytes of all that a verdict says of a test, generously


@pytest.fixture(scope="module")
def around(
    tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> Iterator[Surroundings]:
    with surroundings(tmp_path_factory.mktemp("attacks"), toolchain().sysroot) as made:
        none = guarded(sandbox_of("none", pytestconfig), cache=made.cache, temp=made.temp)
        asyncio.run(none.prepare([cases()["rev"]]))  # what is kept is there before it is looked at
        yield made


def holds(sandbox: Sandbox, guarantee: str) -> bool:
    return getattr(sandbox.guarantees, guarantee) is Held.ENFORCED


def assert_deserved(attack: Attack, verdict: Verdict) -> None:
    assert str(verdict.outcome) in attack.verdict, verdict.reasons
    found = outcomes(verdict)
    assert not found or list(found) == list(attack.tests)
    wrong = {name: word for name, word in found.items() if word not in attack.tests[name]}
    assert wrong == {}, verdict.tests
    assert bool(verdict.reasons) != verdict.passed


def assert_seen_through(attack: Attack, verdict: Verdict) -> None:
    assert set(verdict.integrity.flags) == attack.flags
    assert str(verdict.integrity.level) in attack.level, verdict.integrity.reason
    assert bool(verdict.integrity.reason) == (str(verdict.integrity.level) != "clean")
    if attack.lints is not None:
        lints = [(lint.code or "").removeprefix("clippy::") for lint in verdict.lints]
        assert (lints, verdict.lints_silenced) == (list(attack.lints), attack.silenced)


def gradings() -> Iterator[tuple[Attack, str, str]]:
    """Yield every attack in each of its layouts, and in each backend.

    The layout settles what is compiled, and the backend where it runs: they do not touch, so an
    attack of two layouts meets one in each backend, and its neighbour in the table the other. An
    attack over which neither decides meets one of them, in turns.
    """
    for number, attack in enumerate(ATTACKS):
        backends = (BACKENDS[number // 2 % len(BACKENDS)],) if attack.once else BACKENDS
        for turn, backend in enumerate(backends):
            yield attack, attack.layouts[(number + turn) % len(attack.layouts)], backend


@pytest.mark.parametrize(
    ("attack", "layout", "backend"),
    list(gradings()),
    ids=lambda value: value.name if isinstance(value, Attack) else value,
)
def test_a_sample_gets_what_it_deserves_and_leaves_no_trace(
    attack: Attack,
    layout: str,
    backend: str,
    around: Surroundings,
    pytestconfig: pytest.Config,
) -> None:
    if attack.only not in (None, platform.machine()):
        pytest.skip(f"written for {attack.only}")
    sandbox = sandbox_of(backend, pytestconfig)
    grader = guarded(sandbox, cache=around.cache, temp=around.temp, layout=layout, **attack.limits)
    before = around.state()

    verdict = grade(grader, attack.case, attack.code(around.places))

    if attack.without is None or holds(sandbox, attack.without) or not verdict.passed:
        assert_deserved(attack, verdict)
    assert_seen_through(attack, verdict)
    assert around.state() == before
    text = verdict.model_dump_json()
    assert around.canary not in text
    assert all(len(test.message) < _MESSAGE_KEPT for test in verdict.tests)
    limits = grader.limits
    longest = 3 * limits.compile_wall_secs + len(verdict.tests) * 2 * limits.test_wall_secs
    assert verdict.timings.get("total", 0.0) < longest + _SLACK_SECS


def test_every_attack_is_graded_wherever_layout_or_backend_may_decide() -> None:
    graded = [(attack.name, layout, backend) for attack, layout, backend in gradings()]
    for attack in ATTACKS:
        mine = [(layout, backend) for name, layout, backend in graded if name == attack.name]
        assert (
            len(mine) == 1 if attack.once else {layout for layout, _ in mine} == set(attack.layouts)
        )
        assert attack.once or {backend for _, backend in mine} == set(BACKENDS)
    everywhere = {(layout, backend) for layout in (PUBLIC, SPLICE) for backend in BACKENDS}
    for who in (None, "harness"):
        mine = {attack.name for attack in ATTACKS if attack.once == who}
        assert {(layout, backend) for name, layout, backend in graded if name in mine} == everywhere


def test_what_is_graded_once_asks_the_system_for_nothing() -> None:
    once = [attack for attack in ATTACKS if attack.once]
    assert {attack.once for attack in once} == set(ONCE)
    asking = {"fs", "env", "net", "include", "extern"}
    assert {attack.row for attack in once if attack.flags & asking} == {"k05"}  # never compiled
    assert all(attack.without is None for attack in once)


def test_every_row_of_the_table_has_a_file() -> None:
    assert set(ROWS.split()) - {attack.row for attack in ATTACKS} == set()
    assert len(ATTACKS) > 60


def test_every_file_is_in_the_table() -> None:
    names = {attack.name for attack in ATTACKS}
    assert {path.stem for path in FOLDER.glob("*.rs")} - names == set()


def test_only_what_is_declared_open_passes_without_being_right() -> None:
    cheats = [one for one in ATTACKS if "passed" in one.verdict and not one.honest]
    harmless = {"n01", "l01", "l02", "l03", "l05", "l06", "g07"}  # right, and odd
    assert {one.row for one in cheats if not one.open} == harmless
