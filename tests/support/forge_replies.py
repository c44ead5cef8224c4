"""What GitHub's and GitLab's REST servers answer: shapes, status codes, refusals."""

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fake_forge import Forge

GITHUB_TOKEN = "ghs_made-up"
JOB_TOKEN = "glcbt-made-up"
PROJECT_TOKEN = "glpat-made-up"
REPOSITORY = "acme/widgets"
COMMENT_LIMIT = 65_536  # characters, on GitHub
PAGE_LIMIT = 100


@dataclass(frozen=True)
class Request:
    """What was asked."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    def page(self, rows: list[Any]) -> list[Any]:
        """Return the page of `rows` that the query asks for; 30 rows if it does not say."""
        size = min(int(self.query.get("per_page", "30")), PAGE_LIMIT)
        start = (int(self.query.get("page", "1")) - 1) * size
        return rows[start : start + size]


@dataclass(frozen=True)
class Reply:
    """What is answered."""

    status: int
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)

    def raw(self) -> bytes:
        """Return the body's bytes: as they are, or as JSON."""
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


def refused(status: int, message: str) -> Reply:
    return Reply(status, {"message": message})


def github(forge: "Forge", request: Request) -> Reply:
    if request.headers.get("authorization") != f"Bearer {GITHUB_TOKEN}":
        return refused(401, "Bad credentials")
    if request.path == "/user" and forge.login:
        return Reply(200, {"login": forge.login})
    if request.path == "/user" or (request.method != "GET" and not forge.may_write):
        return refused(403, "Resource not accessible by integration")
    return _of_repository(forge, request)


def _of_repository(forge: "Forge", request: Request) -> Reply:
    path = request.path.removeprefix(f"/repos/{REPOSITORY}/")
    match request.method, *path.split("/"):
        case "GET", "actions", *rest:
            return _actions(forge, request, rest)
        case _, "issues", *rest:
            return _comment(forge, request, rest)
        case "GET", "pulls", number:
            return Reply(200, {"number": int(number), "head": {"sha": forge.head}})
    return refused(404, "Not Found")


def _actions(forge: "Forge", request: Request, path: list[str]) -> Reply:
    match path:
        case ["artifacts"]:
            rows = [row for row in forge.artifacts if row["name"] == request.query.get("name")]
            rows.reverse()  # newest first
            return Reply(200, {"total_count": len(rows), "artifacts": request.page(rows)})
        case ["artifacts", number, "zip"] if forge.artifacts[int(number)]["expired"]:
            return refused(410, "Artifact has expired")
        case ["artifacts", number, "zip"]:
            return Reply(302, b"", {"Location": f"{forge.storage}/github/{number}"})
        case ["runs", number]:
            return Reply(200, forge.runs[int(number)])
    return refused(404, "Not Found")


def _comment(forge: "Forge", request: Request, path: list[str]) -> Reply:
    if request.method == "GET":
        return Reply(200, request.page(forge.comments))
    body = json.loads(request.body)["body"]
    if len(body) > COMMENT_LIMIT:
        return refused(422, "Validation Failed")
    match request.method, *path:
        case "POST", _, "comments":
            return Reply(201, forge.add_comment(body, "User" if forge.login else "Bot"))
        case "PATCH", "comments", number:
            return _rewrite(forge, number, body)
    return refused(404, "Not Found")


def _rewrite(forge: "Forge", number: str, body: str) -> Reply:
    for comment in forge.comments:
        if comment["id"] == int(number):
            comment["body"] = body
            return Reply(200, comment)
    return refused(404, "Not Found")


def gitlab(forge: "Forge", request: Request) -> Reply:
    path = request.path.partition("/api/v4/")[2]
    project = request.headers.get("private-token") == PROJECT_TOKEN
    if match := re.fullmatch(r"projects/1/jobs/artifacts/([\w-]+)/download", path):
        if not project and request.headers.get("job-token") != JOB_TOKEN:
            return refused(401, "401 Unauthorized")
        return _gitlab_artifact(forge, match[1], request.query.get("job"))
    if not project:
        return refused(401, "401 Unauthorized")
    if path == "user":
        return Reply(200, {"id": 7})
    return _note(forge, request, path)


def _gitlab_artifact(forge: "Forge", branch: str, job: str | None) -> Reply:
    if branch not in forge.kept or job != "forgetest":
        return refused(404, "404 Not Found")
    return Reply(302, b"", {"Location": f"{forge.storage}/gitlab/{branch}"})


def _note(forge: "Forge", request: Request, path: str) -> Reply:
    if not (match := re.fullmatch(r"projects/1/merge_requests/4/notes(?:/(\d+))?", path)):
        return refused(404, "404 Not Found")
    if request.method == "GET":
        return Reply(200, request.page(forge.comments))
    if request.headers.get("content-type") != "application/json":
        return refused(400, "400 (Bad request) body is missing")
    body = json.loads(request.body)["body"]
    if request.method == "PUT":
        return _rewrite(forge, match[1], body)
    return Reply(201, forge.add_comment(body, "Bot"))
