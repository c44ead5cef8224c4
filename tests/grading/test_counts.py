"""What tests allocate and do is counted: the same numbers every time, and limits that hold."""

import asyncio
import subprocess
from pathlib import Path

import pytest
from graders import ADD, grade, make_case, make_grader, outcomes

from forgetest.errors import EvalSetError
from forgetest.grading.crate import build_crate
from forgetest.grading.harness import read_report
from forgetest.grading.verdict import Layout, TestResult, Verdict

pytestmark = pytest.mark.cargo

TESTS = """
#[cfg(test)]
mod tests {
    use super::filled;
    use forgetest_counts::{allocations, measure, peak_bytes, Counted};

    #[test] fn takes_nothing() { assert!(filled(0, 0).is_empty()); }
    #[test] fn takes_once() { assert_eq!(filled(1, 100).len(), 1); }
    #[test] fn takes_often() { assert_eq!(filled(9, 100).len(), 9); }
    #[test] fn takes_much() { assert_eq!(filled(2, 5000).len(), 2); }
    #[test] fn makes_larger() { let mut v: Vec<u8> = Vec::with_capacity(10); v.reserve_exact(40); }
    #[test] fn gives_back() { for _ in 0..3 { drop(filled(1, 900)); } }
    #[test] #[should_panic(expected = "too")] fn panics() { filled(1, 9000); }
    #[test] fn does_not_panic() { filled(9, 100); panic!("wanted") }
    #[test] fn prints() { println!("a line"); assert_eq!(filled(1, 100).len(), 1); }
    #[test] fn is_of_a_thread() {
        std::thread::scope(|scope| {
            scope.spawn(|| filled(9, 100));
        });
    }
    #[test] fn is_an_error() -> Result<(), String> { filled(0, 0); Ok(()) }
    #[test] fn asks_itself() {
        assert_eq!(allocations(|| filled(2, 10)), 3);
        assert_eq!(peak_bytes(|| filled(2, 10)), 2 * 24 + 2 * 10);
    }
    #[test] fn asks_inside_of_a_question() {
        let (inner, outer) = measure(|| peak_bytes(|| drop(filled(1, 500))));
        assert_eq!((inner, outer.peak_bytes), (524, 524));
        let ((), after) = measure(|| { filled(1, 500); peak_bytes(|| filled(1, 10)); });
        assert_eq!(after.peak_bytes, 524);
    }
    #[test] fn counts_work() {
        let ((), counts) = measure(|| {
            let (a, b) = (Counted(1), Counted(2));
            assert!(a < b && a != b && a.cmp(&b).is_lt());
            std::collections::HashSet::new().insert(a.clone());
            assert_eq!(format!("{b:?}"), "2");
        });
        let counts = (counts.comparisons, counts.clones, counts.hashes, counts.drops);
        assert_eq!(counts, (3, 1, 1, 3));
    }
    #[test] fn counts_polls() {
        use std::{future::Future, pin::pin, task::{Context, Poll, Waker}};
        let mut left = 2;
        let later = Counted(std::future::poll_fn(move |_| {
            left -= 1;
            if left < 0 { Poll::Ready(()) } else { Poll::Pending }
        }));
        let mut later = pin!(later);
        let mut context = Context::from_waker(Waker::noop());
        let ((), counts) = measure(|| while later.as_mut().poll(&mut context).is_pending() {});
        assert_eq!(counts.polls, 3);
    }
}
"""
CODE = """
pub fn filled(count: usize, size: usize) -> Vec<Vec<u8>> {
    assert!(size < 9000, "too large");
    let mut all = Vec::with_capacity(count);
    all.extend((0..count).map(|_| Vec::with_capacity(size)));
    all
}
"""
# A sample whose own names would hide ours, were they looked up where its names are.
SHADOWS = """
pub mod forgetest_counts {
    pub struct Counted<T>(pub T);
    pub fn allocations<R>(_: impl FnOnce() -> R) -> u64 { 3 }
}
pub mod forgetest_harness { pub mod counts {} }
"""
CASE = make_case("filled", TESTS, CODE, max_allocations=8, max_peak_bytes=2000)


def of(verdict: Verdict, name: str) -> TestResult:
    return next(test for test in verdict.tests if test.name == f"tests::{name}")


def counts(verdict: Verdict) -> dict[str, tuple[int | None, int | None]]:
    return {test.name: (test.allocations, test.peak_bytes) for test in verdict.tests}


@pytest.fixture(scope="module")
def verdict(pytestconfig: pytest.Config) -> Verdict:
    return grade(make_grader(pytestconfig), CASE, CODE)


