"""Grading on a Dask cluster: real schedulers, real workers, and what becomes of a run without them.

One run meets everything: a worker with another compiler, a sample that kills workers until none is
left, a scheduler that dies, and an end on processes of this machine.
"""

import json
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from daskhouse import OTHER, DaskHouse, deadly_box, other_toolchain
from program import Done, Program
from tiny import RIGHT, SET

pytest.importorskip("distributed")
pytestmark = [
    pytest.mark.cargo,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed"),
]

POISON = "kills_its_worker"
SOUND = """
[eval_set]
id = "sound"
name = "Sound"
[[cases]]
id = "is-even"
prompt = "Write `pub fn is_even(n: i32) -> bool`."
reference_solution = "pub fn is_even(n: i32) -> bool { n % 2 == 0 }"
[cases.expectations]
test_file = '''
#[test]
fn two_is() { assert!(is_even(2)); }
#[test]
fn three_is_not() { assert!(!is_even(3)); }
'''
"""
WRONG = "pub fn is_even(n: i32) -> bool { n % 2 == 1 }"
# The second is the first again; the poisonous one stands among harmless ones, enough of them that
# some are left when it has killed both workers.
CODES = [
    RIGHT["is_even"],
    RIGHT["is_even"],
    WRONG,
    f"{RIGHT['is_even']} // {POISON}",
    *(f"{RIGHT['is_even']} // {number}" for number in range(12)),
]
LINES = [
    json.dumps({"case_id": "is-even", "completion": f"```rust\n{code}\n```"}) for code in CODES
]


@dataclass(frozen=True)
class Story:
    """What happened to one run, session by session."""

    folder: Path
    alone: Done  # every worker died
    deep: Done  # a check of the eval set, by one worker
    headless: Done  # the scheduler died
    ended: Done  # on this machine
    died: tuple[bool, ...]

    def events(self) -> list[dict[str, Any]]:
        """Return the lines of the journal."""
        lines = (self.folder / "journal.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]

    def report(self) -> dict[str, Any]:
        """Return the report."""
        loaded: dict[str, Any] = json.loads((self.folder / "report.json").read_text())
        return loaded


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    root = tmp_path_factory.mktemp("cluster")
    program = Program(root, {"DASK_FORGETEST__WAIT_FOR_WORKERS": "500ms"})
    (root / "tiny.toml").write_text(SET)
    (root / "sound.toml").write_text(SOUND)
    (root / "answers.jsonl").write_text("\n".join(LINES))
    house = DaskHouse(root, program.env())
    try:
        address = house.scheduler()
        deadly = deadly_box(root / "deadly", POISON)
        house.worker("first", address, path=deadly)
        house.worker("second", address, path=deadly)
        house.worker("other", address, path=other_toolchain(root / "other"))
        house.joined("first", "second", "other")
        options = ("--no-verdict-cache", "--grade-on")
        alone = program("grade", "answers.jsonl", "-e", "tiny.toml", *options, address)
        assert alone.code == 3, alone
        died = (house.died("first"), house.died("second"))
        (folder,) = (root / "runs").iterdir()

        house.kill("other")
        house.worker("third", address)
        house.joined("third")
        deep = program("validate", "--deep", "sound.toml", "--format", "json", *options, address)
        headless = _resumed_until_graded(program, folder, house, *options, address)
        ended = program("run", "--resume", folder, *options, "local:2")
        yield Story(folder, alone, deep, headless, ended, died)
    finally:
        house.stop()


def _resumed_until_graded(program: Program, folder: Path, house: DaskHouse, *options: str) -> Done:
    """Go on with a run, and kill the scheduler once a sample is graded."""
    argv = program.argv("run", "--resume", folder, *options)
    with subprocess.Popen(
        argv,
        cwd=program.folder,
        env=program.env(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        said = ""
        for line in process.stderr:
            said += line
            if "]" in line and ("passed" in line or "failed" in line):
                break
        house.kill("scheduler")
        out, err = process.communicate(timeout=120)
        return Done(process.returncode, out, said + err)


def test_a_worker_with_another_compiler_is_refused_by_name(story: Story) -> None:
    (refused,) = [line for line in story.alone.err.splitlines() if line.startswith("refused:")]

    assert refused.startswith("refused: worker tcp://127.0.0.1:")
    assert f": has {OTHER}, the run has rustc 1." in refused
    assert not [line for line in story.alone.err.splitlines() if "bug" in line]


def test_a_sample_that_kills_two_workers_is_a_fault_that_names_them(story: Story) -> None:
    assert story.died == (True, True)
    assert story.alone.code == 3, story.alone.err
    faults = [event for event in story.events() if event["type"] == "faulted"]
    poisoned = [event for event in faults if "workers died grading it: tcp://" in event["message"]]
    assert [event["kind"] for event in poisoned] == ["cluster"]
    assert poisoned[0]["sample"].endswith("|3")
    assert story.alone.err.count(" is lost") == 2


def test_without_any_worker_the_rest_is_unscored_and_resumes(story: Story) -> None:
    assert "no worker of the cluster was left for 0.5 s" in json.dumps(story.events())
    assert f"forgetest run --resume runs/{story.folder.name}" in story.alone.err


def test_a_worker_checks_an_eval_set_deeply(story: Story) -> None:
    assert story.deep.code == 0, story.deep.err
    (eval_set,) = json.loads(story.deep.out)["sets"]
    (case,) = eval_set["cases"]
    assert case["soundness"]["reference"] == "passed"
    assert case["soundness"]["blanks"] == dict.fromkeys(
        ("panicking", "empty", "constant"), "failed"
    )
    assert case["strength"]["killed"] == case["strength"]["made"] > 0


def test_without_a_scheduler_the_run_ends_and_resumes(story: Story) -> None:
    assert story.headless.code == 3, story.headless.err
    assert story.headless.err.count("the connection to the Dask scheduler tcp://") >= 1
    assert "Traceback" not in story.headless.err


def test_the_run_ends_on_processes_of_this_machine_and_nothing_is_journaled_twice(
    story: Story,
) -> None:
    assert story.ended.code == 0, story.ended.err
    kinds = Counter((event["type"], event["sample"]) for event in story.events())
    assert {count for (kind, _), count in kinds.items() if kind != "faulted"} == {1}
    samples = story.report()["models"][0]["cases"][0]["samples"]
    assert [sample["passed"] for sample in samples] == [code != WRONG for code in CODES]
    assert "duplicate" in samples[1]["verdict"]["flags"] + samples[0]["verdict"]["flags"]
