"""Identical code is graded once; what could come out otherwise, and every fault, is not shared."""

import asyncio
import dataclasses
import json
import multiprocessing
import os
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from graders import CASES, make_case
from program import ROOT
from records import verdict

from forgetest.errors import Fault, FaultKind
from forgetest.evalset.types import Case, Dependency
from forgetest.grading.graders import ConcurrencyLimit, VerdictCache, is_shareable, verdict_key
from forgetest.grading.identity import grader_version, identity_of
from forgetest.grading.limits import Limits
from forgetest.grading.verdict import Diagnostic, Outcome, Span, TestOutcome, TestResult, Verdict
from forgetest.grading.verdict_store import VerdictStore
from forgetest.system.toolchain import Toolchain

ADD = CASES["add"]
SPAN = Span(file="src/lib.rs", line=1, column=1, end_line=1, end_column=2)
ERROR = Diagnostic(level="error", code="E0308", message="mismatched types", span=SPAN)
KEY = "ab" + "0" * 62


class Counting:
    """A grader that takes its time and counts what it is asked to grade."""

    def __init__(
        self, answer: Callable[[int], Verdict] = lambda _: verdict("P"), identity: str = "one"
    ) -> None:
        self.identity = identity
        self.calls: Counter[str] = Counter()
        self.at_once = 0
        self.most_at_once = 0
        self._answer = answer

    async def grade(self, case: Case, code: str) -> Verdict:  # noqa: ARG002 - the seam
        self.calls[code] += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        call = self.calls[code]
        try:
            await asyncio.sleep(0.01)
            return self._answer(call)
        finally:
            self.at_once -= 1


def together(cache: VerdictCache, *codes: str, case: Case = ADD) -> list[Verdict | BaseException]:
    async def all_of_them() -> list[Verdict | BaseException]:
        gradings = (cache.grade(case, code) for code in codes)
        return await asyncio.gather(*gradings, return_exceptions=True)

    return asyncio.run(all_of_them())


def flags(found: list[Verdict | BaseException]) -> list[tuple[str, ...]]:
    return [item.flags if isinstance(item, Verdict) else ("fault",) for item in found]


def graded_by(cache: VerdictCache, code: str = "a", case: Case = ADD) -> Verdict:
    return asyncio.run(cache.grade(case, code))


def test_identical_code_of_one_moment_is_graded_once() -> None:
    grader = Counting()

    found = together(VerdictCache(grader), "a", "b", "a", "a")

    assert grader.calls == {"a": 1, "b": 1}
    assert flags(found) == [(), (), ("duplicate",), ("duplicate",)]


def test_a_remembered_verdict_differs_only_in_flag_and_timings(tmp_path: Path) -> None:
    slow = verdict("F").model_copy(update={"timings": {"compile": 3.0, "total": 4.0}})
    cache = VerdictCache(Counting(lambda _: slow), VerdictStore(tmp_path))
    later = VerdictCache(Counting(lambda _: slow), VerdictStore(tmp_path))

    first, again, next_run = graded_by(cache), graded_by(cache), graded_by(later)

    assert first == slow
    assert (again.flags, next_run.flags) == (("duplicate",), ("cached",))
    for remembered in (again, next_run):
        assert remembered.timings["total"] < 0.5
        assert remembered.model_copy(update={"flags": (), "timings": slow.timings}) == slow


def test_a_verdict_outlives_the_run(tmp_path: Path) -> None:
    first, second = Counting(), Counting()

    graded_by(VerdictCache(first, VerdictStore(tmp_path)))
    found = together(VerdictCache(second, VerdictStore(tmp_path)), "a", "a", "b")

    assert second.calls == {"b": 1}
    assert flags(found) == [("cached",), ("duplicate",), ()]


def test_a_fault_is_the_affair_of_the_one_sample_that_met_it(tmp_path: Path) -> None:
    def answer(call: int) -> Verdict:
        if call == 1:
            raise Fault(FaultKind.SANDBOX, "killed")
        return verdict("P")

    grader = Counting(answer)
    found = together(VerdictCache(grader, VerdictStore(tmp_path)), "a", "a", "a")

    assert flags(found) == [("fault",), (), ("duplicate",)]
    assert grader.calls["a"] == 2


def test_only_faults_leave_nothing_behind(tmp_path: Path) -> None:
    def answer(_: int) -> Verdict:
        raise Fault(FaultKind.DISK, "full")

    grader = Counting(answer)
    found = together(VerdictCache(grader, VerdictStore(tmp_path)), "a", "a")

    assert flags(found) == [("fault",), ("fault",)]
    assert grader.calls["a"] == 2
    assert list(tmp_path.iterdir()) == []


