"""Sources that are damaged, wrong or hostile are told in one line each."""

import gzip
import json
from pathlib import Path

import pytest
from foreign import PROMPT, lines, logged, problem, row, whole

from forgetest.errors import ConfigError, ForgetestError
from forgetest.evalset.forms import identifier
from forgetest.importers.catalogue import IMPORTERS, importer
from forgetest.importers.reading import MAX_BYTES, read_source
from forgetest.importers.types import Importer, ImportOptions, case_id, set_id
from forgetest.sampling.replay import read_rows

ROWS = {
    "multipl-e": problem,
    "recorded": row,
    "reflexion": logged,
    "samples": lambda **more: {"task_id": "Mini/0", "completion": "x", **more},
}
OURS = [one for one in IMPORTERS if one.name in ROWS]
each_format = pytest.mark.parametrize("form", OURS, ids=lambda one: one.name)


def reasons(form: Importer, path: Path) -> list[str]:
    return [one.reason for one in form.read(path, ImportOptions()).left_out]


@each_format
def test_a_truncated_line_is_left_out_and_named(form: Importer, tmp_path: Path) -> None:
    good = ROWS[form.name]()
    file = lines(tmp_path / "a.jsonl", good, json.dumps(good)[:-9])

    (left,) = form.read(file, ImportOptions()).left_out

    assert left.item == f"{file}:2"
    assert left.reason.startswith("is not JSON: ")


@each_format
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"name": "a", "pro', "a.json: is not JSON"),
        (b'{\n "name": "a",\n "pro', "is not JSON: Unterminated string .* in line 3"),
        (b"\xff\xfe{}", "is not UTF-8"),
        (b"[1, 2]", "item 2: is not a JSON object"),
        (b"", "is not JSON"),
        (b"[" * 100_000, "nests arrays or objects too deeply"),
        (b'{"a": ' + b"9" * 5000 + b"}", "is missing|too many digits"),
    ],
)
def test_a_file_without_one_good_item_is_an_error(
    form: Importer, data: bytes, said: str, tmp_path: Path
) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(data)

    with pytest.raises(ForgetestError, match=said):
        form.read(file, ImportOptions())


@each_format
def test_a_file_that_is_not_there_is_an_error(form: Importer, tmp_path: Path) -> None:
    with pytest.raises(ForgetestError, match=r"a\.jsonl: cannot be read: No such file"):
        form.read(tmp_path / "a.jsonl", ImportOptions())


@each_format
def test_another_language_is_left_out(form: Importer, tmp_path: Path) -> None:
    make = ROWS[form.name]
    file = lines(tmp_path / "a.jsonl", make(language="rust"), make(language="py"))

    assert reasons(form, file) == ['"language" is "py", not "rs" or "rust"']


@each_format
def test_a_key_that_is_missing_or_of_a_wrong_type_is_named(form: Importer, tmp_path: Path) -> None:
    make = ROWS[form.name]
    key = "completion" if form.name == "samples" else "prompt"
    file = lines(tmp_path / "a.jsonl", make(), make(**{key: None}), make(**{key: 7}))

    missing, wrong = reasons(form, file)

    assert f'"{key}" is missing' in missing
    assert wrong == f'"{key}" must be a string'


@pytest.mark.parametrize("form", ["multipl-e", "reflexion"])
def test_a_name_that_comes_twice_is_left_out(form: str, tmp_path: Path) -> None:
    make = ROWS[form]
    file = lines(tmp_path / "a.jsonl", make(), make(), make(name="Mini_1_other"))

    imported = importer(form).read(file, ImportOptions())

    assert imported.eval_set is not None
    assert [case.id for case in imported.eval_set.cases] == ["Mini_0_twice", "Mini_1_other"]
    (left,) = imported.left_out
    assert left.item == f"Mini_0_twice ({file}:2)"
    assert left.reason.endswith(f"is already in {file}:1")


def test_an_error_names_twenty_reasons_and_counts_the_rest(tmp_path: Path) -> None:
    file = lines(tmp_path / "a.jsonl", *["{"] * 25)

    with pytest.raises(ForgetestError) as raised:
        importer("multipl-e").read(file, ImportOptions())

    told = str(raised.value).splitlines()
    assert len(told) == 21
    assert told[0].startswith(f"{file}:1: is not JSON")
    assert told[-1] == f"{file}: and 5 more"


