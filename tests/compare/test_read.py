"""What `compare` says of files that it cannot use: one line, its name in it, exit code 2 or 3."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from compared import report, write
from program import Program

from forgetest.compare.read import read_side
from forgetest.report.files import ReportError

GOOD = report({"set/a": "PPF", "set/b": "PPP"})


def changed(change: Callable[[Any], object]) -> str:
    data = copy.deepcopy(GOOD)
    change(data)
    return json.dumps(data)


def first_case(data: Any) -> Any:
    return data["models"][0]["cases"][0]


BAD = {
    "empty": ("", "not a JSON report"),
    "truncated": (json.dumps(GOOD)[:-500], "not a JSON report: EOF"),
    "prose": ("the build failed", "not a JSON report"),
    "a list": ("[]", "not a forgetest report"),
    "foreign": ('{"results": {"pass": 1}}', "not a forgetest report: schema_version is missing"),
    "older shape": ('{"schema_version": 1, "forgetest": "0.1.0"}', "created: Field required"),
    "newer": (
        changed(lambda data: data.update(schema_version=99, forgetest="7.0.0", models="new")),
        "written by forgetest 7.0.0 with schema 99",
    ),
    "NaN": (
        json.dumps(GOOD).replace('"latency_secs": 0.5', '"latency_secs": NaN', 1),
        "latency_secs",
    ),
    "NaN where nobody looks": (
        json.dumps(GOOD).replace('"score": 1.0', '"score": NaN', 1),
        "NaN or infinity",
    ),
    "infinity": (
        json.dumps(GOOD).replace('"latency_secs": 0.5', '"latency_secs": 1e999', 1),
        "latency_secs",
    ),
    "a sample twice": (
        changed(lambda data: first_case(data)["samples"][1].update(index=0)),
        "case 'a' holds a sample twice",
    ),
    "other counts": (
        changed(lambda data: first_case(data).update(c=3)),
        "case 'a' says planned, n, c = 3, 3, 3, but its samples say 3, 3, 2",
    ),
    "a case twice": (
        changed(lambda data: data["models"][0]["cases"].append(first_case(data))),
        "holds a case twice",
    ),
    "a model twice": (
        changed(lambda data: data["models"].append(data["models"][0])),
        "holds a model twice",
    ),
    "an unknown outcome": (
        changed(lambda data: first_case(data)["samples"][0]["verdict"].update(outcome="fine")),
        "verdict.outcome",
    ),
}


@pytest.mark.parametrize(("text", "said"), BAD.values(), ids=BAD.keys())
def test_a_report_that_is_none_is_refused_in_one_line(text: str, said: str) -> None:
    with pytest.raises(ReportError) as caught:
        read_side(text.encode(), file="some/file.json")

    assert str(caught.value).startswith("some/file.json: ")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_words_that_look_like_nan_in_a_models_text_are_no_harm() -> None:
    text = (
        json.dumps(GOOD)
        .replace("mismatched types", "x: NaN, y: Infinity")
        .replace('"text": "', '"text": "returns: NaN or Infinity ', 1)
    )

    assert "NaN" in text
    assert read_side(text.encode(), file="a").models


@pytest.mark.parametrize("name", ["truncated", "newer", "a sample twice"])
def test_the_program_says_it_in_one_line_with_exit_code_2(
    forgetest: Program, tmp_path: Path, name: str
) -> None:
    good, bad = write(tmp_path, "good.json", GOOD), write(tmp_path, "bad.json", BAD[name][0])

    for sides in (("--baseline", bad, "--current", good), ("--baseline", good, "--current", bad)):
        done = forgetest("compare", *sides)

        assert (done.code, done.out) == (2, "")
        assert len(done.err.splitlines()) == 1
        assert "bad.json" in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "compare needs two runs"),
        (("--baseline", "good.json"), "compare needs two runs"),
        (("--baseline", "-", "--current", "-"), "only one of"),
        (("--baseline", "nothing.json", "--current", "good.json"), "nothing.json: cannot be read"),
        (("--baseline", ".", "--current", "good.json"), ".: not a run folder"),
        (("--baseline", "good.json", "--current", "good.json", "--map", "x"), "OLD=NEW"),
        (
            ("--baseline", "good.json", "--current", "good.json", "--map", "x/y=p/m"),
            "has no model or eval set 'x/y'; it has p/m, set",
        ),
        (
            ("--baseline", "good.json", "--current", "good.json", "--gate", "luck"),
            "choose threshold, evidence",
        ),
        (
            ("--baseline", "good.json", "--current", "good.json", "--alpha", "0"),
            "--alpha must be between 0 and 1, got 0",
        ),
        (
            ("--baseline", "good.json", "--current", "good.json", "--alpha", "1e-20"),
            "--alpha must be at least 1e-12, got 1e-20",
        ),
        (("--baseline", "good.json", "--current", "good.json", "--format", "xml"), "--format xml"),
        (("--baseline", "good.json", "--current", "good.json", "--threshold", "2"), "threshold"),
        (("--baseline", "good.json", "--current", "good.json", "--regrade"), "run folder"),
        (("--self-check", "good.json", "--format", "github"), "--format github"),
        (
            ("--baseline", "good.json", "--current", "good.json", "--output", "/dev/null/x"),
            "cannot be written",
        ),
    ],
)
def test_wrong_options_are_one_line_with_exit_code_2(
    forgetest: Program, arguments: tuple[str, ...], said: str
) -> None:
    write(forgetest.folder, "good.json", GOOD)

    done = forgetest("compare", *arguments)

    assert done.code == 2, done.err
    assert said in done.err
    assert "Traceback" not in done.err
    assert len(done.err.splitlines()) == 1


def test_reports_without_anything_to_compare_are_not_comparable(forgetest: Program) -> None:
    write(forgetest.folder, "good.json", GOOD)
    write(forgetest.folder, "none.json", changed(lambda data: data.update(models=[])))
    write(forgetest.folder, "other.json", report({"elsewhere/a": "P"}))

    for other in ("none.json", "other.json"):
        for pair in ((other, "good.json"), ("good.json", other)):
            done = forgetest("compare", "--baseline", pair[0], "--current", pair[1])

            assert done.code == 3, done.err
            assert "not comparable" in done.out.lower()


PANIC = "thread 'main' panicked at case/tests/tests.rs:2:64:"


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (
            f"{PANIC}\nassertion `left == right` failed: odd\n  left: 1\n right: 3",
            "assertion `left == right` failed: odd (left: 1, right: 3)",
        ),
        (f"{PANIC}\nnot yet implemented", "not yet implemented"),
        (PANIC, PANIC),
        (f"stopped at 5 s\n{PANIC}\nx", "stopped at 5 s"),
    ],
)
def test_a_failed_test_is_told_by_its_assertion(message: str, said: str) -> None:
    data = report({"set/a": "F"})
    data["models"][0]["cases"][0]["samples"][0]["verdict"]["tests"][1]["message"] = message

    (case,) = read_side(json.dumps(data).encode(), file="a.json").models["p/m"].cases.values()

    assert [kind.assertion for kind in case.failures] == [said]
