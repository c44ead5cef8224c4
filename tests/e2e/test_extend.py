"""A run that grows: only what is new is asked, and what it was stays beside what it is."""

import json
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from program import Done, Program
from resuming import configure, journal, server, wait_for_events

VARIANT = '[variants.terse]\ntemplate = "{prompt} Be terse."\n'
MORE = """
[eval_set]
id = "more"
name = "More"

[[cases]]
id = "triple"
name = "Triple"
prompt = "Write `pub fn triple(n: i32) -> i32`, again."
[cases.expectations]
test_file = '''
#[test]
fn two() { assert_eq!(triple(2), 6); }
'''
"""


def read(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


def requests(log: Path) -> Counter[tuple[str, str, int]]:
    """Return how often each model was asked each prompt with each seed."""
    rows = map(json.loads, log.read_text(encoding="utf-8").splitlines())
    return Counter((row["model"], row["prompt"], row["seed"]) for row in rows)


def begun(program: Program, url: str) -> Path:
    """Return the folder of a finished run, which later tests extend."""
    *arguments, _, _, _, _ = configure(program, url)
    with (program.folder / "forgetest.toml").open("a", encoding="utf-8") as config:
        config.write(VARIANT)
    (program.folder / "more.toml").write_text(MORE, encoding="utf-8")
    done = program(*arguments, "-n", "2", "--seed", "0", "--quiet")
    assert done.code == 0, done.err
    return program.run_folder()


def extend(program: Program, folder: Path, *arguments: str) -> Done:
    return program("run", "--extend", folder, *arguments, "--quiet")


@pytest.mark.cargo
def test_only_what_is_new_is_asked_and_the_old_report_stays(
    forgetest: Program, tmp_path: Path
) -> None:
    with server(tmp_path, delay=0.0) as (url, log):
        folder = begun(forgetest, url)
        first, asked = read(folder / "report.json"), requests(log)

        samples = extend(forgetest, folder, "--samples", "4", "--pass-k", "3")
        with_samples, then = read(folder / "report.json"), requests(log)
        everything = extend(
            forgetest, folder, "-m", "+chat/b", "--variant", "+terse", "-e", "+more.toml"
        )
        last = requests(log)

    assert samples.code == 0, samples.err
    assert everything.code == 0, everything.err
    assert asked < then < last
    assert set(last.values()) == {1}, "nothing is asked twice"
    assert sum(then.values()) - sum(asked.values()) == 2 * 2
    assert {seed for _, _, seed in then - asked} == {2, 3}
    assert sum(last.values()) == 2 * 2 * 3 * 4  # models, variants, cases, samples

    report, manifest = read(folder / "report.json"), read(folder / "manifest.json")
    assert read(folder / "report-1.json") == first
    assert read(folder / "report-2.json") == with_samples
    assert [step["report"] for step in manifest["history"]] == ["report-1.json", "report-2.json"]
    assert [step["samples_per_case"] for step in manifest["history"]] == [2, 4]
    assert manifest["history"][0]["plan_digest"] == first["plan_digest"]
    assert report["complete"]
    assert report["pass_k"] == [1, 3]
    assert [model["model"].get("variant") for model in report["models"]] == [
        *(None, "terse", None, "terse"),
    ]
    kept = [sample["code"] for case in first["models"][0]["cases"] for sample in case["samples"]]
    now = [
        sample["code"]
        for case in report["models"][0]["cases"][:2]
        for sample in case["samples"][:2]
    ]
    assert now == kept


@pytest.mark.cargo
def test_an_extension_that_is_killed_resumes_and_asks_for_nothing_twice(
    forgetest: Program, tmp_path: Path
) -> None:
    with server(tmp_path, delay=0.02) as (url, log):
        folder = begun(forgetest, url)
        process = forgetest.start("run", "--extend", folder, "--samples", "20", "--quiet")
        wait_for_events(forgetest, 14)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        paid = {event["sample"] for event in journal(folder) if event["type"] == "completed"}
        resumed = forgetest("run", "--resume", folder, "--quiet")
        asked = Counter[str]()
        for (_, prompt, seed), times in requests(log).items():
            name = "is-even" if "is_even" in prompt else "triple"
            asked[f"chat/a|tiny/{name}|{seed}"] += times

    assert resumed.code == 0, resumed.err
    assert 4 < len(paid) < 2 * 20
    assert {asked[sample] for sample in paid} == {1}
    unpaid = [asked[sample] for sample in asked.keys() - paid]
    assert len(unpaid) == 2 * 20 - len(paid)
    assert set(unpaid) <= {1, 2}, "what was under way when it was killed is asked again, once"
    assert read(folder / "report.json")["complete"]
    assert read(folder / "report-1.json")["samples_per_case"] == 2


@pytest.mark.cargo
def test_what_contradicts_the_run_is_refused_and_changes_nothing(
    forgetest: Program, tmp_path: Path
) -> None:
    with server(tmp_path, delay=0.0) as (url, _):
        folder = begun(forgetest, url)
        kept = {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}
        refused = {
            "the run has all of that already": ("--models", "chat/a"),
            "--samples is how many it is to have": ("--samples", "1"),
            "pass@5 needs at least 5 samples": ("--pass-k", "5"),
            "there is no variant 'ters'; did you mean terse?": ("--variant", "ters"),
            "--extend asks in the same way as before: leave out --temperature": (
                *("--temperature", "0.3"),
            ),
            "--filter and --case choose what --eval-set adds": ("--case", "triple"),
        }
        errors = {text: extend(forgetest, folder, *given) for text, given in refused.items()}
        changed = (forgetest.folder / "tiny.toml").read_text(encoding="utf-8")
        (forgetest.folder / "tiny.toml").write_text(
            changed.replace("triple(2), 6", "triple(3), 9"), encoding="utf-8"
        )
        case = extend(forgetest, folder, "-e", "tiny.toml")

    for text, done in errors.items():
        assert done.code == 2, (text, done)
        assert text in done.err
    assert case.code == 2
    assert "tiny/triple: the case is another in tiny.toml than in the run" in case.err
    assert {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()} == kept
