"""Plugins as users have them: installed, listed and used in a run; broken ones are named.

The environment borrows forgetest and what it needs from the one of the tests.
"""

import json
import os
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest
from fake_llm import FakeLLM
from program import ROOT, Done, program_in
from tiny import RIGHT, SET
from wheels import wheel_of

PLUGIN = ROOT / "examples" / "plugin"
BROKEN = {
    "a_broken": ("broken:formats", "forgetest.formats", "missing-module", ""),
    "b_old": ("old:part", "forgetest.formats", "old", "Plugin(api=0, provides=None)"),
    "c_bare": ("bare:part", "forgetest.importers", "bare", "42"),
    "d_wrong": ("wrong:part", "forgetest.providers", "wrong", "Plugin(api=1, provides=42)"),
    "e_taken": ("taken:part", "forgetest.formats", "html", "Plugin(api=1, provides=None)"),
}


@dataclass(frozen=True)
class Environment:
    """A virtual environment with forgetest and plugins, and a folder to work in."""

    home: Path
    folder: Path
    cache: str

    def __call__(self, *arguments: str) -> Done:
        """Run the program."""
        done = subprocess.run(
            [self.home / "bin" / "python", "-m", "forgetest", *arguments],
            cwd=self.folder,
            env={**os.environ, "COLUMNS": "160", "NO_COLOR": "1", "XDG_CACHE_HOME": self.cache},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    @property
    def packages(self) -> Path:
        """Where its packages lie."""
        version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
        return self.home / "lib" / version / "site-packages"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Environment:
    home, folder = tmp_path_factory.mktemp("venv"), tmp_path_factory.mktemp("work")
    cache = program_in(folder, tmp_path_factory.mktemp("cache"), pytestconfig).environ
    made = Environment(home, folder, cache["XDG_CACHE_HOME"])
    venv.create(home, symlinks=True)
    lent = f"{sysconfig.get_path('purelib')}\n{ROOT}\n"
    (made.packages / "lent.pth").write_text(lent, encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(home)]
    offline = ["--no-index", "--no-deps", "--no-compile", "--quiet"]
    wheel = wheel_of(PLUGIN, tmp_path_factory.mktemp("wheel"))
    subprocess.run([*pip, "install", *offline, str(wheel)], check=True, timeout=120)
    (folder / "tiny.toml").write_text(SET, encoding="utf-8")
    return made


def break_packages(environment: Environment) -> None:
    """Install packages that cannot be used, as an installer leaves them."""
    for package, (value, group, name, part) in BROKEN.items():
        info = environment.packages / f"{package}-1.0.dist-info"
        info.mkdir(exist_ok=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[{group}]\n{name} = {value}\n")
        module, _, _ = value.partition(":")
        if part:
            text = f"from forgetest.plugins import Plugin\n{value.partition(':')[2]} = {part}\n"
            (environment.packages / f"{module}.py").write_text(text)


@pytest.mark.cargo
def test_a_plugins_provider_and_format_serve_a_run(installed: Environment) -> None:
    answers = installed.folder / "answers"
    answers.mkdir()
    (answers / "is-even.rs").write_text(RIGHT["is_even"] + "\n", encoding="utf-8")

    run = installed("run", "-e", "tiny.toml", "-m", "files/answers", "--format", "lines", "-q")
    missing = installed("run", "-e", "tiny.toml", "-m", "files/nowhere")
    (folder,) = (installed.folder / "runs").iterdir()

    assert run.code == 3, run.err
    assert sorted((folder / "samples.txt").read_text().splitlines()) == [
        "files/answers tiny/is-even 1 passed",
        "files/answers tiny/triple 1 unscored: answers/triple.rs: No such file or directory",
    ]
    assert (missing.code, missing.err) == (
        2,
        "error: files/nowhere: there is no folder nowhere\n",
    )


def test_a_plugins_protocol_lists_the_models_of_a_server(installed: Environment) -> None:
    with FakeLLM(lambda _: "") as fake:
        table = f'[providers.mine]\nprotocol = "keyed-openai"\nbase_url = "{fake.openai_url}"\n'
        (installed.folder / "f.toml").write_text(table, encoding="utf-8")
        listed = installed("list-models", "--provider", "mine", "--config", "f.toml")

    assert listed.code == 0, listed.err
    assert listed.out.startswith("mine/")


def test_a_plugins_importer_makes_an_eval_set(installed: Environment) -> None:
    task = {"name": "one", "task": "Write one.", "tests": "#[test]\nfn t() {}\n"}
    lines = f"{json.dumps(task)}\nnonsense\n"
    (installed.folder / "tasks.jsonl").write_text(lines, encoding="utf-8")

    done = installed("import", "task-lines", "tasks.jsonl", "--no-validate", "--force")

    assert done.code == 0, done.err
    assert "line 2" in done.err
    assert 'id = "one"' in (installed.folder / "tasks.toml").read_text()


def test_broken_plugins_are_named_and_left_out(installed: Environment) -> None:
    break_packages(installed)

    doctor = installed("doctor", "--sandbox", "none")
    listed = installed("import")
    asked = installed("report", "--format", "old")
    configured = installed("validate", "tiny.toml", "--no-grading")

    found = " ".join(doctor.out.split())
    assert doctor.code == 0, doctor.err
    for part in ("provider files", "provider keyed-openai", "importer task-lines", "format lines"):
        assert f"plugin {part}" in found
    assert "forgetest-sample 0.1.0" in found
    for why in (
        "of a_broken 1.0: ModuleNotFoundError: No module named 'broken'",
        "it is for plugin API 0, and this forgetest has 1",
        "of type int, not forgetest.plugins.Plugin",
        "it is not a wire protocol: it has no",
        "the name is taken by forgetest",
    ):
        assert found.count(why) == 1, (why, found)
    assert "task-lines" in listed.out
    assert listed.err.count("plugin bare (c_bare 1.0) cannot be used") == 1
    assert (asked.code, asked.err) == (
        2,
        (
            "error: plugin old (b_old 1.0) cannot be used: it is for plugin API 0, and this"
            " forgetest has 1\n"
        ),
    )
    assert configured.code == 0, configured.err
