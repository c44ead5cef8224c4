"""`forgetest.compare`: the comparison of the command, as a value."""

import json
from pathlib import Path

import pytest
from compared import report
from program import Program

import forgetest as package
from forgetest.errors import ConfigError

BEFORE = {f"set/{name}": "PPPPPPPP" for name in "abcdef"}
AFTER = {f"set/{name}": "FFFFFFFF" for name in "abcdef"}


@pytest.fixture
def pair(forgetest: Program) -> Program:
    for name, letters in (("old.json", BEFORE), ("new.json", AFTER)):
        (forgetest.folder / name).write_text(json.dumps(report(letters)), encoding="utf-8")
    return forgetest


def test_a_comparison_is_that_of_the_command(
    pair: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(pair.folder)
    done = pair("compare", "old.json", "new.json", "--gate", "evidence", "--format", "json")
    markdown = pair("compare", "old.json", "new.json", "--gate", "evidence", "-f", "markdown")
    comparison = package.compare("old.json", Path("new.json"), gate="evidence")

    assert done.code == 1
    assert comparison.to_dict() == json.loads(done.out)
    assert comparison.to_markdown() == markdown.out
    assert (comparison.verdict, comparison.passed) == ("regressed", False)
    assert comparison.evidence["p/m"].p_worse < 0.001
    assert repr(comparison) == "<Comparison: regressed, gate regression>"


def test_reports_compare_without_files(pair: Program) -> None:
    old, new = (package.Report.read(pair.folder / f"{name}.json") for name in ("old", "new"))

    assert package.compare(old, new).verdict == "regressed"
    assert package.compare(new, old).verdict == "improved"
    assert package.compare(old, old, gate="either").passed


def test_two_models_of_one_run_compare(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    file.write_text(json.dumps(report({"p/a": BEFORE, "p/b": AFTER})), encoding="utf-8")

    comparison = package.compare(file, between=("p/a", "p/b"))

    assert comparison.verdict == "regressed"
    assert comparison.models[0].current == "p/b"


def test_a_configuration_sets_what_is_not_given(pair: Program) -> None:
    config = pair.folder / "team.toml"
    config.write_text('[compare]\ngate = "evidence"\nthreshold = 0.5\n', encoding="utf-8")
    old, new = pair.folder / "old.json", pair.folder / "new.json"

    asked = package.compare(old, new, config=config, threshold=0.2)

    assert (asked.options.rule, asked.options.threshold) == ("evidence", 0.2)
    assert package.compare(old, new).options.rule is None


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({}, r"compare\(\) takes two runs, or one run and between=\(A, B\)"),
        ({"current": "new.json", "alpha": 2}, "alpha: input should be less than 1"),
        ({"current": "new.json", "gate": "none"}, "gate: input should be 'threshold'"),
        ({"current": "nowhere.json"}, r"nowhere\.json: cannot be read"),
    ],
)
def test_what_cannot_be_compared_is_one_sentence(
    pair: Program, options: dict[str, object], error: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(pair.folder)

    with pytest.raises(package.ForgetestError, match=error):
        package.compare("old.json", **options)


def test_the_rooms_of_the_same_names_do_not_hide_the_functions() -> None:
    from forgetest.compare.types import Comparison  # noqa: PLC0415 - what would hide it
    from forgetest.run.folder import create  # noqa: PLC0415 - as above

    assert issubclass(package.Comparison, Comparison)
    assert callable(create)
    assert callable(package.run)
    assert callable(package.compare)
    with pytest.raises(ConfigError, match="needs an eval set"):
        package.run()
