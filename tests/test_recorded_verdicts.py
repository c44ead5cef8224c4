"""The grader agrees with the verdicts that others' completions are known to deserve."""

import json
from pathlib import Path

import pytest
from conftest import Program
from recorded import DATA, Row, files, rows, write

VERDICTS = {
    "passed": "pass",
    "tests_failed": "test_fail",
    "test_timeout": "timeout",
    "test_crashed": "crash",
    "compile_failed": "compile_error",
    "compile_timeout": "compile_error",
    "test_build_failed": "compile_error",
    "empty": "compile_error",
    "refused": "compile_error",
    "truncated": "compile_error",
    "no_code": "compile_error",
}


# Brings a `main` of its own. The source's judge put code and tests into one file, where two of them
# do not compile; here the tests are another crate's, and the code is right.
OWN_MAIN = {"reflexion:e3acf1fcb42eb267": "pass"}
# Fills a vector without end: whether memory or time runs out first is the machine's to say.
ENDLESS = {"base:3", "base:4"}


@pytest.mark.cargo
@pytest.mark.skipif(not DATA.is_dir(), reason="the third-party recordings are not beside the clone")
@pytest.mark.parametrize("file", files(), ids=lambda file: file.stem)
def test_every_recorded_completion_gets_its_known_verdict(forgetest: Program, file: Path) -> None:
    chosen = [row for row in rows(file) if not row.flaky]
    sets, recording = write(forgetest.folder, file.stem.removeprefix("completions-"), chosen)

    done = forgetest("grade", recording, "-e", sets, "--format", "json", "--quiet")

    assert done.code == 0, done.err
    cases = json.loads(done.out)["models"][0]["cases"]
    got = {case["case"]: VERDICTS[case["samples"][0]["outcome"]] for case in cases}
    differing = {
        row.uid: (row.verdict, got[row.case.id])
        for row in chosen
        if got[row.case.id] not in right(row)
    }
    assert not differing


def right(row: Row) -> set[str]:
    """Return the verdicts that a completion may get."""
    if row.uid in ENDLESS:
        return {"crash", "timeout"}
    return {OWN_MAIN.get(row.uid, row.verdict)}
