"""The shipped eval sets are found by name, and what is said of their tests is what was recorded."""

from pathlib import Path

import pytest
from program import ROOT
from strength_table import PAGE, content_of, page_with, table

from forgetest.errors import EvalSetError
from forgetest.evalset.load import load
from forgetest.evalset.shipped import (
    case_place,
    local_path,
    shipped_file,
    shipped_files,
    shipped_name,
)
from forgetest.evalset.strength import recorded_strength, strength_record
from forgetest.rust.tests import expected_tests

SETS = load(list(shipped_files().values()))
NAMES = sorted(path.stem for path in (ROOT / "eval-sets").glob("*.toml"))


def test_a_name_is_that_of_the_file_and_the_id_of_the_set() -> None:
    assert sorted(shipped_files()) == sorted(item.id for item in SETS) == NAMES
    assert list(shipped_files())[:2] == ["starter", "rust-basics"]


def test_a_name_finds_a_shipped_set_and_a_path_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (shipped,) = load([Path("starter"), shipped_files()["starter"]])
    Path("starter").write_text(
        shipped_files()["starter"]
        .read_text("utf-8")
        .replace('version = "1.0.0"', 'version = "mine"'),
        encoding="utf-8",
    )

    (own,) = load([Path("starter")])

    assert (shipped.version, shipped.file) == ("1.0.0", "<forgetest>/starter.toml")
    assert (own.version, own.file) == ("mine", "starter")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("rust-basics", "rust-basics"),
        ("eval-sets/rust-basics.toml", "rust-basics"),
        ("mine/rust-basics.toml", None),
        ("rust-basics.toml", None),
        ("eval-sets/mine.toml", None),
    ],
)
def test_only_the_name_and_the_path_of_the_repository_mean_a_shipped_set(
    path: str, name: str | None
) -> None:
    assert shipped_file(Path(path)) == (shipped_files()[name] if name else None)


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("rust-basic", 'did you mean "rust-basics"?'),
        ("mine/starter.toml", 'did you mean "starter"?'),
        ("nothing-like-it", "forgetest sets lists those that ship"),
    ],
)
def test_what_is_not_there_is_named_with_what_was_meant(path: str, hint: str) -> None:
    with pytest.raises(EvalSetError) as error:
        load([Path(path)])

    (problem,) = error.value.problems
    assert str(problem) == f"{path}: no such file, folder or shipped eval set; {hint}"


def test_the_recorded_strength_is_of_the_cases_as_they_are() -> None:
    record = strength_record()

    assert sorted(record.sets) == NAMES
    for item in SETS:
        strength = recorded_strength(item)
        assert strength, f"{item.id} {item.version} is not the version that was checked: make cases"
        assert strength.content == content_of(item), f"{item.id} has changed since: make cases"
        explained = sum(len(case.equivalent_mutants) for case in item.cases)
        wanted = [case.expectations for case in item.cases]
        tests = sum(len(expected_tests(each.test_file or "")) for each in wanted)
        uses = sum(len(each.compile_fail) for each in wanted)
        assert (strength.equivalent, strength.tests) == (explained, tests + uses), item.id


def test_another_version_of_a_set_has_no_recorded_strength() -> None:
    assert recorded_strength(SETS[0].model_copy(update={"version": "1.0.1"})) is None


def test_the_documentation_has_the_recorded_figures() -> None:
    page = PAGE.read_text(encoding="utf-8")

    assert page == page_with(page, table(strength_record(), SETS)), "renew it: make cases"


def test_a_person_is_led_to_a_file_that_is_there_and_a_reader_elsewhere_to_a_command() -> None:
    file = shipped_name(shipped_files()["starter"])

    assert Path(local_path(file)).samefile(shipped_files()["starter"])
    assert case_place(file, 225, "starter/double") == "forgetest sets show starter/double"
    assert local_path("a/mine.toml") == "a/mine.toml"
    assert case_place("a/mine.toml", 8, "mine/add") == "a/mine.toml:8"
    assert case_place("a/mine.toml", None, "mine/add") == "a/mine.toml"
