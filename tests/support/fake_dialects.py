"""The three wire protocols from the server's side, as strict as the real servers.

Pure: a request in, the status and JSON body of a reply out. The sockets are in `fake_llm`. Error
texts and fields are those of the services, so that a client cannot pass here and fail there.
"""

import json
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from fake_strictness import anthropic_refusal, ollama_refusal, openai_refusal


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


OPENAI_FIELDS = _words(
    "frequency_penalty logit_bias logprobs max_completion_tokens max_tokens messages metadata model"
    " modalities n parallel_tool_calls prediction presence_penalty prompt_cache_key"
    " prompt_cache_options reasoning_effort response_format safety_identifier seed service_tier"
    " stop store stream stream_options temperature tool_choice tools top_logprobs top_p user"
    " verbosity web_search_options"
)
ANTHROPIC_FIELDS = _words(
    "cache_control container context_management max_tokens mcp_servers messages metadata model"
    " output_config service_tier stop_sequences stream system thinking tool_choice tools"
)
ANTHROPIC_SAMPLING = frozenset({"temperature", "top_p", "top_k"})
ANTHROPIC_VERSIONS = ("2023-06-01", "2026-10-21")
ANTHROPIC_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}


@dataclass(frozen=True)
class Say:
    """A reply in words; the token limit of the request cuts it as it would be cut in earnest."""

    text: str
    finish: Literal["stop", "length", "refusal", "filtered"] = "stop"
    shape: Literal["text", "null", "parts", "no_choices"] = "text"
    usage: bool = True
    extra: dict[str, Any] = field(default_factory=dict)  # laid over the body's top level


@dataclass(frozen=True)
class Fail:
    """An error, in the words of the dialect that is spoken; a 200 may hold one too."""

    status: int
    message: str = "scripted failure"
    code: str | int | None = None
    param: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    html: str | None = None  # sent instead of the dialect's JSON, as proxies do


@dataclass(frozen=True)
class Asked:
    """What a completion request says, whatever its dialect."""

    model: str
    system: str
    prompt: str
    seed: int | None
    limit: int | None
    tool: str | None = None  # that must be called with the code; "json": the code as JSON


class Dialect(Protocol):
    """One wire protocol."""

    def refuse(self, headers: dict[str, str], body: Any, key: str | None) -> Fail | None: ...
    def asked(self, body: Any) -> Asked: ...
    def unknown_model(self, model: str) -> Fail: ...
    def completion(self, asked: Asked, say: Say, number: int) -> dict[str, Any]: ...
    def error(self, fail: Fail) -> dict[str, Any]: ...
    def models(self, names: list[str], query: dict[str, str]) -> dict[str, Any]: ...


