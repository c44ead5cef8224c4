"""A model server for tests: real sockets, three strict wire protocols, scripted trouble.

As a fixture: `with FakeLLM("reply") as fake: ... fake.openai_url, fake.url, fake.requests`.
As a process: `python tests/support/fake_llm.py --port N --replies FILE.jsonl --log FILE`.
"""

import argparse
import json
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import asdict
from email.utils import formatdate
from pathlib import Path
from typing import Any, Self

from fake_dialects import Asked, Dialect, Fail, Say
from fake_http import Ask, Behaviour, Cut, Hang, Recorded, Server, Slow

__all__ = [
    "Ask",
    "Cut",
    "Fail",
    "FakeLLM",
    "Hang",
    "Recorded",
    "Say",
    "Slow",
    "quota_spent",
    "rate_limited",
]


def rate_limited(secs: float | None = None, form: str = "secs") -> Fail:
    """Return a 429 whose wait is told in seconds, as a date, in milliseconds, or not at all."""
    headers = {
        "secs": {"retry-after": f"{secs or 0:g}"},
        "date": {"retry-after": formatdate(time.time() + (secs or 0), usegmt=True)},
        "ms": {"retry-after-ms": f"{(secs or 0) * 1000:g}"},
    }
    told = headers[form] if secs is not None else {}
    return Fail(429, "Rate limit reached.", code="rate_limit_exceeded", headers=told)


def quota_spent() -> Fail:
    """Return the 429 that no waiting mends."""
    return Fail(429, "You exceeded your current quota.", code="insufficient_quota")


class FakeLLM:
    """A model server in a thread; a context manager.

    Scripted behaviours are used up first, one a request; then `reply` decides, by itself or as a
    function of the request.
    """

    def __init__(
        self,
        reply: Behaviour | Callable[[Ask], Behaviour] = "fn main() {}",
        *,
        script: Iterable[Behaviour] = (),
        key: str | None = None,
        models: Iterable[str] | None = None,
        port: int = 0,
        log: Path | None = None,
    ) -> None:
        self.reply = reply
        self.key = key
        self.models = None if models is None else list(models)  # None: any model is served
        self.requests: list[Recorded] = []
        self.released = threading.Event()
        self._script = deque(script)
        self._seen: Counter[tuple[str, str, int | None]] = Counter()
        self._log = log
        self._lock = threading.Lock()
        self._server = Server(("127.0.0.1", port), self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.cut_connections()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """The root: the base URL of the anthropic and ollama protocols."""
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}"

    @property
    def openai_url(self) -> str:
        """The base URL of the openai protocol."""
        return f"{self.url}/v1"

    def script(self, *behaviours: Behaviour) -> None:
        """Queue behaviours for the next completion requests, whoever sends them."""
        with self._lock:
            self._script.extend(behaviours)

    def release(self) -> None:
        """Let every hanging reply go."""
        self.released.set()

    @property
    def completions(self) -> list[Recorded]:
        """Every request for a completion, refused ones included, in the order of arrival."""
        with self._lock:
            return [seen for seen in self.requests if seen.method == "POST"]

    def answered(self) -> Counter[tuple[str, str, int | None]]:
        """How often each (model, prompt, seed) was answered in full with a 200."""
        return Counter(
            (seen.model or "", seen.prompt or "", seen.seed)
            for seen in self.completions
            if seen.answered and seen.status == 200
        )

    def record(self, handler: Any, dialect: str, body: Any) -> Recorded:
        """Note that a request has come."""
        with self._lock:
            recorded = Recorded(
                number=len(self.requests) + 1,
                time=time.time(),
                method=handler.command,
                path=handler.path,
                dialect=dialect,
                headers={name.lower(): value for name, value in handler.headers.items()},
                body=body,
            )
            self.requests.append(recorded)
            return recorded

    def note(self, recorded: Recorded) -> None:
        """Write to the log what became of a request."""
        with self._lock:
            if self._log is not None:
                with self._log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(recorded)) + "\n")

    def behave(self, dialect: Dialect, recorded: Recorded) -> tuple[Asked | None, Behaviour]:
        """Decide what a completion request gets: strictness first, then script, then reply."""
        refusal = dialect.refuse(recorded.headers, recorded.body, self.key)
        if refusal is not None:
            return None, refusal
        asked = dialect.asked(recorded.body)
        with self._lock:
            recorded.model, recorded.prompt, recorded.seed = asked.model, asked.prompt, asked.seed
            if self.models is not None and asked.model not in self.models:
                return asked, dialect.unknown_model(asked.model)
            self._seen[asked.model, asked.prompt, asked.seed] += 1
            nth = self._seen[asked.model, asked.prompt, asked.seed]
            if self._script:
                return asked, self._script.popleft()
        ask = Ask(**asdict(asked), nth=nth, number=recorded.number, body=recorded.body)
        return asked, self.reply(ask) if callable(self.reply) else self.reply


def scripted(lines: list[dict[str, Any]], delay: float) -> Callable[[Ask], Behaviour]:
    """Return the reply function of a replies file.

    Each line is `{"contains": part of the prompt, "model": name, "texts": [...], "before": [...]}`;
    the first that fits replies, with the text that the seed picks, or else the next in turn, after
    the failures of `before`: `{"status": 429, "headers": {...}}` or `{"cut": null or bytes}`.
    """

    def reply(ask: Ask) -> Behaviour:
        time.sleep(delay)
        fits = (line for line in lines if line.get("contains", "") in ask.prompt)
        line = next((line for line in fits if line.get("model") in {None, ask.model}), {})
        before, texts = line.get("before", []), line.get("texts", ["no reply is scripted"])
        if ask.nth <= len(before):
            trouble = before[ask.nth - 1]
            return Cut(trouble["cut"]) if "cut" in trouble else Fail(**trouble)
        turn = ask.nth - len(before) - 1 if ask.seed is None else ask.seed
        return str(texts[turn % len(texts)])

    return reply


def main() -> None:
    """Serve until killed; the first line of output tells the address."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--replies", type=Path, required=True)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--key")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each reply")
    given = parser.parse_args()
    lines = [json.loads(line) for line in given.replies.read_text("utf-8").splitlines() if line]
    reply = scripted(lines, given.delay)
    with FakeLLM(reply, key=given.key, port=given.port, log=given.log) as fake:
        print(f"ready {fake.url}", flush=True)  # noqa: T201 - a program of its own when run
        fake.released.wait()


if __name__ == "__main__":
    main()