def test_a_test_that_exceeds_a_limit_fails(verdict: Verdict) -> None:
    failed = {name for name, word in outcomes(verdict).items() if word == "failed"}

    assert failed == {"takes_often", "takes_much", "does_not_panic", "is_of_a_thread"}
    assert str(verdict.outcome) == "tests_failed"
    assert of(verdict, "takes_often").message == "it made 10 allocations, and max_allocations is 8"
    held = "it held 10,048 bytes at once, and max_peak_bytes is 2,000"
    assert of(verdict, "takes_much").message == held
    assert "wanted" in of(verdict, "does_not_panic").message  # it fails for its own reason
    assert "max_allocations" not in of(verdict, "does_not_panic").message


def test_a_test_has_its_own_allocations_and_bytes_and_none_of_the_harness(
    verdict: Verdict,
) -> None:
    found = counts(verdict)

    for name, count in {
        "takes_nothing": (0, 0),
        "takes_once": (2, 124),
        "takes_often": (10, 9 * 124),
        "takes_much": (3, 2 * 24 + 10_000),
        "makes_larger": (2, 40),
        "gives_back": (6, 924),
        "prints": (2, 124),
        "is_an_error": (0, 0),
    }.items():
        assert found[f"tests::{name}"] == count, name
    threads = found["tests::is_of_a_thread"]
    assert threads > found["tests::takes_often"]


def test_counts_are_the_same_wherever_the_tests_are_put_and_whoever_calls_the_compilers(
    verdict: Verdict, pytestconfig: pytest.Config
) -> None:
    spliced = grade(make_grader(pytestconfig, layout=Layout.SPLICE), CASE, CODE + SHADOWS)
    by_cargo = grade(make_grader(pytestconfig, direct=False), CASE, CODE)

    for again in (spliced, by_cargo):
        assert outcomes(again) == outcomes(verdict)
        alone = {name for name in counts(verdict) if not name.endswith("is_of_a_thread")}
        assert {name: counts(again)[name] for name in alone} == {
            name: counts(verdict)[name] for name in alone
        }
    assert spliced.reach is not None
    assert spliced.reach.layout is Layout.SPLICE


def test_nothing_is_counted_for_a_case_that_does_not_ask(pytestconfig: pytest.Config) -> None:
    case = make_case("add", "#[test] fn adds() { assert_eq!(add(1, 2), 3); }", ADD)
    limited = make_case("add", case.expectations.test_file, ADD, max_allocations=0)

    plain = build_crate(case, ADD, token="t")
    counted = build_crate(limited, ADD, token="t")
    changed = {name for name, text in counted.files.items() if plain.files[name] != text}

    assert changed == {"case/tests/case.rs", "case/src/api_t.rs"}
    assert b"allocator" not in plain.files["case/tests/case.rs"]
    graded = grade(make_grader(pytestconfig), case, ADD)
    assert counts(graded) == {"adds": (None, None)}
    assert "allocations" not in graded.model_dump_json()


def test_a_person_who_runs_cargo_in_the_crate_meets_the_limits(
    pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    grader = make_grader(pytestconfig)
    folder = asyncio.run(grader.workshop.lay_out(CASE, CODE, tmp_path / "crate")).folder

    done = subprocess.run(
        ["cargo", "test", "--", "takes"], cwd=folder, capture_output=True, text=True, check=False
    )

    assert done.returncode != 0
    assert "test result: FAILED. 2 passed; 2 failed" in done.stdout
    assert "max_allocations=8:10:1116 tests::takes_often" in done.stdout
    assert "max_peak_bytes=2000:3:10048 tests::takes_much" in done.stdout


@pytest.mark.parametrize("tests", ["#[test] fn adds(x: u32) {}", "#[rstest] fn adds() {}"])
def test_what_only_libtest_can_run_is_refused_by_name(
    tests: str, pytestconfig: pytest.Config
) -> None:
    case = make_case("add", tests, ADD, max_allocations=3)
    case = case.model_copy(update={"file": "mine.toml", "line": 7})

    with pytest.raises(EvalSetError) as refused:
        asyncio.run(make_grader(pytestconfig).prepare([case]))

    assert str(refused.value) == (
        "mine.toml:7: case 'add': test_file: `adds` runs under libtest, where nothing is counted;"
        " write each as a #[test] function"
    )


@pytest.mark.parametrize(
    "word",
    ["max_allocations=8", "max_allocations:1:2", "ok=8:1:2", "ok:1", "ok:1:2:3", "ok:-1:2", ":1:2"],
)
def test_a_report_that_the_harness_does_not_write_is_none(word: str) -> None:
    report = read_report(f"n0 {word} t::a\n".encode(), nonce="n0", name="t::a")

    assert report is None or (report.exceeded, report.word) == ("", "max_allocations")
    good = read_report(b"n0 ok:1:2 t::a\n", nonce="n0", name="t::a")
    assert good is not None
    assert (good.word, good.allocations, good.peak_bytes, good.why) == ("ok", 1, 2, "")
