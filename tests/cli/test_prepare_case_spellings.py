"""How a recorded completion names its case: the same in replay, grade and import samples."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from program import Program
from recordings import case

from forgetest.errors import ForgetestError
from forgetest.importers.recorded import read_samples, recording
from forgetest.importers.types import ImportOptions
from forgetest.sampling.replay import open_recording

CASES = [case(key) for key in ("one/a", "one/b", "two/c", "two/7", "two/HumanEval-0")]
NAMES = ["a", "b", "one/a", "two/c", "c", 7, "7", "two/7", "HumanEval/0", "HumanEval-0", "none"]
ROWS = st.fixed_dictionaries(
    {},
    optional={
        "case_id": st.sampled_from([*NAMES, "", None]),
        "task_id": st.sampled_from([*NAMES, "", None]),
        "eval_set": st.sampled_from(["one", "two", "", None]),
        "completion": st.sampled_from(["c", "", None]),
        "solution": st.sampled_from(["s", None]),
    },
).filter(
    lambda row: (
        (row.get("case_id") or row.get("task_id"))
        and (row.get("completion") is not None or row.get("solution") is not None)
    )
)


@given(st.lists(ROWS, min_size=1, max_size=6))
def test_what_was_imported_answers_the_cases_that_its_source_answers(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, object]]
) -> None:
    folder = tmp_path_factory.mktemp("rows")
    source, again = folder / "source.jsonl", folder / "imported.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    imported = read_samples(source, ImportOptions())
    again.write_text(recording(imported), encoding="utf-8")

    first, second = open_recording(str(source)), open_recording(str(again))

    assert imported.left_out == ()
    assert first.counts(CASES) == second.counts(CASES)
    for asked in CASES:
        texts = [[row.completion.text for row in one.recorded(asked)] for one in (first, second)]
        assert texts[0] == texts[1]


@pytest.mark.parametrize("name", ["x", "HumanEval/0", "human_eval-0"])
@pytest.mark.parametrize("key", ["case_id", "task_id"])
def test_a_name_that_fits_two_sets_names_both_and_answers_neither(
    tmp_path: Path, name: str, key: str
) -> None:
    ids = {"x": "x", "HumanEval/0": "HumanEval-0", "human_eval-0": "human_eval-0"}
    both = [case(f"{eval_set}/{ids[name]}") for eval_set in ("one", "two")]
    file = tmp_path / "r.jsonl"
    file.write_text(json.dumps({key: name, "completion": "c"}) + "\n", encoding="utf-8")
    source = open_recording(str(file))

    if key == "case_id" and "/" in name:  # ours, and then "HumanEval" is a set
        assert set(source.counts(both).values()) == {0}
        return
    with pytest.raises(ForgetestError, match=r"one/.*, .*two/"):
        source.counts(both)
    assert list(source.counts(both[:1]).values()) == [1]


@pytest.mark.parametrize("name", ["lru-cache", "bounded-queue"])
def test_an_id_of_two_shipped_sets_is_never_graded_for_both(
    forgetest: Program, eval_sets: Path, name: str
) -> None:
    file = forgetest.folder / "r.jsonl"
    file.write_text(json.dumps({"case_id": name, "completion": "no"}) + "\n", encoding="utf-8")

    graded = forgetest("grade", file, "-e", eval_sets)
    asked = forgetest("run", "-m", f"replay/{file}", "-e", eval_sets, "--case", name)

    for done in (graded, asked):
        assert (done.code, done.err.count("\n")) == (2, 1)
        assert f'case "{name}" is in several of the eval sets, as "rust-' in done.err
        assert done.err.count(f"/{name}") == 2
    assert not (forgetest.folder / "runs").exists()


@pytest.mark.cargo
def test_the_three_readers_take_a_case_by_set_and_id(forgetest: Program, eval_sets: Path) -> None:
    (path,) = [path for path in eval_sets.glob("*.toml") if "lru-cache" in path.read_text()][:1]
    name = f"{path.stem}/lru-cache"
    file = forgetest.folder / "r.jsonl"
    file.write_text(json.dumps({"case_id": name, "completion": "no"}) + "\n", encoding="utf-8")

    imported = forgetest("import", "samples", file, "--id", "again")
    graded = forgetest("grade", "again.jsonl", "-e", eval_sets, "-q", "--format", "json")
    asked = forgetest("run", "-m", f"replay/{file}", "-e", eval_sets, "--case", name, "--dry-run")

    assert (imported.code, graded.code, asked.code) == (0, 0, 0), imported.err + graded.err
    (model,) = json.loads(graded.out)["models"]
    assert [f"{found['eval_set']}/{found['case']}" for found in model["cases"]] == [name]
