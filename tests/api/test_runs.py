"""`forgetest.run`: a run from Python is a run, with its folder, journal and report."""

import asyncio
import json
import logging
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fake_http import Ask, Hang
from fake_llm import FakeLLM
from program import Program, as_in_a_terminal
from resuming import journal
from tiny import RIGHT, SET

from forgetest import Progress, Report, load, run
from forgetest.errors import ConfigError, EvalSetError

ANCHORS = ["reference/solution", "reference/stub"]


def replied(ask: Ask) -> str:
    return f"```rust\n{RIGHT['is_even' if 'is_even' in ask.prompt else 'triple']}\n```"


def configured(folder: Path, url: str) -> Path:
    file = folder / "forgetest.toml"
    table = f'[providers.fake]\npreset = "vllm"\nbase_url = "{url}"\n'
    file.write_text(table, encoding="utf-8")
    return file


def completed(folder: Path) -> list[str]:
    """Return the samples whose answers are on disk."""
    return [event["sample"] for event in journal(folder) if event["type"] == "completed"]


@dataclass(frozen=True)
class Ran:
    """One run inside a running event loop, and what it told."""

    report: Report
    seen: list[Progress]
    lines: list[str]


class Lines(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    handler, seen = Lines(), list[Progress]()
    logger = logging.getLogger("forgetest")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)

    async def notebook() -> Report:
        return run(
            "starter",
            ANCHORS,
            limit=2,
            samples=2,
            parallelism=2,
            verdict_cache=False,
            output=tmp_path_factory.mktemp("runs"),
            progress=seen.append,
        )

    report = asyncio.run(notebook())
    logger.removeHandler(handler)
    logger.setLevel(logging.NOTSET)
    return Ran(report, seen, handler.lines)


@pytest.mark.cargo
def test_a_run_gives_its_report_which_is_the_one_on_disk(ran: Ran) -> None:
    report = ran.report

    assert report.path is not None
    assert report.to_dict() == json.loads((report.path / "report.json").read_text("utf-8"))
    assert report.complete
    assert {model: row["pass_rate"] for model, row in report.summary().items()} == {
        "reference/solution": 1.0,
        "reference/stub": 0.0,
    }
    assert report.command == ("forgetest.run()",)


@pytest.mark.cargo
def test_a_run_tells_how_far_it_is_and_logs_lines(ran: Ran) -> None:
    first, last = ran.seen[0], ran.seen[-1]

    assert (first.planned, first.graded, first.done) == (8, 0, False)
    assert (last.answered, last.graded, last.passed, last.unscored) == (8, 8, 4, 0)
    assert last.done
    assert last.folder == ran.report.path
    assert ran.lines[0].startswith("2 models x 2 cases x 2 samples = 8 samples -> ")
    assert "[4/4] reference/solution" in "\n".join(ran.lines)


@pytest.mark.cargo
def test_a_run_and_the_command_settle_the_same_samples_alike(ran: Ran, forgetest: Program) -> None:
    models = ("-m", ",".join(ANCHORS))
    done = forgetest("run", "-e", "starter", *models, "--limit", "2", "--samples", "2", "--quiet")
    assert done.code == 0, done.err
    command = json.loads((forgetest.run_folder() / "report.json").read_text("utf-8"))
    mine = ran.report.to_dict()

    assert mine.keys() == command.keys()
    assert _outcomes(mine) == _outcomes(command)
    for name in ("toolchain", "sandbox", "limits", "sampling", "pass_k", "extractor"):
        assert mine[name] == command[name], name


def _outcomes(report: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        (case["case"], sample["outcome"])
        for model in report["models"]
        for case in model["cases"]
        for sample in case["samples"]
    ]


@pytest.mark.cargo
def test_what_a_callback_raises_stops_the_run_which_resume_completes(
    tmp_path: Path,
) -> None:
    folders: list[Path] = []

    def stop(progress: Progress) -> None:
        folders.append(progress.folder)
        if progress.graded:
            raise RuntimeError("enough")

    with FakeLLM(replied) as fake:
        config = configured(tmp_path, fake.openai_url)
        asked = {"samples": 3, "output": tmp_path, "config": config, "concurrency": 1}
        with pytest.raises(RuntimeError, match="enough"):
            run(load(SET), "fake/m", progress=stop, parallelism=1, **asked)
        paid = len(completed(folders[0]))
        assert paid > 0
        assert not Report.read(folders[0]).complete
        before = len(fake.completions)
        report = run(resume=folders[0], config=config)

        assert len(fake.completions) - before == 6 - paid, "no answer is paid for twice"
    assert report.complete
    assert report.summary()["fake/m"]["passed"] == 6


SCRIPT = """
import sys, forgetest
cases = forgetest.load("tiny.toml")
def tell(progress):
    if progress.graded == 1:
        print(progress.folder, flush=True)
forgetest.run(cases, "fake/m", samples=4, seed=1, config="forgetest.toml", progress=tell)
"""


@pytest.mark.cargo
def test_ctrl_c_stops_a_run_that_goes_on_from_its_folder(
    forgetest: Program, tmp_path: Path
) -> None:
    (tmp_path / "tiny.toml").write_text(SET, encoding="utf-8")
    stopped: list[int] = []

    def some(ask: Ask) -> str | Hang:
        return replied(ask) if ask.number <= 3 or stopped else Hang()

    with FakeLLM(some) as fake:
        config = configured(tmp_path, fake.openai_url)
        with subprocess.Popen(
            [sys.executable, "-c", SCRIPT],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=forgetest.env(),
            preexec_fn=as_in_a_terminal,  # noqa: PLW1509 - no thread of the tests holds a lock here
        ) as process:
            assert process.stdout is not None
            folder = tmp_path / process.stdout.readline().strip()
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
        stopped.append(process.returncode)
        report = run(resume=folder, config=config)
        asked = fake.answered()

    assert process.returncode != 0
    assert "interrupted; continue with resume=" in err
    assert "KeyboardInterrupt" in err
    assert report.complete
    assert set(asked.values()) == {1}, "no answer is paid for twice"
    assert sorted(completed(folder)) == sorted(set(completed(folder)))


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"models": "a/b"}, "run() needs an eval set"),
        ({"eval_sets": [], "models": "a/b"}, "run() needs an eval set"),
        ({"eval_sets": "starter"}, "run() needs models"),
        ({"eval_sets": "starter", "models": "a/b", "samples": 0}, "samples: input should be"),
        ({"resume": "x", "samples": 2, "models": "a/b"}, "leave out models, samples"),
        ({"eval_sets": "starter", "models": "nope/b"}, 'there is no provider "nope"'),
        ({"eval_sets": "starter", "models": "a/b", "config": "x.toml"}, "x.toml: cannot be read"),
    ],
)
def test_what_makes_no_run_is_refused_in_one_sentence(
    asked: dict[str, Any], error: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError) as refused:
        run(**asked, output=tmp_path) if "resume" not in asked else run(**asked)

    assert error in str(refused.value)
    assert "\n" not in str(refused.value)
    assert not list(tmp_path.iterdir())


def test_a_configuration_is_read_only_where_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "forgetest.toml").write_text('[run]\nmodels = ["reference/solution"]\n', "utf-8")
    monkeypatch.chdir(tmp_path)

    with pytest.raises(ConfigError, match="run\\(\\) needs models"):
        run("starter")
    with pytest.raises(EvalSetError, match="nothing-of-the-name"):
        run("nothing-of-the-name", config="forgetest.toml")