def test_all_ways_to_write_json_give_the_same_items(tmp_path: Path) -> None:
    one, two = problem(), problem("Mini_1_other")
    folder = tmp_path / "folder"
    folder.mkdir()
    whole(folder / "one.json", one)
    whole(folder / "two.json.gz", two)
    (folder / "notes.txt").write_text("no JSON")
    sources = [
        folder,
        lines(tmp_path / "a.jsonl", one, two),
        lines(tmp_path / "b.jsonl.gz", one, "", two),
        whole(tmp_path / "c.json", [one, two]),
        lines(tmp_path / "d.json", one, two),
    ]
    for source in sources:
        assert [item.value for item in read_source(source).items] == [one, two], source


def test_a_byte_order_mark_is_no_part_of_the_first_line(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps(problem()).encode())

    assert read_source(file).items[0].value["name"] == "Mini_0_twice"


def test_gzip_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.json.gz"
    with gzip.open(file, "wb", compresslevel=1) as packed:
        for _ in range((MAX_BYTES >> 20) + 1):
            packed.write(b" " * (1 << 20))

    with pytest.raises(ForgetestError, match="is larger than 256 MiB unpacked"):
        read_source(file)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"{}", "is not gzip"),
        (gzip.compress(json.dumps(problem()).encode(), mtime=0)[:-12], "is truncated or damaged"),
        (gzip.compress(b"{}" * 50, mtime=0)[:15] + b"\0" * 30, "is truncated or damaged|not gzip"),
    ],
)
def test_damaged_gzip_is_said_to_be_damaged(data: bytes, said: str, tmp_path: Path) -> None:
    file = tmp_path / "a.json.gz"
    file.write_bytes(data)

    with pytest.raises(ForgetestError, match=said):
        read_source(file)


def test_a_folder_without_json_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ForgetestError, match="has no file ending in"):
        read_source(tmp_path)


def test_half_a_surrogate_pair_in_a_prompt_is_left_out(tmp_path: Path) -> None:
    file = lines(tmp_path / "a.jsonl", problem(), problem("b", prompt=f"// \ud800\n{PROMPT}"))

    assert reasons(importer("multipl-e"), file) == ['"prompt" holds half of a surrogate pair']


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "a b", "..", "ü", "x" * 300])
def test_every_name_makes_an_id_that_stays_in_its_folder(name: str) -> None:
    made = case_id(name)

    assert identifier(made) == made
    assert "/" not in made


def test_a_valid_name_is_its_own_id() -> None:
    assert case_id("HumanEval_0_has_close_elements") == "HumanEval_0_has_close_elements"
    assert case_id("a" * 150 + "b") != case_id("a" * 150 + "c")


@pytest.mark.parametrize("name", ["CodeGen/53bba", "Mini/0", "mini: 0", "Mini 0"])
def test_replay_finds_the_case_of_a_foreign_name(name: str) -> None:
    (theirs,) = read_rows(json.dumps({"task_id": name, "completion": ""}).encode(), file="a")
    (ours,) = read_rows(json.dumps({"task_id": case_id(name), "completion": ""}).encode(), file="a")

    assert theirs.names[-1] in {*ours.names, "task " + case_id(name).lower().replace(".", "-")}


def test_a_set_is_named_after_its_source_or_as_the_user_says(tmp_path: Path) -> None:
    assert set_id(tmp_path / "rs-prompts.jsonl.gz", ImportOptions()) == "rs-prompts"
    assert set_id(tmp_path / "x.results.json", ImportOptions()) == "x"
    assert set_id(tmp_path / "x.json", ImportOptions(id="mine")) == "mine"
    with pytest.raises(ConfigError, match="--id may hold only"):
        set_id(tmp_path, ImportOptions(id="../mine"))


def test_an_unknown_format_is_answered_with_the_closest_one() -> None:
    with pytest.raises(ConfigError, match='did you mean "multipl-e"'):
        importer("multiple")
