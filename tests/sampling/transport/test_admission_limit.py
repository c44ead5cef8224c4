"""How many requests are sent at once: halved where a server refuses, raised where it answers."""

import threading
import time
from collections import Counter
from typing import Any

import pytest
from draws import ask_together, completion, draw, endpoint
from fake_llm import Ask, Fail, FakeLLM, rate_limited
from hypothesis import given
from hypothesis import strategies as st

from forgetest.sampling.completion import Completion
from forgetest.sampling.transport import Pace, RetryPolicy
from forgetest.sampling.transport.admission import PATIENCE, RequestLimit


def after_round(limit: RequestLimit, room: int) -> tuple[RequestLimit, int]:
    """Return the limit after as many requests as it allows, of which a server takes `room`."""
    sent, refused = limit, max(0, limit.now - room)
    for number in range(sent.now):
        took = number < room
        limit = limit.answered(sent.now, sent.cuts) if took else limit.refused(sent.cuts)
    return limit, refused


@given(
    st.integers(1, 50),
    st.integers(0, 500),
    st.lists(st.tuples(st.booleans(), st.integers(1, 600), st.integers(0, 3)), max_size=200),
)
def test_a_limit_is_always_between_one_and_the_most(
    first: int, more: int, answers: list[tuple[bool, int, int]]
) -> None:
    limit = RequestLimit(first, first + more)
    for took, under_way, age in answers:
        cuts = max(0, limit.cuts - age)
        before = limit
        limit = limit.answered(under_way, cuts) if took else limit.refused(cuts)
        assert 1 <= limit.now <= limit.most
        assert limit.cuts - before.cuts in {0, 1}
        assert limit.now >= before.now if took else limit.now <= before.now


def test_a_burst_of_refusals_halves_once() -> None:
    limit = RequestLimit(64, 64)
    for _ in range(40):
        limit = limit.refused(cuts=0)
    assert (limit.now, limit.cuts) == (32, 1)
    assert limit.refused(cuts=1).now == 16


def test_answers_raise_a_limit_only_when_all_that_it_allows_was_sent_since() -> None:
    limit = RequestLimit(4, 64).refused(cuts=0)
    for _ in range(100):
        limit = limit.answered(under_way=1, cuts=1).answered(under_way=4, cuts=0)
    assert limit.now == 2


def test_what_was_refused_is_tried_again_late_and_what_is_below_it_soon() -> None:
    limit, rounds = RequestLimit(64, 64).refused(cuts=0), list[int]()
    while limit.now < 64:
        rounds.append(limit.now)
        limit, _ = after_round(limit, 64)
    climbed = Counter(rounds)
    assert list(climbed) == [32, 48, 56, 60, 62, 63]
    assert set(climbed.values()) == {1, PATIENCE}
    assert climbed[63] == PATIENCE


def test_a_limit_that_was_lifted_is_left_behind_soon() -> None:
    limit, rounds = RequestLimit(8, 500).refused(cuts=0), 0
    while limit.now < 500:
        limit, _ = after_round(limit, 500)
        rounds += 1
    assert rounds < 30


@pytest.mark.parametrize(
    ("first", "most", "room"),
    [(500, 500, 60), (8, 500, 60), (8, 500, 200), (4, 4, 2), (64, 64, 50), (500, 500, 480)],
)
def test_most_of_an_unknown_room_is_used_and_little_is_refused(
    first: int, most: int, room: int
) -> None:
    limit, used, refused = RequestLimit(first, most), 0, 0
    for _ in range(200):
        used += min(limit.now, room)
        limit, more = after_round(limit, room)
        refused += more
    assert used / (200 * room) > 0.9
    assert refused / (used + refused) < 0.07


class Narrow:
    """A server that takes so many requests of a model at once, and refuses more."""

    def __init__(self, room: int, models: str = "tiny") -> None:
        self.room, self.models = room, models
        self.refused = self.most = 0
        self._under_way, self._lock = 0, threading.Lock()

    def __call__(self, said: Ask) -> Any:
        if said.model not in self.models:
            return "x"
        with self._lock:
            if self._under_way >= self.room:
                self.refused += 1
                return rate_limited(0.01)
            self._under_way += 1
            self.most = max(self.most, self._under_way)
        time.sleep(0.02)
        with self._lock:
            self._under_way -= 1
        return "x"


SOON = RetryPolicy(first_backoff_secs=0.02)


def test_a_narrow_server_answers_every_draw_of_far_too_many_at_once() -> None:
    heard: list[str] = []
    with FakeLLM(server := Narrow(4)) as fake:
        at = endpoint(fake, concurrency=32, policy=SOON, pace=Pace())
        at.listen(heard.append)
        outcomes = ask_together(at, *(draw(index=i, seed=i) for i in range(200)))

    assert all(isinstance(outcome, Completion) for outcome in outcomes)
    assert server.refused < 100, "before, each draw was refused about twice"
    assert heard[0] == (
        "fake/tiny: 429 with 32 requests in flight;"
        " sending at most 16, and more again as it answers"
    )
    assert heard[1].startswith(f"fake/tiny: {server.refused} requests refused; at most ")
    assert len(heard) == 2


def test_requests_climb_from_the_first_number_to_the_most_and_no_further() -> None:
    with FakeLLM(server := Narrow(100)) as fake:
        at = endpoint(fake, concurrency=2, max_concurrency=12, pace=Pace())
        ask_together(at, *(draw(index=i, seed=i) for i in range(200)))
        assert (at.slots.limit("tiny").now, at.concurrency) == (12, 12)

    assert 2 < server.most <= 12
    assert server.refused == 0


def test_a_model_that_is_refused_takes_nothing_from_another() -> None:
    with FakeLLM(Narrow(1, models="narrow")) as fake:
        at = endpoint(fake, concurrency=16, policy=SOON, pace=Pace())
        models = ("narrow", "wide")
        ask_together(at, *(draw(name, index=i, seed=i) for i in range(40) for name in models))

    assert at.slots.limit("narrow").now < 8
    assert at.slots.limit("wide").now == 16


@pytest.mark.parametrize("trouble", [Fail(500), Fail(400), Fail(503)])
def test_errors_of_other_kinds_leave_the_limit_alone(trouble: Fail) -> None:
    with FakeLLM("x", script=[trouble] * 3) as fake:
        at = endpoint(fake, concurrency=4)
        ask_together(at, *(draw(index=i, seed=i) for i in range(8)))
    assert at.slots.limit("tiny").now == 4


@pytest.mark.parametrize("trouble", [rate_limited(), Fail(529), rate_limited(3)])
def test_a_server_with_too_much_to_do_halves_the_limit(trouble: Fail) -> None:
    with FakeLLM("x", script=[trouble]) as fake:
        at = endpoint(fake, concurrency=8)
        outcomes = ask_together(at, *(draw(index=i, seed=i) for i in range(8)))
    assert at.slots.limit("tiny").refused_at == 8
    assert all(completion(outcome).text == "x" for outcome in outcomes)
