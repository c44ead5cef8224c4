"""The fake model server is as strict as the real ones, so that passing here means something."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from fake_llm import Ask, Cut, Fail, FakeLLM, Hang, scripted
from program import ROOT

KEY = "sk-key"
CHAT = {"model": "tiny", "messages": [{"role": "user", "content": "hi"}]}
MESSAGE = {**CHAT, "max_tokens": 9}
NEW = {"anthropic-version": "2026-10-21"}
OLD = {"anthropic-version": "2023-06-01"}


def post(fake: FakeLLM, path: str, body: Any, headers: Any = None) -> httpx.Response:
    return httpx.post(fake.url + path, json=body, headers=headers, trust_env=False)


@pytest.mark.parametrize(
    ("fields", "status", "param"),
    [
        ({}, 200, None),
        ({"temperature": 0.8, "max_tokens": 5, "seed": 1}, 200, None),
        ({"min_p": 0.1}, 400, "min_p"),
        ({"messages": []}, 400, "messages"),
        ({"model": "reasoning", "max_tokens": 5}, 400, "max_tokens"),
        ({"model": "reasoning", "temperature": 0.8}, 400, "temperature"),
        ({"model": "reasoning", "temperature": 1, "max_completion_tokens": 5}, 200, None),
        ({"model": "reasoning", "top_p": 0.8, "reasoning_effort": "none"}, 200, None),
        ({"model": "lost"}, 404, None),
    ],
)
def test_chat_completions_refuse_what_openai_refuses(
    fields: dict[str, Any], status: int, param: str | None
) -> None:
    with FakeLLM("x", models=["tiny", "reasoning"]) as fake:
        reply = post(fake, "/v1/chat/completions", {**CHAT, **fields})

    assert reply.status_code == status
    assert reply.json().get("error", {}).get("param") == param


@pytest.mark.parametrize(
    ("headers", "fields", "status", "told"),
    [
        (NEW, {}, 200, ""),
        (OLD, {"temperature": 0.8}, 200, ""),
        ({}, {}, 400, "anthropic-version: header is required"),
        ({"anthropic-version": "2024"}, {}, 400, "not a valid version"),
        (NEW, {"max_tokens": None}, 400, "max_tokens: Field required"),
        (NEW, {"temperature": 1.0}, 400, "temperature: Extra inputs are not permitted"),
        (NEW, {"seed": 3}, 400, "seed: Extra inputs are not permitted"),
        (OLD, {"temperature": 1.5}, 400, "less than or equal to 1"),
        (OLD, {"model": "reasoning", "temperature": 1.0}, 400, "`temperature` is deprecated"),
        (NEW, {"model": "lost"}, 404, "model: lost"),
    ],
)
def test_messages_refuse_what_anthropic_refuses(
    headers: dict[str, str], fields: dict[str, Any], status: int, told: str
) -> None:
    body = {name: value for name, value in {**MESSAGE, **fields}.items() if value is not None}
    with FakeLLM("x", models=["tiny", "reasoning"]) as fake:
        reply = post(fake, "/v1/messages", body, headers)

    assert reply.status_code == status
    assert told in reply.json().get("error", {}).get("message", "")


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"stream": False}, 200),
        ({"model": ""}, 400),
        ({"options": {"num_predict": "9"}}, 400),
        ({"model": "lost"}, 404),
    ],
)
def test_chat_refuses_what_ollama_refuses(fields: dict[str, Any], status: int) -> None:
    with FakeLLM("x", models=["tiny"]) as fake:
        reply = post(fake, "/api/chat", {**CHAT, **fields})

    assert reply.status_code == status
    assert isinstance(reply.json().get("error", ""), str)


def test_ollama_streams_unless_told_otherwise() -> None:
    with FakeLLM("x") as fake:
        lines = post(fake, "/api/chat", CHAT).text.splitlines()

    assert [json.loads(line)["done"] for line in lines] == [False, True]


@pytest.mark.parametrize(
    ("path", "body", "headers", "status"),
    [
        ("/v1/chat/completions", CHAT, {}, 401),
        ("/v1/chat/completions", CHAT, {"authorization": "Bearer no"}, 401),
        ("/v1/chat/completions", CHAT, {"authorization": f"Bearer {KEY}"}, 200),
        ("/v1/messages", MESSAGE, NEW, 401),
        ("/v1/messages", MESSAGE, {**NEW, "x-api-key": "no"}, 401),
        ("/v1/messages", MESSAGE, {**NEW, "x-api-key": KEY}, 200),
        ("/v1/messages", MESSAGE, {**NEW, "authorization": f"Bearer {KEY}"}, 200),
        ("/v1/other", CHAT, {"authorization": f"Bearer {KEY}"}, 404),
    ],
)
def test_the_key_is_checked(path: str, body: Any, headers: dict[str, str], status: int) -> None:
    with FakeLLM("x", key=KEY) as fake:
        assert post(fake, path, body, headers).status_code == status
        unauthorised = httpx.get(f"{fake.url}/v1/models", trust_env=False)

    assert unauthorised.status_code == 401


def test_a_script_is_used_up_before_the_reply_and_refused_requests_use_none() -> None:
    with FakeLLM("reply", script=[Fail(500)]) as fake:
        statuses = [
            post(fake, "/v1/chat/completions", body).status_code
            for body in ({**CHAT, "odd": 1}, CHAT, CHAT)
        ]

    assert statuses == [400, 500, 200]
    assert fake.answered() == {("tiny", "hi", None): 1}


def test_a_reply_function_sees_the_request() -> None:
    seen: list[Ask] = []

    def reply(ask: Ask) -> str:
        seen.append(ask)
        return "x"

    with FakeLLM(reply) as fake:
        for seed in (1, 1, 2):
            post(fake, "/v1/chat/completions", {**CHAT, "seed": seed})

    assert [(ask.prompt, ask.model, ask.seed, ask.nth) for ask in seen] == [
        ("hi", "tiny", 1, 1),
        ("hi", "tiny", 1, 2),
        ("hi", "tiny", 2, 1),
    ]


def test_a_cut_reply_does_not_count_as_answered() -> None:
    with FakeLLM(Cut(after=9)) as fake, pytest.raises(httpx.RemoteProtocolError):
        post(fake, "/v1/chat/completions", CHAT)

    assert [(seen.status, seen.answered) for seen in fake.requests] == [(200, False)]


def test_a_client_that_went_away_was_not_answered() -> None:
    with FakeLLM(Hang("too late")) as fake:
        limit = httpx.Timeout(10, read=0.5)
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(
                f"{fake.openai_url}/chat/completions", json=CHAT, timeout=limit, trust_env=False
            )
        fake.release()

    assert [seen.answered for seen in fake.requests] == [False]


@pytest.mark.parametrize(
    ("ask", "behaviour"),
    [
        (Ask("m", "", "is even", seed=None, limit=None, nth=1), Fail(429, headers={"a": "b"})),
        (Ask("m", "", "is even", seed=None, limit=None, nth=2), Cut(3)),
        (Ask("m", "", "is even", seed=None, limit=None, nth=3), "one"),
        (Ask("m", "", "is even", seed=None, limit=None, nth=4), "two"),
        (Ask("m", "", "is even", seed=3, limit=None, nth=3), "two"),
        (Ask("n", "", "is even", seed=None, limit=None, nth=1), "of n"),
        (Ask("n", "", "is odd", seed=None, limit=None, nth=1), "no reply is scripted"),
    ],
)
def test_a_replies_file_decides_by_prompt_model_and_seed(ask: Ask, behaviour: object) -> None:
    lines: list[dict[str, Any]] = [
        {
            "contains": "even",
            "model": "m",
            "texts": ["one", "two"],
            "before": [{"status": 429, "headers": {"a": "b"}}, {"cut": 3}],
        },
        {"contains": "even", "texts": ["of n"]},
    ]

    assert scripted(lines, delay=0)(ask) == behaviour


def test_as_a_process_it_serves_and_logs_every_request(tmp_path: Path) -> None:
    replies, log = tmp_path / "replies.jsonl", tmp_path / "log.jsonl"
    replies.write_text(json.dumps({"texts": ["from a file"]}) + "\n", "utf-8")
    script = ROOT / "tests" / "support" / "fake_llm.py"
    argv = [sys.executable, str(script), "--replies", str(replies), "--log", str(log)]

    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().removeprefix("ready ").strip()
        reply = httpx.post(f"{url}/v1/chat/completions", json=CHAT, trust_env=False).json()
        logged = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
        process.kill()

    assert reply["choices"][0]["message"]["content"] == "from a file"
    assert [(line["prompt"], line["status"], line["answered"]) for line in logged] == [
        ("hi", 200, True)
    ]
