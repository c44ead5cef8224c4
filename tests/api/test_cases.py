"""Cases for Python: where they come from, and by which names they are found."""

from pathlib import Path

import pytest
from tiny import SET

import forgetest
from forgetest.errors import EvalSetError


def test_cases_come_from_shipped_sets_files_folders_and_texts(tmp_path: Path) -> None:
    file = tmp_path / "tiny.toml"
    file.write_text(SET, encoding="utf-8")

    keys = ["tiny/is-even", "tiny/triple"]
    assert list(forgetest.load(SET)) == keys
    assert list(forgetest.load(file)) == keys
    assert list(forgetest.load(str(tmp_path))) == keys
    both = forgetest.load("starter", SET)
    assert [chosen.id for chosen in both.eval_sets] == ["starter", "tiny"]
    assert len(both) == 6 + 2
    assert repr(both) == "<Cases of starter (6), tiny (2)>"


def test_a_case_is_found_by_its_id_where_that_is_enough() -> None:
    cases = forgetest.load(SET, SET.replace('id = "tiny"', 'id = "other"'))

    assert cases["tiny/triple"].id == "triple"
    assert "tiny/triple" in cases
    assert "triple" not in cases
    with pytest.raises(KeyError, match=r'"triple" names 2 cases: "other/triple", "tiny/triple"'):
        cases["triple"]
    with pytest.raises(KeyError, match='there is no case "trible"; did you mean'):
        cases["trible"]
    assert forgetest.load(SET)["triple"].eval_set == "tiny"


def test_problems_of_a_text_are_told_with_their_lines() -> None:
    with pytest.raises(EvalSetError, match="<text>:"):
        forgetest.load("[eval_set]\nid = 3\n")


def test_the_names_of_the_api_are_there_and_no_others() -> None:
    assert set(dir(forgetest)) == set(forgetest.__all__)
    for name in forgetest.__all__:
        assert getattr(forgetest, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'grade_all'"):
        _ = forgetest.grade_all  # type: ignore[attr-defined]