def test_whoever_waits_goes_on_when_the_first_is_cancelled() -> None:
    grader = Counting()
    cache = VerdictCache(grader)

    async def cancel_the_first() -> Verdict:
        first = asyncio.create_task(cache.grade(ADD, "a"))
        second = asyncio.create_task(cache.grade(ADD, "a"))
        await asyncio.sleep(0)
        first.cancel()
        found = await second
        assert first.cancelled()
        return found

    assert asyncio.run(cancel_the_first()).flags == ()
    assert grader.calls["a"] == 2


def test_the_first_goes_on_when_whoever_waits_is_cancelled() -> None:
    grader = Counting()
    cache = VerdictCache(grader)

    async def cancel_the_second() -> Verdict:
        first = asyncio.create_task(cache.grade(ADD, "a"))
        second = asyncio.create_task(cache.grade(ADD, "a"))
        await asyncio.sleep(0)
        second.cancel()
        return await first

    assert asyncio.run(cancel_the_second()).passed
    assert grader.calls["a"] == 1


def timed_out(_: int) -> Verdict:
    tests = (TestResult(name="t", outcome=TestOutcome.TIMEOUT),)
    return verdict("F").model_copy(update={"outcome": Outcome.TEST_TIMEOUT, "tests": tests})


def test_code_that_met_a_limit_is_graded_each_time_and_all_at_once(tmp_path: Path) -> None:
    grader = Counting(timed_out)

    found = together(VerdictCache(grader, VerdictStore(tmp_path)), *"aaaa")

    assert grader.calls["a"] == 4
    assert grader.most_at_once == 3
    assert flags(found) == [()] * 4
    assert list(tmp_path.iterdir()) == []


def test_a_sample_that_waits_for_its_twin_takes_no_place() -> None:
    grader = Counting()

    async def grade() -> None:
        cache = VerdictCache(ConcurrencyLimit(grader, asyncio.Semaphore(2)))
        await asyncio.gather(*(cache.grade(ADD, code) for code in "aaaabbbbccdd"))

    asyncio.run(grade())

    assert grader.calls == dict.fromkeys("abcd", 1)
    assert grader.most_at_once == 2


def with_tests(outcome: TestOutcome) -> Verdict:
    tests = (TestResult(name="t", outcome=outcome),)
    return verdict("F").model_copy(update={"tests": tests})


def ended(outcome: Outcome, **more: object) -> Verdict:
    return Verdict.model_validate({"outcome": outcome, "passed": False, **more})


@pytest.mark.parametrize(
    ("found", "shared"),
    [
        (verdict("P"), True),
        (verdict("F"), True),
        (with_tests(TestOutcome.CRASHED), True),
        (with_tests(TestOutcome.EXITED_EARLY), True),
        (with_tests(TestOutcome.TIMEOUT), False),
        (with_tests(TestOutcome.OUTPUT_LIMIT), False),
        (ended(Outcome.TEST_TIMEOUT), False),
        (ended(Outcome.COMPILE_TIMEOUT, errors=(ERROR,)), False),
        (ended(Outcome.COMPILE_FAILED, errors=(ERROR,)), True),
        (ended(Outcome.COMPILE_FAILED, reasons=("the compiler crashed",)), False),
        (ended(Outcome.TEST_BUILD_FAILED, test_errors=(ERROR,)), True),
        (ended(Outcome.TEST_BUILD_FAILED), False),
        (verdict("P").model_copy(update={"flags": ("unsteady",)}), False),
        (verdict("P").model_copy(update={"flags": ("clippy_failed",)}), False),
        (verdict("P").model_copy(update={"flags": ("libtest",)}), True),
    ],
)
def test_only_what_can_not_come_out_otherwise_is_shared(found: Verdict, *, shared: bool) -> None:
    assert is_shareable(found) is shared


def test_a_custom_check_may_change_and_is_asked_each_time(tmp_path: Path) -> None:
    checked = make_case("checked", "", None, custom_check="./check.py")
    grader = Counting()

    found = together(VerdictCache(grader, VerdictStore(tmp_path)), "a", "a", case=checked)

    assert grader.calls["a"] == 2
    assert flags(found) == [(), ()]
    assert list(tmp_path.iterdir()) == []


def test_crates_that_are_not_resolved_yet_stand_for_nothing(tmp_path: Path) -> None:
    case = make_case("t", "", None, dependencies=(Dependency(name="tokio", version="1"),))
    grader = Counting()
    unknown = VerdictCache(grader, VerdictStore(tmp_path))
    old = VerdictCache(grader, VerdictStore(tmp_path), lock_of=lambda _: "tokio 1.40")
    new = VerdictCache(grader, VerdictStore(tmp_path), lock_of=lambda _: "tokio 1.41")

    found = [graded_by(cache, case=case) for cache in (unknown, unknown, old, new, old)]

    assert [item.flags for item in found] == [(), (), (), (), ("duplicate",)]


