"""Parameters that a model refuses: asked again without them, once, and told."""

from typing import Any

import pytest
from draws import ask, ask_together, completion, draw, endpoint, fault
from fake_llm import Fail, FakeLLM

REASONING = "tiny-reasoning"


def refused(fake: FakeLLM) -> int:
    return sum(seen.status == 400 for seen in fake.completions)


def test_a_reasoning_model_is_asked_again_without_what_it_refuses() -> None:
    with FakeLLM("x") as fake:
        first, second = ask(
            endpoint(fake),
            *(draw(REASONING, temperature=0.8, max_tokens=50, seed=s) for s in (1, 2)),
        )

    assert (completion(first).attempts, completion(second).attempts) == (3, 1)
    notes = ("temperature", "max_tokens (sent as max_completion_tokens)")
    assert completion(first).dropped_params == completion(second).dropped_params == notes
    sent = fake.completions[-1].body
    assert sent == {
        "model": REASONING,
        "messages": sent["messages"],
        "max_completion_tokens": 50,
        "seed": 2,
    }


def test_what_one_model_refuses_another_is_still_sent() -> None:
    with FakeLLM("x") as fake:
        ask(endpoint(fake), draw(REASONING, temperature=0.8), draw("tiny", temperature=0.8))

    assert fake.completions[-1].body["temperature"] == 0.8


def test_workers_do_not_each_pay_for_what_the_first_has_learned() -> None:
    draws = [draw(REASONING, index=i, temperature=0.8, seed=i) for i in range(12)]
    with FakeLLM("x") as fake:
        at = endpoint(fake, concurrency=3, limit_field="max_completion_tokens")
        outcomes = ask_together(at, *draws)

    assert all(completion(o).dropped_params == ("temperature",) for o in outcomes)
    assert 1 <= refused(fake) <= 3
    assert len(fake.completions) == 12 + refused(fake)


def test_strict_parameters_make_a_refusal_final() -> None:
    with FakeLLM("x") as fake:
        at = endpoint(fake, strict_params=True)
        first, second = ask(at, draw(REASONING, temperature=0.8), draw(REASONING, temperature=0.8))

    problem = "does not accept temperature; remove it, or run without --strict-params"
    assert fault(first).message == f"fake/{REASONING}: {problem}"
    assert fault(first).final
    assert fault(second).final
    assert refused(fake) == len(fake.completions) == 2  # the limit's name, then the temperature


def test_strict_parameters_let_the_limit_change_its_name() -> None:
    with FakeLLM("x") as fake:
        (outcome,) = ask(endpoint(fake, strict_params=True), draw(REASONING))

    assert completion(outcome).dropped_params == ("max_tokens (sent as max_completion_tokens)",)


def test_a_family_known_to_refuse_is_spared_the_refusal() -> None:
    with FakeLLM("x") as fake:
        at = endpoint(fake, "anthropic", local=False)
        (outcome,) = ask(at, draw("claude-opus-5", temperature=0.8, seed=3))

    assert completion(outcome).attempts == 1
    assert completion(outcome).dropped_params == ("temperature", "seed")
    assert fake.requests[0].headers["anthropic-version"] == "2026-10-21"


def test_strict_parameters_need_no_request_for_a_known_family() -> None:
    with FakeLLM("x") as fake:
        at = endpoint(fake, "anthropic", local=False, strict_params=True)
        (outcome,) = ask(at, draw("claude-opus-5", temperature=0.8, top_p=0.5))

    assert "does not accept temperature or top_p" in fault(outcome).message
    assert fake.requests == []


@pytest.mark.parametrize(
    ("model", "versions", "notes"),
    [
        ("tiny", ["2023-06-01"], ()),
        (REASONING, ["2023-06-01", "2026-10-21"], ("temperature",)),
    ],
)
def test_anthropic_takes_a_temperature_under_its_old_version_or_not_at_all(
    model: str, versions: list[str], notes: tuple[str, ...]
) -> None:
    with FakeLLM("x") as fake:
        (outcome,) = ask(endpoint(fake, "anthropic"), draw(model, temperature=0.8))

    assert completion(outcome).dropped_params == notes
    assert [seen.headers["anthropic-version"] for seen in fake.requests] == versions


def test_a_value_out_of_range_is_the_users_to_mend() -> None:
    with FakeLLM("x") as fake:
        (outcome,) = ask(endpoint(fake, "anthropic"), draw(temperature=1.5))

    assert fault(outcome).final
    assert "temperature: Input should be less than or equal to 1" in fault(outcome).message
    assert len(fake.requests) == 1


def test_a_refused_extra_field_is_final_and_not_left_out() -> None:
    with FakeLLM("x") as fake:
        (outcome,) = ask(endpoint(fake, extra_body={"min_p": 0.1}), draw(temperature=0.8))

    assert fault(outcome).final
    assert "Unknown parameter: 'min_p'" in fault(outcome).message
    assert len(fake.requests) == 1


@pytest.mark.parametrize("protocol", ["openai", "ollama"])
def test_a_refused_seed_is_left_out(protocol: Any) -> None:
    with FakeLLM("x", script=[Fail(400, "invalid option: seed")]) as fake:
        (outcome,) = ask(endpoint(fake, protocol), draw(seed=3))

    assert completion(outcome).dropped_params == ("seed",)
    assert [seen.seed for seen in fake.requests] == [3, None]
