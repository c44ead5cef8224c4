"""What the real servers refuse in conversations, tools and reasoning, in their own words.

Each function returns the message of a 400 and the parameter it names, or None.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

Refusal = tuple[str, str | None]

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
_TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_SMALLEST_BUDGET = 1024


def openai_refusal(body: Mapping[str, Any]) -> Refusal | None:
    """Refuse what chat completions refuse."""
    return next(_openai(body), None)


def _openai(body: Mapping[str, Any]) -> Iterator[Refusal]:
    yield from _openai_turns(body.get("messages", ()))
    yield from _openai_tools(body)
    effort = body.get("reasoning_effort")
    if effort is not None and "reasoning" not in body["model"]:
        yield "Unrecognized request argument supplied: reasoning_effort", "reasoning_effort"
    if effort is not None and effort not in EFFORTS:
        yield f"Invalid value: '{effort}'.", "reasoning_effort"
    stop = body.get("stop")
    if stop is not None and "reasoning" in body["model"]:
        yield "Unsupported parameter: 'stop' is not supported with this model.", "stop"
    if isinstance(stop, list) and len(stop) > 4:
        yield "Invalid 'stop': array too long. Expected an array with maximum length 4.", "stop"


def _openai_turns(messages: Any) -> Iterator[Refusal]:
    for place, message in enumerate(messages):
        at = f"messages[{place}]"
        if message.get("role") not in {"system", "developer", "user", "assistant"}:
            yield f"Invalid value: '{message.get('role')}'.", f"{at}.role"
        if not isinstance(message.get("content"), str | list):
            yield f"Invalid value for 'content': expected a string, got {at}.", f"{at}.content"
        for name in sorted(message.keys() - {"role", "content", "name"}):
            yield f"Unknown parameter: '{at}.{name}'.", f"{at}.{name}"


def _openai_tools(body: Mapping[str, Any]) -> Iterator[Refusal]:
    names = []
    for place, tool in enumerate(body.get("tools", ())):
        function = tool.get("function", {})
        if tool.get("type") != "function" or not _TOOL_NAME.fullmatch(function.get("name", "")):
            yield f"Missing required parameter: 'tools[{place}].function.name'.", "tools"
        schema = function.get("parameters", {})
        if function.get("strict") and schema.get("additionalProperties") is not False:
            yield "Invalid schema: 'additionalProperties' is required to be false.", "tools"
        names.append(function.get("name"))
    choice = body.get("tool_choice")
    if choice is not None and not names:
        yield "Invalid value for 'tool_choice': only allowed when 'tools' are given.", "tool_choice"
    if isinstance(choice, dict) and choice.get("function", {}).get("name") not in names:
        yield "Tool choice 'function' not found in 'tools' parameter.", "tool_choice"


def anthropic_refusal(body: Mapping[str, Any], *, newest: bool) -> Refusal | None:
    """Refuse what messages refuse; the newest version takes no beginning of an answer."""
    return next(_anthropic(body, newest=newest), None)


def _anthropic(body: Mapping[str, Any], *, newest: bool) -> Iterator[Refusal]:
    turns = body["messages"]
    for place, turn in enumerate(turns):
        if turn.get("role") not in {"user", "assistant"}:
            yield f"messages.{place}.role: Input should be 'user' or 'assistant'", None
        if not turn.get("content"):
            yield f"messages.{place}: all messages must have non-empty content", None
        for name in sorted(turn.keys() - {"role", "content"}):
            yield f"messages.{place}.{name}: Extra inputs are not permitted", None
    if not turns or turns[0].get("role") != "user":
        yield 'messages: first message must use the "user" role', None
    elif newest and turns[-1].get("role") == "assistant":
        yield "This model does not support assistant message prefill.", None
    yield from _anthropic_thinking(body)
    yield from _anthropic_tools(body)


def _anthropic_thinking(body: Mapping[str, Any]) -> Iterator[Refusal]:
    thinking, config = body.get("thinking"), body.get("output_config", {})
    if thinking is not None and thinking.get("type") not in {"enabled", "disabled", "adaptive"}:
        yield "thinking: Input tag does not match any of the expected tags", None
    if thinking is not None and thinking.get("type") == "enabled":
        budget = thinking.get("budget_tokens", 0)
        if budget < _SMALLEST_BUDGET:
            told = "Input should be greater than or equal to 1024"
            yield f"thinking.enabled.budget_tokens: {told}", None
        if budget >= body["max_tokens"]:
            yield "`max_tokens` must be greater than `thinking.budget_tokens`.", None
        if body.get("tool_choice", {}).get("type") in {"tool", "any"}:
            yield "Thinking may not be enabled when tool_choice forces tool use.", None
        if body.get("temperature", 1) != 1:
            yield "`temperature` may only be set to 1 when thinking is enabled.", None
    if "effort" in config and config["effort"] not in EFFORTS[2:]:
        yield "output_config.effort: Input should be 'low', 'medium', 'high' or 'max'", None


def _anthropic_tools(body: Mapping[str, Any]) -> Iterator[Refusal]:
    names = []
    for place, tool in enumerate(body.get("tools", ())):
        if not _TOOL_NAME.fullmatch(tool.get("name", "")):
            yield f"tools.{place}.name: String should match pattern", None
        if tool.get("input_schema", {}).get("type") != "object":
            yield f"tools.{place}.input_schema.type: Field required", None
        for name in sorted(tool.keys() - {"name", "description", "input_schema"}):
            yield f"tools.{place}.{name}: Extra inputs are not permitted", None
        names.append(tool.get("name"))
    choice = body.get("tool_choice")
    if choice is not None and not names:
        yield "tool_choice may only be specified while providing tools.", None
    if choice is not None and choice.get("type") == "tool" and choice.get("name") not in names:
        yield f"Tool '{choice.get('name')}' not found in provided tools", None


def ollama_refusal(body: Mapping[str, Any]) -> Refusal | None:
    """Refuse what Ollama's chat refuses; fields that it does not know it ignores."""
    return next(_ollama(body), None)


def _ollama(body: Mapping[str, Any]) -> Iterator[Refusal]:
    for message in body.get("messages", ()):
        if message.get("role") not in {"system", "user", "assistant", "tool"}:
            yield f"invalid role: {message.get('role')}", None
        if not isinstance(message.get("content"), str):
            yield "json: cannot unmarshal into field Message.messages.content of type string", None
    think = body.get("think")
    if think not in {None, False} and "reasoning" not in body["model"]:
        yield f'"{body["model"]}" does not support thinking', None
    if isinstance(think, str) and think not in {"low", "medium", "high", "max"}:
        yield (
            f'invalid think value: "{think}" (must be "high", "medium", "low", true, or false)',
            None,
        )
    form = body.get("format")
    if form is not None and form != "json" and not isinstance(form, dict):
        yield f'invalid format: {form!r}; expected "json" or a valid JSON Schema object', None
    stop = body.get("options", {}).get("stop")
    if stop is not None and not isinstance(stop, list):
        yield 'option "stop" must be of type array', None
