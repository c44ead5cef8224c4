"""A probe is a quick look: whether the tests notice code, and which test does first."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from graders import cache_of, make_case, make_grader, sandbox_of

from forgetest.grading.limits import Order
from forgetest.grading.probe import Noticed, Probe
from forgetest.sandbox.backends import Backend
from forgetest.sandbox.none import PlainBoxes
from forgetest.sandbox.sandbox import Sandbox

pytestmark = pytest.mark.cargo

TESTS = """
#[test]
fn one() { assert_eq!(count(1), 1); }
#[test]
fn two() { assert_eq!(count(2), 2); }
#[test]
fn three() { assert_eq!(count(3), 3); }
"""
RIGHT = "pub fn count(n: u32) -> u32 { n }"
CASE = make_case("count", TESTS, RIGHT, timeout_secs=1.0)


@pytest.mark.parametrize(
    ("code", "noticed", "test"),
    [
        (RIGHT, Noticed.PASSED, ""),
        ("pub fn count(n: u32) -> u32 { if n == 1 { 1 } else { 9 } }", Noticed.FAILED, "two"),
        (
            "pub fn count(n: u32) -> u32 { loop { std::hint::black_box(n); } }",
            Noticed.TIMEOUT,
            "one",
        ),
        ("pub fn count(n: u32) -> u32 { n > 1 }", Noticed.NOT_COMPILED, ""),
        ("pub fn other(n: u32) -> u32 { n }", Noticed.NOT_COMPILED, ""),
        ("fn count(n: u32) -> u32 { if n == 3 { panic!() } n }", Noticed.FAILED, "three"),
    ],
)
@pytest.mark.parametrize("guarded", [True, False])
def test_the_first_test_that_does_not_pass_is_the_last(
    pytestconfig: pytest.Config, code: str, noticed: Noticed, test: str, guarded: bool
) -> None:
    boxes = {} if guarded else {"sandbox": plain(cache_of(pytestconfig))}
    grader = make_grader(pytestconfig, **boxes)

    assert asyncio.run(grader.probe(CASE, code)) == Probe(noticed, test)


def plain(cache: Path) -> Sandbox:
    """Return the boxes of systems on which the launcher is not at home."""
    return replace(sandbox_of(Backend.NONE, cache), boxes=PlainBoxes())


@pytest.mark.parametrize("order", Order)
def test_the_order_of_the_tests_changes_no_verdict(
    pytestconfig: pytest.Config, order: Order
) -> None:
    grader = make_grader(pytestconfig)

    verdict = asyncio.run(grader.grade(CASE, RIGHT, order=order))

    assert verdict.passed
    assert [test.name for test in verdict.tests] == ["one", "two", "three"]