DIFFERENT = {
    "edition": "2024",
    "prompt": "another",
    "timeout_secs": 9.0,
    "unsafe": "deny",
    "reference_solution": "fn other() {}",
    "answer_files": ("src/lib.rs", "src/a.rs"),
    "context": ({"path": "src/a.rs", "content": ""},),
    "dependencies": ({"name": "tokio", "version": "1"},),
    "expectations": {"test_file": "#[test] fn t() {}"},
}
SAME = {
    "id": "other",
    "eval_set": "other",
    "name": "other",
    "tags": ("other",),
    "description": "other",
    "difficulty": "hard",
    "max_tokens": 9,
    "file": "other.toml",
    "line": 9,
    "equivalent_mutants": ({"mutant": "add: a + b -> b + a", "reason": "The same sum."},),
}


def key(case: Case = ADD, code: str = "a", identity: str = "i", lock: str = "") -> str:
    return verdict_key(case, code, identity=identity, lock=lock)


@pytest.mark.parametrize("field", DIFFERENT)
def test_whatever_grading_looks_at_changes_the_key(field: str) -> None:
    assert key(Case.model_validate({**ADD.model_dump(), field: DIFFERENT[field]})) != key()


@pytest.mark.parametrize("field", SAME)
def test_a_name_does_not_change_the_key(field: str) -> None:
    assert key(Case.model_validate({**ADD.model_dump(), field: SAME[field]})) == key()


def test_code_identity_and_lock_change_the_key_and_can_not_be_mistaken_for_each_other() -> None:
    keys = {key(), key(code="b"), key(identity="j"), key(lock="l")}
    keys |= {key(identity="il", lock=""), key(identity="i", lock="l"), key(code="\udc80")}

    assert len(keys) == 6


def test_every_field_of_a_case_is_either_in_the_key_or_known_to_be_of_no_effect() -> None:
    fixed = {"language", "protocol"}  # in the key; a case of this version has but few of them

    assert set(Case.model_fields) == set(DIFFERENT) | set(SAME) | fixed


def test_another_identity_grades_again(tmp_path: Path) -> None:
    graded_by(VerdictCache(Counting(), VerdictStore(tmp_path)))
    other = Counting(identity="two")

    assert graded_by(VerdictCache(other, VerdictStore(tmp_path))).flags == ()
    assert other.calls["a"] == 1


def stored(folder: Path) -> Path:
    (path,) = (path for path in folder.rglob("*") if path.is_file())
    return path


