"""`--fail-under` as a gate: its exit codes, and what is refused before anything is paid for."""

import pytest
from placing import place
from program import Program
from tiny import SET


@pytest.mark.parametrize(
    ("minimum", "code", "said"),
    [
        ("pass@1=0.8", 1, "fail-under: p/m: pass@1 is 75.0 %, below 80.0 %"),
        ("pass@1=0.5,score=0.99", 1, "fail-under: p/m: score is 0.9"),
        ("pass@1=0.75", 0, "fail-under: 1 model met 1 minimum"),
        ("pass@9=1", 2, "add --pass-k 9"),
    ],
)
def test_a_finished_run_is_judged_by_its_report(
    forgetest: Program, minimum: str, code: int, said: str
) -> None:
    folder = place(forgetest.folder / "runs")

    done = forgetest("report", folder, "--fail-under", minimum)

    assert (done.code, said in done.err) == (code, True), done.err


def test_a_minimum_that_the_report_cannot_have_stops_a_run_before_it_begins(
    forgetest: Program,
) -> None:
    (forgetest.folder / "tiny.toml").write_text(SET, encoding="utf-8")
    run = ("run", "-e", "tiny.toml", "-m", "reference/stub")

    assert forgetest(*run, "--fail-under", "pass@2=1").code == 2
    assert forgetest(*run, "--fail-under", "suite:tny=1").code == 2
    assert not (forgetest.folder / "runs").exists()


@pytest.mark.cargo
def test_a_run_below_a_minimum_ends_with_1_after_its_report(forgetest: Program) -> None:
    text = SET.replace("[cases.expect", 'reference_solution = "pub fn f() {}"\n[cases.expect')
    (forgetest.folder / "tiny.toml").write_text(text, encoding="utf-8")

    done = forgetest(
        "run", "-e", "tiny.toml", "-m", "reference/solution", "--fail-under", "tests=1"
    )

    assert done.code == 1, done.err
    assert "pass@1" in done.out
    assert "fail-under: reference/solution: tests is 0.0 %, below 100.0 %" in done.err
