"""A third party's judgement of how the transport behaves when a server fails.

llmock watches every attempt and its time.
"""

from typing import Any

import pytest
from draws import ask, completion, draw, fault

from forgetest.sampling.completion import Finish
from forgetest.sampling.providers.presets import Preset
from forgetest.sampling.transport import Endpoint, Pace, RetryPolicy

both = pytest.mark.parametrize("protocol", ["openai", "anthropic"])


def endpoint(llmock: Any, protocol: Any) -> Endpoint:
    preset = Preset(
        name="llmock",
        protocol=protocol,
        base_url=llmock.base_url(protocol),
        local=True,
        max_tokens=50,
    )
    policy = RetryPolicy(first_backoff_secs=0.1)
    return Endpoint(preset, policy=policy, pace=Pace(random=lambda: 1.0))


@both
def test_rate_limits_are_waited_out(llmock: Any, protocol: Any) -> None:
    llmock.rate_limit(times=2, retry_after=0.3)

    (outcome,) = ask(endpoint(llmock, protocol), draw("gpt-4o"))

    assert completion(outcome).attempts == 3
    llmock.assert_resilient(strict=True)


@both
def test_short_outages_are_sat_out(llmock: Any, protocol: Any) -> None:
    llmock.fail(503, times=2)

    (outcome,) = ask(endpoint(llmock, protocol), draw("gpt-4o"))

    assert completion(outcome).attempts == 3
    llmock.assert_resilient(strict=True)


@both
@pytest.mark.parametrize("status", [400, 401, 404])
def test_what_can_not_succeed_is_not_asked_again(llmock: Any, protocol: Any, status: int) -> None:
    llmock.fail(status)

    (outcome,) = ask(endpoint(llmock, protocol), draw("gpt-4o"))

    assert fault(outcome).final
    llmock.assert_resilient(strict=True)


def test_a_prompt_that_is_too_long_is_not_asked_again(llmock: Any) -> None:
    llmock.context_overflow()

    (outcome,) = ask(endpoint(llmock, "openai"), draw("gpt-4o"))

    assert completion(outcome).finish is Finish.LENGTH
    llmock.assert_resilient(strict=True)


@both
def test_a_long_outage_ends_patience_without_a_storm(llmock: Any, protocol: Any) -> None:
    llmock.outage()

    (outcome,) = ask(endpoint(llmock, protocol), draw("gpt-4o"))

    assert not fault(outcome).final
    llmock.assert_resilient(strict=True)
