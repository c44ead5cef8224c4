"""GitHub's and GitLab's REST servers, as far as examples/ci asks them: artifacts and comments.

Real sockets, the true shapes and status codes, and strict: a call without its token is refused, and
so is one that shows a token to the storage, to which a download is redirected.
"""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit

from forge_replies import REPOSITORY, Reply, Request, github, gitlab, refused

TOKEN_HEADERS = ("authorization", "job-token", "private-token")


@dataclass
class Forge:
    """The state of the server, which tests read and change."""

    url: str = ""
    storage: str = ""
    head: str = "c0ffee1"  # of the one pull request
    may_write: bool = True
    login: str | None = None  # whose the token is; None: the workflow's own
    broken: str | None = None  # "METHOD /path": a pattern of what answers 500
    comments: list[dict[str, Any]] = field(default_factory=list)
    artifacts: list[dict[str, Any]] = field(default_factory=list)
    runs: dict[int, dict[str, Any]] = field(default_factory=dict)
    kept: dict[str, bytes] = field(default_factory=dict)  # GitLab's artifacts, by branch
    stored: list[bytes] = field(default_factory=list)  # the zip files, by artifact
    asked: list[Request] = field(default_factory=list)

    def add_run(self, event: str, branch: str) -> int:
        """Begin a workflow run; return its id."""
        number = 1_000 + len(self.runs)
        self.runs[number] = {"id": number, "event": event, "head_branch": branch}
        self.runs[number] |= {"status": "in_progress", "conclusion": None}
        return number

    def end_run(self, number: int, conclusion: str) -> None:
        """End a workflow run."""
        self.runs[number] |= {"status": "completed", "conclusion": conclusion}

    def add_artifact(self, run: int, name: str, raw: bytes, *, fork: bool = False) -> None:
        """Keep what a run uploads."""
        number = len(self.stored)
        url = f"{self.url}/repos/{REPOSITORY}/actions/artifacts/{number}/zip"
        self.stored.append(raw)
        self.artifacts.append(
            {
                "id": number,
                "name": name,
                "size_in_bytes": len(raw),
                "archive_download_url": url,
                "expired": False,
                "created_at": f"2026-11-21T10:00:{number:02}Z",
                "workflow_run": {
                    "id": run,
                    "repository_id": 1,
                    "head_repository_id": 2 if fork else 1,
                    "head_branch": self.runs[run]["head_branch"],
                },
            }
        )

    def add_comment(self, body: str, kind: Literal["Bot", "User"] = "User") -> dict[str, Any]:
        """Write a comment; return it."""
        login = "github-actions[bot]" if kind == "Bot" else self.login
        author = {"id": 7 if kind == "Bot" else 8, "type": kind, "login": login}
        comment = {"id": 100 + len(self.comments), "body": body, "user": author, "author": author}
        comment["html_url"] = f"https://forge.example/{REPOSITORY}/pull/4#{comment['id']}"
        self.comments.append(comment)
        return comment

    def answer(self, request: Request) -> Reply:
        """Return what the forge answers."""
        self.asked.append(request)
        if self.broken and re.search(self.broken, f"{request.method} {request.path}"):
            return refused(500, "Server Error")
        return gitlab(self, request) if "/api/v4/" in request.path else github(self, request)

    def fetch(self, request: Request) -> Reply:
        """Return what the storage answers: files, to those that show it no token."""
        if any(name in request.headers for name in TOKEN_HEADERS):
            return refused(403, "a token of another host")
        kind, _, name = request.path.strip("/").partition("/")
        return Reply(200, self.stored[int(name)] if kind == "github" else self.kept[name])


def _handler(answer: Any) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            parts = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            headers = {name.lower(): value for name, value in self.headers.items()}
            body = self.rfile.read(int(headers.get("content-length", "0")))
            reply = answer(Request(self.command, parts.path, query, headers, body))
            self.send_response(reply.status)
            raw = reply.raw()
            for name, value in {**reply.headers, "Content-Length": str(len(raw))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(raw)

        do_GET = do_POST = do_PATCH = do_PUT = _serve  # noqa: N815 - the standard library's names

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the same
            """Print nothing."""

    return Handler


@contextmanager
def _serving(answer: Any) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(answer))
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def forge() -> Iterator[Forge]:
    """Serve a forge and its storage, each on a port of its own."""
    state = Forge()
    with _serving(state.answer) as state.url, _serving(state.fetch) as state.storage:
        yield state
