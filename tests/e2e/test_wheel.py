"""What is released works where there is no checkout: the wheel, the source distribution, the page.

The environment holds what the wheel requires and nothing else, so that a forgotten dependency or a
file that was left out of the package is found.
"""

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from installed import Built, Installed, built_once, install, installed_once
from program import ROOT, program_in

from forgetest.cli.commands import COMMANDS

pytestmark = pytest.mark.wheel

REPOSITORY = "https://github.com/forgetest/forgetest/blob/main/"
RAW = REPOSITORY.replace("github.com", "raw.githubusercontent.com").replace("blob/", "")

FIRST_STEPS = (
    "sets",
    "sets show starter/add",
    "validate --no-grading rust-basics",
    "sets copy rust-basics",
    "init",
    "schema config",
)
LINES = (*(f"{name} --help" for name in COMMANDS), *FIRST_STEPS)
EACH_IN_TURN = """
import json, sys
from functools import partial
from forgetest.cli.boundary import run_to_exit_code
from forgetest.cli.commands import app
for line in json.loads(sys.stdin.read()):
    program = partial(app, line.split(), prog_name="forgetest", standalone_mode=False)
    print(f"#{run_to_exit_code(program)} {line}")
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return built_once(tmp_path_factory)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return installed_once(tmp_path_factory)


def test_a_package_index_takes_both(built: Built) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "twine", "check", "--strict", built.sdist, built.wheel],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout
    assert done.stdout.count("PASSED") == 2


def test_the_metadata_says_where_the_project_is_and_what_it_runs_on(built: Built) -> None:
    metadata = built.metadata
    classifiers = metadata.get_all("Classifier", [])
    urls = dict(line.split(", ") for line in metadata.get_all("Project-URL", []))

    assert metadata["Author"] == "The forgetest authors"
    # What developers need is no public extra.
    extras = {"cluster", "inspect", "lm-eval", "serve", "trl", "verifiers"}
    assert set(metadata.get_all("Provides-Extra", [])) == extras
    assert set(urls) >= {"Repository", "Documentation", "Changelog", "Issues"}
    for url in urls.values():
        if url.startswith(REPOSITORY):
            assert (ROOT / url.removeprefix(REPOSITORY)).is_file(), url
    for minor in range(11, 15):
        assert f"Programming Language :: Python :: 3.{minor}" in classifiers
    assert "Operating System :: POSIX :: Linux" in classifiers


def test_pictures_and_links_of_the_readme_hold_on_a_package_index(built: Built) -> None:
    text = built.metadata.get_payload()
    links = re.findall(r"(!?)\[[^\]]*\]\(([^)]*)\)", str(text))

    assert len(links) > 15
    for picture, link in links:
        base = RAW if picture else REPOSITORY
        assert link.startswith((base, "https://", "#")), link
        if link.startswith(base):
            assert (ROOT / link.removeprefix(base).partition("#")[0]).exists(), link


def test_the_wheel_holds_the_package_and_every_eval_set(built: Built) -> None:
    folders = {ROOT / "forgetest": "forgetest", ROOT / "eval-sets": "forgetest/eval-sets"}
    expected = {
        f"{name}/{path.relative_to(folder)}": path.read_bytes()
        for folder, name in folders.items()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    plugin = "forgetest_verifiers.py"  # which verifiers finds as a module of its own
    expected[plugin] = (ROOT / plugin).read_bytes()
    with zipfile.ZipFile(built.wheel) as archive:
        packed = {
            name: archive.read(name)
            for name in archive.namelist()
            if not name.partition("/")[0].endswith(".dist-info")
        }

    assert packed == expected


def test_every_command_and_the_first_steps_work_without_the_checkout(
    installed: Installed, tmp_path: Path
) -> None:
    done = installed.python(EACH_IN_TURN, cwd=tmp_path, stdin=json.dumps(LINES))
    succeeded = re.findall(r"(.*?)^#0 ([^\n]*)\n", done.out, re.DOTALL | re.MULTILINE)
    printed = {line: text for text, line in succeeded}

    assert list(printed) == list(LINES), done.err
    for name in COMMANDS:
        assert f"Usage: forgetest {name}" in printed[f"{name} --help"]
    assert "rust-edition-2024" in printed["sets"]
    assert json.loads(printed["schema config"])["title"] == "forgetest.toml"
    assert "18 cases in 1 eval set read" in done.err
    copied = (tmp_path / "eval-sets" / "rust-basics.toml").read_bytes()
    assert copied == (ROOT / "eval-sets" / "rust-basics.toml").read_bytes()
    assert (tmp_path / "forgetest.toml").exists()
    assert str(ROOT) not in done.out + done.err


def test_a_command_of_an_extra_says_what_to_install(installed: Installed, tmp_path: Path) -> None:
    done = installed("serve", "-e", "starter", cwd=tmp_path)

    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "error: forgetest serve needs starlette and uvicorn: pip install 'forgetest[serve]'\n"
    )


def test_the_line_of_the_documentation_works_in_an_empty_folder(
    installed: Installed, tmp_path: Path
) -> None:
    done = installed(
        *("run", "--dry-run", "--eval-set", "eval-sets/rust-basics.toml", "--pass-k", "1,5"),
        *("--models", "reference/solution"),
        cwd=tmp_path,
    )

    assert done.code == 0, done.err
    assert "18 cases x 5 samples" in done.out
    assert "using the eval set that ships with forgetest" in done.err


@pytest.mark.cargo
def test_a_run_and_its_page_need_nothing_but_the_wheel(
    installed: Installed,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    pytestconfig: pytest.Config,
) -> None:
    home = program_in(tmp_path, tmp_path_factory.mktemp("cache"), pytestconfig).environ
    models = "reference/solution,reference/stub"

    done = installed(
        *("run", "--eval-set", "starter", "--case", "add", "--models", models),
        *("--format", "json,html", "--quiet"),
        cwd=tmp_path,
        **home,
    )

    assert done.code == 0, done.err
    (run,) = (tmp_path / "runs").iterdir()
    report = json.loads((run / "report.json").read_text(encoding="utf-8"))
    rates = [model["overall"]["pass_rate"]["value"] for model in report["models"]]
    assert rates == [1.0, 0.0]
    (page,) = run.rglob("*.html")
    assert "reference/solution" in page.read_text(encoding="utf-8")


def test_the_source_distribution_installs_the_same(
    built: Built, installed: Installed, tmp_path: Path
) -> None:
    other = install(built, built.sdist, tmp_path / "home")

    def files(of: Installed) -> dict[Path, bytes]:
        return {
            path.relative_to(of.package): path.read_bytes()
            for path in of.package.rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }

    assert files(other) == files(installed)
