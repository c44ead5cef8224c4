"""What variants change in requests, on servers that refuse what is unknown or misplaced."""

from typing import Any

import pytest
from draws import ask, completion, draw, endpoint
from fake_llm import Fail, FakeLLM

from forgetest.evalset.types import Case
from forgetest.extract.extraction import extract
from forgetest.sampling.completion import Completion, Finish, Prompt, Turn
from forgetest.sampling.variant import Answer

CODE = "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n"
REPLY = f"```rust\n{CODE}```"
ADD = Case(id="add", eval_set="s", name="Add", prompt="Write `pub fn add(a: i32, b: i32) -> i32`.")
SHOWN = (Turn(role="user", text="Write sub."), Turn(role="assistant", text="```rust\n```"))
LATER = (Turn(role="assistant", text="fn add("), Turn(role="user", text="It does not compile."))
TALK = Prompt(system="Terse.", user="Write add.", examples=SHOWN, later=LATER)
PROTOCOLS = ("openai", "anthropic", "ollama")


def asked(protocol: str, *, model: str = "tiny", **sampling: Any) -> tuple[Completion, list[Any]]:
    """Return the completion of a conversation, and the bodies that were sent for it."""
    with FakeLLM(REPLY) as fake:
        (outcome,) = ask(endpoint(fake, protocol), draw(model, prompt=TALK, **sampling))
        return completion(outcome), [sent.body for sent in fake.completions]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_conversation_is_sent_in_turns(protocol: str) -> None:
    _, (body,) = asked(protocol)

    said = [(turn["role"], turn["content"]) for turn in body["messages"]]
    turns = [(turn.role, turn.text) for turn in TALK.turns]
    assert [role for role, _ in turns] == ["user", "assistant", "user", "assistant", "user"]
    assert said == (turns if protocol == "anthropic" else [("system", "Terse."), *turns])
    assert body.get("system") == ("Terse." if protocol == "anthropic" else None)


@pytest.mark.parametrize(
    ("protocol", "sampling", "sent"),
    [
        ("openai", {"reasoning_effort": "low"}, {"reasoning_effort": "low"}),
        ("anthropic", {"reasoning_effort": "low"}, {"output_config": {"effort": "low"}}),
        ("anthropic", {"reasoning_effort": "none"}, {"thinking": {"type": "disabled"}}),
        ("ollama", {"reasoning_effort": "low"}, {"think": "low"}),
        ("ollama", {"reasoning_effort": "none"}, {"think": False}),
        (
            "anthropic",
            {"thinking_tokens": 2048, "max_tokens": 9000},
            {"thinking": {"type": "enabled", "budget_tokens": 2048}},
        ),
        ("anthropic", {"stop": ("END",)}, {"stop_sequences": ["END"]}),
    ],
)
def test_reasoning_and_stops_are_sent_in_the_protocols_own_terms(
    protocol: str, sampling: dict[str, Any], sent: dict[str, Any]
) -> None:
    reply, (*_, body) = asked(protocol, model="reasoning", **sampling)

    assert {name: body[name] for name in sent} == sent
    assert not set(sampling) & set(reply.dropped_params)


@pytest.mark.parametrize(
    ("protocol", "sampling", "bodies"),
    [
        ("openai", {"reasoning_effort": "low"}, 2),  # learned from a refusal
        ("ollama", {"reasoning_effort": "high"}, 2),
        ("openai", {"thinking_tokens": 2048}, 1),  # has no place in the protocol
        ("ollama", {"thinking_tokens": 2048}, 1),
    ],
)
def test_what_a_model_does_not_take_is_left_out_and_said(
    protocol: str, sampling: dict[str, Any], bodies: int
) -> None:
    reply, sent = asked(protocol, **sampling)

    assert len(sent) == bodies
    assert reply.dropped_params == tuple(sampling)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_code_is_asked_for_as_a_tool_call_and_found_in_it(protocol: str) -> None:
    reply, (body,) = asked(protocol, answer=Answer.TOOL)

    assert ("format" if protocol == "ollama" else "tools") in body
    assert reply.text.startswith('{"code": ')
    assert reply.finish is Finish.STOP
    assert reply.dropped_params == ()
    assert extract(reply, ADD).code == CODE


def test_thinking_does_not_force_the_call() -> None:
    reply, (body,) = asked(
        "anthropic", model="reasoning", answer=Answer.TOOL, thinking_tokens=1024, max_tokens=5000
    )

    assert body["tool_choice"] == {"type": "auto"}
    assert reply.text == REPLY, "a model that does not call the tool answers in words"
    assert reply.dropped_params == ("answer (given in words)",)


def test_a_server_without_tools_is_asked_in_words_and_that_is_said() -> None:
    refusal = Fail(400, "tools is not supported by this model", param="tools")
    with FakeLLM(REPLY, script=[refusal]) as fake:
        drawn = draw(answer=Answer.TOOL)
        first, second = ask(endpoint(fake, "openai"), drawn, drawn)
        bodies = [sent.body for sent in fake.completions]

    assert ["tools" in body for body in bodies] == [True, False, False]
    assert completion(first).dropped_params == ("answer",)
    assert completion(second).text == REPLY
