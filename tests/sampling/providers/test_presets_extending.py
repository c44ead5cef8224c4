"""A wire protocol and a provider are added to a copy of the package, as CONTRIBUTING says."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from package_copy import PackageCopy, package_copy
from tiny import SET

PRESETS = "forgetest/sampling/providers/presets.py"
MODULE = '''"""A protocol of one field each way: `{"ask": ...}` brings `{"say": ...}`."""

from forgetest.sampling.completion import Completion, Usage
from forgetest.sampling.providers.contract import (
    ApiError,
    Call,
    HttpRequest,
    ModelPage,
    UnreadableError,
    list_at,
    model_info,
    text_at,
    tokens_at,
    with_extra,
)

BASE_URL_IS_ROOT = True


def auth(key: str) -> dict[str, str]:
    return {"x-parrot": key}


def build(call: Call) -> HttpRequest:
    sent = {"seed": call.sampling.seed} if call.sampling.seed is not None else {}
    body = {"model": call.model, "ask": call.prompt.user, "most": call.max_tokens, **sent}
    return HttpRequest("/ask", with_extra(body, call.extra_body), optional={n: n for n in sent})


def read(body: object) -> Completion | ApiError:
    said = text_at(body, "say")
    if said is None:
        raise UnreadableError("no say")
    return Completion(
        text=said,
        usage=Usage(input_tokens=3, output_tokens=tokens_at(body, "spoken")),
    )


def read_error(status: int, body: object) -> ApiError:
    message = text_at(body, "squawk") or "no message"
    return ApiError(status, message, spent=message == "no more crackers")


def list_request(after: str | None) -> HttpRequest:
    return HttpRequest("/parrots")


def read_models(body: object) -> ModelPage:
    found = [model_info(entry, name="id") for entry in list_at(body, "parrots")]
    return ModelPage(tuple(info for info in found if info))
'''
CONFIG = """
[providers.mine]
protocol = "parrot"
base_url = "{url}"
api_key_env = "PARROT_KEY"
"""


class Parrot(BaseHTTPRequestHandler):
    """A server of the new protocol: repeats nothing, and refuses who has no key."""

    def do_GET(self) -> None:
        self.reply(200, {"parrots": [{"id": "grey"}, {"id": "green"}]})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        assert asked["ask"]
        if self.headers["x-parrot"] != "a-key-of-polly":
            self.reply(401, {"squawk": "who are you?"})
        elif asked["model"] == "green":
            self.reply(429, {"squawk": "no more crackers"})
        else:
            self.reply(200, {"say": "```rust\npub fn nothing() {}\n```", "spoken": 7})

    def reply(self, status: int, body: object) -> None:
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def parrots() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Parrot) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.fixture
def copy(tmp_path: Path) -> PackageCopy:
    return package_copy(tmp_path)


@pytest.mark.cargo
def test_a_wire_protocol_is_a_module_and_one_row(copy: PackageCopy, parrots: str) -> None:
    copy.write("forgetest/sampling/providers/parrot.py", MODULE)
    copy.insert(
        PRESETS,
        "from forgetest.sampling.providers import anthropic, ollama, openai",
        "from forgetest.sampling.providers import parrot\n",
    )
    copy.insert(PRESETS, '    "openai": openai,', '    "parrot": parrot,\n')
    copy.write("forgetest.toml", CONFIG.format(url=parrots))
    copy.write("tiny.toml", SET)
    run = ("run", "--quiet", "--eval-set", "tiny.toml", "--sandbox", "none", "--output")

    listed = copy.forgetest("list-models", "--provider", "mine", PARROT_KEY="a-key-of-polly")
    ran = copy.forgetest(
        *run, "ran", "--models", "mine/grey,mine/green", PARROT_KEY="a-key-of-polly"
    )
    refused = copy.forgetest(*run, "refused", "--models", "mine/grey", PARROT_KEY="stranger")
    (report,) = (path.read_text("utf-8") for path in copy.folder.glob("ran/*/report.json"))
    first, second = (
        "".join(path.read_text("utf-8") for path in copy.folder.glob(f"{name}/*/journal.jsonl"))
        for name in ("ran", "refused")
    )

    assert (listed.code, ran.code, refused.code) == (0, 3, 3), (listed.err, ran.err, refused.err)
    assert "grey" in listed.out
    assert json.loads(report)["models"][0]["tokens"]["output"] > 0
    assert "429: no more crackers; the credit or quota is used up" in first
    assert "401: who are you?; set PARROT_KEY to a valid key" in second


def test_an_unknown_protocol_is_refused_with_the_names_of_the_known(copy: PackageCopy) -> None:
    copy.write("forgetest.toml", CONFIG.format(url="http://127.0.0.1:1"))

    done = copy.forgetest("list-models", "--provider", "mine")

    assert done.code == 2
    assert 'forgetest.toml:3: "providers.mine.protocol": must be openai, anthropic or' in done.err


def test_a_provider_is_a_row_of_the_presets_and_of_the_documentation(
    copy: PackageCopy, parrots: str
) -> None:
    row = f'Preset(name="aviary", base_url="{parrots}/v1", key_env="AVIARY_KEY"),'
    place = copy.folder / PRESETS
    presets = place.read_text(encoding="utf-8")
    place.write_text(presets.replace("_ROWS = (\n", f"_ROWS = (\n    {row}\n"), encoding="utf-8")
    copy.insert(
        "docs/models.md",
        "| `openai` | openai | `OPENAI_API_KEY` | 4 |",
        "| `aviary` | openai | `AVIARY_KEY` | 4 |\n",
    )

    keyless = copy.forgetest("list-models", "--provider", "aviary")
    asked = copy.forgetest("list-models", "--provider", "aviary", AVIARY_KEY="k-1234567")

    assert "provider aviary needs a key: set AVIARY_KEY in the environment" in keyless.err
    assert f"; is {parrots}/v1 a model server?" in asked.err or "unreadable reply" in asked.err
    assert documented(copy) == wanted_rows(copy)


def documented(copy: PackageCopy) -> set[str]:
    """Return the rows of the documentation's table of providers."""
    text = (copy.folder / "docs" / "models.md").read_text(encoding="utf-8")
    table = text.partition("| requests at once |")[2].split("\n\n")[0]
    return set(table.splitlines()[2:])


def wanted_rows(copy: PackageCopy) -> set[str]:
    """Return the rows that the copy's presets want there."""
    code = (
        "from forgetest.sampling.providers.presets import PRESETS\n"
        "for p in PRESETS.values():\n"
        "    key = f'`{p.key_env}`' if p.key_env else 'none'\n"
        "    print(f'| `{p.name}` | {p.protocol} | {key} | {p.concurrency} |')"
    )
    return set(copy.python("-c", code).out.splitlines())
