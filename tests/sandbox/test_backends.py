"""A sandbox is added to a copy of the package, as CONTRIBUTING says."""

import json
import sys
from pathlib import Path

import pytest
from package_copy import package_copy
from tiny import RIGHT, SET

pytestmark = [
    pytest.mark.cargo,
    pytest.mark.skipif(sys.platform != "linux", reason="the guard is at home on Linux"),
]

MODULE = '''"""A sandbox that holds as much as `none`: the guard alone."""

from pathlib import Path

from forgetest.sandbox.backends import Backend
from forgetest.sandbox.guarded import GuardedBoxes
from forgetest.sandbox.guardprogram import guard_program
from forgetest.sandbox.none import NoWalls, none_sandbox
from forgetest.sandbox.sandbox import Sandbox
from forgetest.system.toolchain import Toolchain


async def tent_sandbox(toolchain: Toolchain, cache: Path) -> Sandbox:
    plain = await none_sandbox(toolchain, cache)
    boxes = GuardedBoxes(NoWalls(await guard_program(toolchain, cache)))
    return Sandbox(Backend("tent"), "2 poles", plain.guarantees, boxes)
'''
REPLY = {"case_id": "is-even", "completion": f"```rust\n{RIGHT['is_even']}\n```"}


def test_a_sandbox_is_a_module_and_one_row(tmp_path: Path) -> None:
    copy = package_copy(tmp_path)
    copy.write("forgetest/sandbox/tent.py", MODULE)
    copy.insert("forgetest/sandbox/backends.py", '    NONE = "none"', '    TENT = "tent"\n')
    copy.write("tiny.toml", SET)
    copy.write("replies.jsonl", json.dumps(REPLY) + "\n")
    cache = str(tmp_path / "cache")

    helped = copy.forgetest("run", "--help")
    doctor = copy.forgetest("doctor", "--sandbox", "tent", XDG_CACHE_HOME=cache)
    ran = copy.forgetest(
        *("run", "--quiet", "--eval-set", "tiny.toml", "--case", "is-even", "--sandbox", "tent"),
        *("--models", "replay/replies.jsonl", "--output", "runs"),
        XDG_CACHE_HOME=cache,
    )
    (folder,) = copy.folder.glob("runs/*")
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    shown = copy.forgetest("report", folder, "--format", "json")
    unknown = copy.forgetest("doctor", "--sandbox", "tarp", XDG_CACHE_HOME=cache)

    assert "tent" in helped.out
    assert "tent 2 poles" in doctor.out
    assert (ran.code, shown.code) == (0, 0), ran.err + shown.err
    assert manifest["sandbox"]["backend"] == "tent"
    assert "2 poles" in shown.out
    assert not list((tmp_path / "cache" / "forgetest").glob("verdicts/*"))  # it holds no writes
    assert unknown.code == 2
    assert "choose from auto, bwrap, landlock, docker, tent, none" in unknown.err