def tokens(text: str) -> int:
    """Return how many tokens the fake counts: one for four characters, at least one."""
    return max(1, len(text) // 4)


def cut(asked: Asked, say: Say) -> tuple[str, str]:
    """Return text and finish as the request's token limit leaves them."""
    if asked.limit is not None and len(say.text) > 4 * asked.limit:
        return say.text[: 4 * asked.limit], "length"
    return say.text, say.finish


def as_json(text: str) -> str:
    """Return the code of a reply as a model hands it over that is asked for JSON."""
    code = text.removeprefix("```rust\n").removesuffix("```")
    return json.dumps({"code": code})


def _tool_use(name: str, text: str, number: int) -> dict[str, Any]:
    given = json.loads(as_json(text))
    return {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": given}


def _said(messages: Any, *roles: str) -> str:
    return "\n".join(entry["content"] for entry in messages if entry["role"] in roles)


class OpenAI:
    """Chat completions; a model with "reasoning" in its name takes what such models take."""

    def refuse(self, headers: dict[str, str], body: Any, key: str | None) -> Fail | None:
        given = headers.get("authorization", "").removeprefix("Bearer ")
        if key is not None and given != key:
            return self._unauthorized(given)
        for name in sorted(set(body or {}) - OPENAI_FIELDS):
            return Fail(400, f"Unknown parameter: '{name}'.", code="unknown_parameter", param=name)
        if body is not None and not body.get("messages"):
            told = "Invalid 'messages': empty array. Expected an array with minimum length 1."
            return Fail(400, told, code="empty_array", param="messages")
        refusal = openai_refusal(body) if body is not None else None
        if refusal is not None:
            return Fail(400, refusal[0], code="unsupported_value", param=refusal[1])
        return (
            self._refuse_reasoning(body) if "reasoning" in (body or {}).get("model", "") else None
        )

    def _unauthorized(self, given: str) -> Fail:
        if not given:
            return Fail(401, "You didn't provide an API key.")
        shown = f"{given[:3]}***{given[-2:]}"
        return Fail(401, f"Incorrect API key provided: {shown}.", code="invalid_api_key")

    def _refuse_reasoning(self, body: Any) -> Fail | None:
        if "max_tokens" in body:
            told = (
                "Unsupported parameter: 'max_tokens' is not supported with this model. "
                "Use 'max_completion_tokens' instead."
            )
            return Fail(400, told, code="unsupported_parameter", param="max_tokens")
        for name in ("temperature", "top_p"):
            if body.get(name, 1) != 1 and body.get("reasoning_effort") != "none":
                told = (
                    f"Unsupported value: '{name}' does not support {body[name]} with this model. "
                    "Only the default (1) value is supported."
                )
                return Fail(400, told, code="unsupported_value", param=name)
        return None

    def asked(self, body: Any) -> Asked:
        messages = body["messages"]
        return Asked(
            model=body["model"],
            system=_said(messages, "system", "developer"),
            prompt=_said(messages, "user"),
            seed=body.get("seed"),
            limit=body.get("max_completion_tokens", body.get("max_tokens")),
            tool=body.get("tool_choice", {}).get("function", {}).get("name"),
        )

    def unknown_model(self, model: str) -> Fail:
        told = f"The model `{model}` does not exist or you do not have access to it."
        return Fail(404, told, code="model_not_found")

    def completion(self, asked: Asked, say: Say, number: int) -> dict[str, Any]:
        text, finish = cut(asked, say)
        content: Any = {"null": None, "parts": [{"type": "text", "text": text}]}.get(
            say.shape, text
        )
        refused = finish == "refusal"
        message = {
            "role": "assistant",
            "content": None if refused else content,
            "refusal": text if refused else None,
        }
        if asked.tool is not None and not refused:
            function = {"name": asked.tool, "arguments": as_json(text)}
            call = {"id": f"call_{number}", "type": "function", "function": function}
            message |= {"content": None, "tool_calls": [call]}
        native = {"filtered": "content_filter", "refusal": "stop"}.get(finish, finish)
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": native}
        read, written = tokens(asked.system + asked.prompt), tokens(text)
        usage = {
            "prompt_tokens": read,
            "completion_tokens": written,
            "total_tokens": read + written,
            "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
        }
        return {
            "id": f"chatcmpl-{number}",
            "object": "chat.completion",
            "created": 1_790_000_000,
            "model": asked.model,
            "choices": [] if say.shape == "no_choices" else [choice],
            **({"usage": usage} if say.usage else {}),
            "system_fingerprint": "fp_fake",
            **say.extra,
        }

    def error(self, fail: Fail) -> dict[str, Any]:
        kind = "invalid_request_error" if fail.status < 500 else "server_error"
        if fail.status == 429:
            kind = str(fail.code) if fail.code == "insufficient_quota" else "requests"
        error = {"message": fail.message, "type": kind, "param": fail.param, "code": fail.code}
        return {"error": error}

    def models(self, names: list[str], query: dict[str, str]) -> dict[str, Any]:
        del query
        entries = [
            {"id": name, "object": "model", "created": 1_790_000_000, "owned_by": "fake"}
            for name in names
        ]
        return {"object": "list", "data": entries}


class Anthropic:
    """Messages; a model with "reasoning" in its name refuses sampling under any version."""

    def refuse(self, headers: dict[str, str], body: Any, key: str | None) -> Fail | None:
        given = headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")
        if key is not None and given != key:
            return Fail(401, "invalid x-api-key" if given else "x-api-key header is required")
        version = headers.get("anthropic-version")
        if version not in ANTHROPIC_VERSIONS:
            told = (
                "header is required" if version is None else f'"{version}" is not a valid version'
            )
            return Fail(400, f"anthropic-version: {told}")
        return None if body is None else self._refuse_body(body, version)

    def _refuse_body(self, body: Any, version: str) -> Fail | None:
        old = version == ANTHROPIC_VERSIONS[0]
        for name in ("model", "max_tokens", "messages"):
            if name not in body:
                return Fail(400, f"{name}: Field required")
        for name in sorted(set(body) - ANTHROPIC_FIELDS - (ANTHROPIC_SAMPLING if old else set())):
            return Fail(400, f"{name}: Extra inputs are not permitted")
        for name in sorted(ANTHROPIC_SAMPLING & set(body)):
            if "reasoning" in body["model"]:
                return Fail(400, f"`{name}` is deprecated for this model.")
        if body.get("temperature", 0) > 1:
            return Fail(400, "temperature: Input should be less than or equal to 1")
        refusal = anthropic_refusal(body, newest=not old)
        return Fail(400, refusal[0]) if refusal is not None else None

    def asked(self, body: Any) -> Asked:
        return Asked(
            model=body["model"],
            system=body.get("system", ""),
            prompt=_said(body["messages"], "user"),
            seed=None,
            limit=body["max_tokens"],
            tool=body.get("tool_choice", {}).get("name"),
        )

    def unknown_model(self, model: str) -> Fail:
        return Fail(404, f"model: {model}")

    def completion(self, asked: Asked, say: Say, number: int) -> dict[str, Any]:
        text, finish = cut(asked, say)
        blocks = [{"type": "thinking", "thinking": "hm", "signature": "s"}]
        if say.shape != "null" and finish != "refusal":
            halves = [text[: len(text) // 2], text[len(text) // 2 :]]
            texts = halves if say.shape == "parts" else [text]
            blocks += (
                [{"type": "text", "text": half} for half in texts]
                if asked.tool is None
                else [_tool_use(asked.tool, text, number)]
            )
        ended = "end_turn" if asked.tool is None else "tool_use"
        native = {"stop": ended, "length": "max_tokens"}.get(finish, "refusal")
        usage = {
            "input_tokens": tokens(asked.system + asked.prompt),
            "cache_creation_input_tokens": 20,
            "cache_read_input_tokens": 10,
            "output_tokens": tokens(text),
            "output_tokens_details": {"thinking_tokens": 0},
            "service_tier": "standard",
        }
        return {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": asked.model,
            "content": blocks,
            "stop_reason": native,
            "stop_sequence": None,
            **({"usage": usage} if say.usage else {}),
            **say.extra,
        }

    def error(self, fail: Fail) -> dict[str, Any]:
        kind = ANTHROPIC_TYPES.get(fail.status, "api_error")
        error: dict[str, Any] = {"type": kind, "message": fail.message}
        if fail.code is not None:
            error["details"] = {"error_code": fail.code}
        return {"type": "error", "error": error, "request_id": "req_fake"}

    def models(self, names: list[str], query: dict[str, str]) -> dict[str, Any]:
        limit = 2  # small pages, so that whoever does not follow them is found out
        start = names.index(query["after_id"]) + 1 if "after_id" in query else 0
        page = names[start : start + limit]
        entries = [
            {"type": "model", "id": name, "display_name": name.title(), "retires_at": None}
            for name in page
        ]
        return {
            "data": entries,
            "has_more": start + limit < len(names),
            "first_id": page[0] if page else None,
            "last_id": page[-1] if page else None,
        }


class Ollama:
    """The native chat call: no key, errors as plain text, and a stream unless told otherwise."""

    def refuse(self, headers: dict[str, str], body: Any, key: str | None) -> Fail | None:
        del headers, key
        if body is None:
            return None
        if not body.get("model"):
            return Fail(400, "model is required")
        limit = body.get("options", {}).get("num_predict", 0)
        if not isinstance(limit, int):
            return Fail(400, 'option "num_predict" must be of type integer')
        refusal = ollama_refusal(body)
        return Fail(400, refusal[0]) if refusal is not None else None

    def asked(self, body: Any) -> Asked:
        options = body.get("options", {})
        return Asked(
            model=body["model"],
            system=_said(body["messages"], "system"),
            prompt=_said(body["messages"], "user"),
            seed=options.get("seed"),
            limit=options.get("num_predict"),
            tool="json" if isinstance(body.get("format"), dict) else None,
        )

    def unknown_model(self, model: str) -> Fail:
        return Fail(404, f"model '{model}' not found")

    def completion(self, asked: Asked, say: Say, number: int) -> dict[str, Any]:
        del number
        text, finish = cut(asked, say)
        text = text if asked.tool is None else as_json(text)
        counts = {
            "prompt_eval_count": tokens(asked.system + asked.prompt),
            "eval_count": tokens(text),
        }
        return {
            "model": asked.model,
            "created_at": "2026-11-21T00:00:00Z",
            "message": {"role": "assistant", "content": "" if say.shape == "null" else text},
            "done": True,
            "done_reason": "length" if finish == "length" else "stop",
            "total_duration": 5_000_000,
            **(counts if say.usage else {}),
            **say.extra,
        }

    def error(self, fail: Fail) -> dict[str, Any]:
        return {"error": fail.message}

    def models(self, names: list[str], query: dict[str, str]) -> dict[str, Any]:
        del query
        details = {"parameter_size": "135M", "quantization_level": "Q4_1"}
        return {
            "models": [{"name": name, "size": 98_000_000, "details": details} for name in names]
        }


DIALECTS: dict[str, Dialect] = {"openai": OpenAI(), "anthropic": Anthropic(), "ollama": Ollama()}
