"""Which trouble passes, which is final, and how long to wait."""

from typing import Any

import pytest

from forgetest.sampling.providers.contract import ApiError
from forgetest.sampling.transport.policy import (
    RetryPolicy,
    Tries,
    Trouble,
    asked_wait,
    trouble_of,
    wait_before_next,
)

NOW = 1_795_219_200.0  # Sat, 21 Nov 2026 00:00:00 GMT


def judged(
    status: int, headers: dict[str, str] | None = None, *, has_answered: bool = False, **error: Any
) -> Trouble:
    told = ApiError(status, "told", **error)
    return trouble_of(told, headers or {}, now=NOW, has_answered=has_answered)


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 524, 529])
def test_these_statuses_pass(status: int) -> None:
    trouble = judged(status)

    assert (trouble.passing, trouble.final) == (True, False)


@pytest.mark.parametrize("status", [301, 307, 400, 401, 402, 403, 404, 405, 422])
def test_these_statuses_end_a_model_that_never_answered(status: int) -> None:
    trouble = judged(status)

    assert (trouble.passing, trouble.final) == (False, True)


@pytest.mark.parametrize(
    ("status", "final"), [(400, False), (403, False), (422, False), (401, True), (404, True)]
)
def test_a_model_that_has_answered_is_not_ended_by_one_rejected_request(
    status: int,
    final: bool,
) -> None:
    trouble = judged(status, has_answered=True)

    assert (trouble.passing, trouble.final) == (False, final)


@pytest.mark.parametrize("status", [400, 403, 413])
def test_a_prompt_at_fault_costs_one_sample(status: int) -> None:
    trouble = judged(status, about_prompt=True)

    assert (trouble.passing, trouble.final) == (False, False)


@pytest.mark.parametrize("status", [400, 402, 429])
def test_a_spent_quota_is_final_whatever_its_status_and_headers(status: int) -> None:
    headers = {"retry-after": "1", "x-should-retry": "true"}

    trouble = judged(status, headers, spent=True, has_answered=True)

    assert (trouble.passing, trouble.final) == (False, True)


def test_a_402_that_says_when_to_come_back_passes() -> None:
    trouble = judged(402, {"retry-after": "3"})

    assert (trouble.passing, trouble.final, trouble.asked_secs) == (True, False, 3.0)


@pytest.mark.parametrize(
    ("status", "wish", "passing"),
    [(500, "false", False), (429, "false", False), (400, "true", True)],
)
def test_the_servers_wish_overrides_the_status(
    status: int,
    wish: str,
    passing: bool,
) -> None:
    trouble = judged(status, {"x-should-retry": wish})

    assert (trouble.passing, trouble.final) == (passing, False)


@pytest.mark.parametrize(
    ("status", "headers", "shared"),
    [
        (429, {}, True),
        (529, {}, True),
        (503, {"retry-after": "2"}, True),
        (503, {}, False),
        (500, {}, False),
        (401, {"retry-after": "2"}, False),
    ],
)
def test_overload_concerns_everyone_who_asks(
    status: int,
    headers: dict[str, str],
    shared: bool,
) -> None:
    assert judged(status, headers).shared == shared


@pytest.mark.parametrize(
    ("headers", "secs"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "1500", "retry-after": "1"}, 1.5),
        ({"retry-after-ms": "500", "retry-after": "1"}, 1.0),
        ({"retry-after": "Sat, 21 Nov 2026 00:00:30 GMT"}, 30.0),
        ({"retry-after": "Sat, 21 Nov 2026 00:00:30 -0000"}, 30.0),
        ({"retry-after": "Fri, 20 Nov 2026 00:00:30 GMT"}, 0.0),
        (
            {
                "retry-after": "Sat, 21 Nov 2026 09:00:30 GMT",
                "date": "Sat, 21 Nov 2026 09:00:20 GMT",
            },
            10.0,
        ),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": ""}, None),
    ],
)
def test_the_wait_that_headers_ask_for(headers: dict[str, str], secs: float | None) -> None:
    assert secs == asked_wait(headers, NOW)


def test_the_longer_of_header_and_body_counts() -> None:
    assert judged(429, {"retry-after": "3"}, retry_secs=17.5).asked_secs == 17.5
    assert judged(429, {"retry-after": "30"}, retry_secs=17.5).asked_secs == 30.0
    assert judged(429).asked_secs is None


@pytest.mark.parametrize(
    ("trouble", "tries", "jitter", "wait"),
    [
        (Trouble("t", passing=True), Tries(1), 1.0, 0.5),
        (Trouble("t", passing=True), Tries(2), 1.0, 1.0),
        (Trouble("t", passing=True), Tries(4), 1.0, 4.0),
        (Trouble("t", passing=True), Tries(3), 0.25, 0.5),
        (Trouble("t", passing=True), Tries(5), 1.0, None),
        (Trouble("t"), Tries(1), 1.0, None),
        (Trouble("t", passing=True, asked_secs=9.0), Tries(1), 1.0, 9.0),
        (Trouble("t", passing=True, asked_secs=0.1), Tries(1), 1.0, 0.5),
        (Trouble("t", passing=True, asked_secs=9.0), Tries(1), 0.0, 9.0),
        (Trouble("t", passing=True, asked_secs=120.0), Tries(1), 0.0, 120.0),
        (Trouble("t", passing=True, asked_secs=120.5), Tries(1), 0.0, None),
        (Trouble("t", passing=True, timed_out=True), Tries(1, timeouts=1), 0.0, 0.0),
        (Trouble("t", passing=True, timed_out=True), Tries(2, timeouts=2), 0.0, None),
        (Trouble("t", passing=True), Tries(3, timeouts=1), 0.0, 0.0),
    ],
)
def test_how_long_to_wait_before_asking_again(
    trouble: Trouble, tries: Tries, jitter: float, wait: float | None
) -> None:
    assert wait == wait_before_next(trouble, tries, RetryPolicy(), lambda: jitter)


def test_backoff_has_a_ceiling() -> None:
    policy = RetryPolicy(attempts=20)

    assert wait_before_next(Trouble("t", passing=True), Tries(15), policy, lambda: 1.0) == 30.0


def test_tries_count_time_outs_apart() -> None:
    once = Tries().after(Trouble("t", timed_out=True))

    assert once == Tries(1, 1)
    assert once.after(Trouble("t")) == Tries(2, 1)