def tear(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def forge(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"passed":false', b'"passed":true '))


def empty(path: Path) -> None:
    path.write_bytes(b"")


def foreign(path: Path) -> None:
    path.write_bytes(b'{"outcome": "passed", "passed": true}')


def link(path: Path) -> None:
    original = path.with_name("original")
    path.rename(original)
    path.symlink_to(original)


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def huge(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(1 << 33)


@pytest.mark.parametrize("spoil", [tear, forge, empty, foreign, link, pipe, huge])
def test_a_file_that_is_not_what_was_written_is_ignored_and_replaced(
    tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    graded_by(VerdictCache(Counting(lambda _: verdict("F")), VerdictStore(tmp_path)))
    path = stored(tmp_path)
    spoil(path)
    second, third = Counting(lambda _: verdict("F")), Counting()

    assert graded_by(VerdictCache(second, VerdictStore(tmp_path))).flags == ()
    assert second.calls["a"] == 1
    assert graded_by(VerdictCache(third, VerdictStore(tmp_path))).flags == ("cached",)
    assert json.loads(path.read_bytes())["verdict"]["passed"] is False


def test_a_file_under_another_name_is_no_verdict(tmp_path: Path) -> None:
    store = VerdictStore(tmp_path)
    store.put(KEY, verdict("P"))
    path = stored(tmp_path)
    other = "ab" + "1" * 62
    path.rename(path.with_name(f"{other}.json"))

    assert store.get(other) is None


def test_a_disk_that_refuses_costs_nothing_but_time(tmp_path: Path) -> None:
    (tmp_path / "verdicts").write_text("in the way")
    grader = Counting()

    assert graded_by(VerdictCache(grader, VerdictStore(tmp_path))).passed
    assert (tmp_path / "verdicts").read_text() == "in the way"


def test_a_very_long_verdict_is_not_kept(tmp_path: Path) -> None:
    store = VerdictStore(tmp_path)
    long = verdict("F").model_copy(update={"reasons": ("x" * (2 << 20),)})

    store.put(KEY, long)

    assert list(store.files()) == []


def write_forever(folder: Path) -> None:
    """Write one verdict again and again, each time another one under the same key."""
    store = VerdictStore(folder)
    number = 0
    while True:
        store.put(KEY, verdict("F").model_copy(update={"reasons": (f"{number} " * 5000,)}))
        number += 1


def test_two_that_write_at_once_and_a_kill_leave_a_whole_verdict_or_none(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    store = VerdictStore(tmp_path)
    for _ in range(2):
        writers = [spawn.Process(target=write_forever, args=(tmp_path,)) for _ in range(2)]
        for writer in writers:
            writer.start()
        deadline = time.monotonic() + 60
        while store.get(KEY) is None and time.monotonic() < deadline:
            time.sleep(0.01)
        for _ in range(300):
            found = store.get(KEY)
            assert found is not None
            assert len(set(found.reasons[0].split())) == 1
        for writer in writers:
            os.kill(writer.pid or 0, signal.SIGKILL)
            writer.join()
        assert store.get(KEY) is not None


def put_aged(store: VerdictStore, count: int) -> list[str]:
    """Store verdicts of one shard, each used a day before the next; return their keys."""
    keys = [f"ab{number + 16:062x}" for number in range(count)]
    assert all(name[2] == "0" for name in keys)
    for number, name in enumerate(keys):
        roomy = VerdictStore(store.folder.parent)
        roomy.put(name, verdict("P"))
        used = time.time() - (count - number) * 86400
        os.utime(store.folder / "ab" / f"{name}.json", (used, used))
    return keys


def test_the_least_recently_used_verdicts_go_beyond_the_number(tmp_path: Path) -> None:
    store = VerdictStore(tmp_path, entries=4 * 256)
    keys = put_aged(store, 6)
    assert store.get(keys[0])  # used now

    store.put(f"ab0{'f' * 61}", verdict("P"))

    kept = [name for name in keys if store.get(name)]
    assert kept == [keys[0], keys[4], keys[5]]


def test_the_least_recently_used_verdicts_go_beyond_the_bytes(tmp_path: Path) -> None:
    keys = put_aged(VerdictStore(tmp_path), 6)
    size = next(iter(VerdictStore(tmp_path).files())).size
    store = VerdictStore(tmp_path, budget=256 * 3 * size)

    store.put(f"ab0{'f' * 61}", verdict("P"))

    assert [name for name in keys if store.get(name)] == keys[4:]


def test_what_a_killed_writer_left_is_swept_after_an_hour(tmp_path: Path) -> None:
    store = VerdictStore(tmp_path)
    put_aged(store, 1)
    old, young = (store.folder / "ab" / f".{name}.tmp" for name in ("old", "young"))
    for path in (old, young):
        path.write_text("torn")
    os.utime(old, (time.time() - 7200,) * 2)

    store.put(f"ab0{'f' * 61}", verdict("P"))

    assert not old.exists()
    assert young.exists()


def test_a_warm_lookup_takes_about_a_millisecond_at_most(tmp_path: Path) -> None:
    errors = tuple(ERROR.model_copy(update={"rendered": "x" * 400}) for _ in range(20))
    full = verdict("F").model_copy(update={"lints": errors})
    codes = [f"fn f() -> u32 {{ {number} }}\n" * 60 for number in range(200)]
    together(VerdictCache(Counting(lambda _: full), VerdictStore(tmp_path)), *codes)
    warm = VerdictCache(Counting(), VerdictStore(tmp_path))

    started = time.process_time()
    found = together(warm, *codes)
    secs = time.process_time() - started

    assert all(item == ("cached",) for item in flags(found))
    assert secs / len(codes) < 0.003


@pytest.mark.cargo
def test_compiler_limits_and_sandbox_make_the_identity() -> None:
    toolchain = Toolchain.resolve(os.environ)
    older = dataclasses.replace(toolchain, clippy_version="clippy 0.1.0")
    identities = {
        identity_of(toolchain, Limits()),
        identity_of(older, Limits()),
        identity_of(toolchain, Limits(test_cpu_secs=9)),
        identity_of(toolchain, Limits(), "bwrap"),
    }

    assert len(identities) == 4
    assert all(toolchain.rustc_version in identity for identity in identities)


def test_a_change_of_the_graders_own_source_makes_another_grader(tmp_path: Path) -> None:
    package = tmp_path / "forgetest"
    shutil.copytree(ROOT / "forgetest", package)
    same = grader_version(package)
    with (package / "cli" / "main.py").open("a") as file:
        file.write("# not about grading\n")
    still = grader_version(package / ".." / "forgetest")
    with (package / "grading" / "harness.rs").open("a") as file:
        file.write("// about grading\n")
    other = grader_version(package / "grading" / "..")

    assert same == still == grader_version()
    assert other != same
