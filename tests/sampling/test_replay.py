"""Recorded completions answer as their model did, in their order, for their cases."""

import asyncio
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from recordings import case

from forgetest.errors import Fault, FaultKind, ForgetestError
from forgetest.sampling.completion import Completion, Cost, Draw, Finish, Usage
from forgetest.sampling.plan import ModelSpec, Sample, Sampling
from forgetest.sampling.prompt import render
from forgetest.sampling.replay import (
    ReplaySource,
    models_in,
    open_recording,
    read_rows,
    split_name,
)


def record(folder: Path, *rows: Any, name: str = "r.jsonl") -> str:
    file = folder / name
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(file)


def complete(source: ReplaySource, key: str, index: int = 0) -> Completion:
    asked = case(key)
    model = ModelSpec(provider="replay", model=source.file)
    sample = Sample(model=model, eval_set=asked.eval_set, case=asked.id, index=index)
    draw = Draw(sample=sample, case=asked, prompt=render(asked), sampling=Sampling())
    return asyncio.run(source.complete(draw))


def test_the_nth_line_of_a_case_answers_its_nth_sample(tmp_path: Path) -> None:
    rows = [("a", "a0"), ("b", "b0"), ("s/a", "a1"), ("t/a", "other"), ("a", "a2")]
    source = open_recording(
        record(tmp_path, *({"case_id": key, "completion": text} for key, text in rows))
    )

    assert [complete(source, "s/a", index).text for index in range(3)] == ["a0", "a1", "a2"]
    assert [complete(source, "t/a", index).text for index in range(3)] == ["a0", "other", "a2"]
    assert source.counts([case("s/a"), case("s/b"), case("s/c")]) == {"s/a": 3, "s/b": 1, "s/c": 0}
    assert source.unknown([case("s/a")]) == ("b", "t/a")
    assert source.unknown([case("s/a"), case("t/a"), case("s/b")]) == ()


def test_a_case_id_is_ours_and_never_read_as_foreign(tmp_path: Path) -> None:
    source = open_recording(record(tmp_path, {"case_id": "s/a", "completion": "c"}))

    assert source.counts([case("t/s-a")]) == {"t/s-a": 0}


def test_a_line_may_name_its_eval_set(tmp_path: Path) -> None:
    rows = [
        {"case_id": "a", "eval_set": "s", "completion": "in s"},
        {"case_id": "t/a", "eval_set": "t", "completion": "in t"},
    ]
    source = open_recording(record(tmp_path, *rows))

    assert complete(source, "s/a").text == "in s"
    assert complete(source, "t/a").text == "in t"
    assert source.counts([case("s/a"), case("t/a"), case("u/a")]) == {"s/a": 1, "t/a": 1, "u/a": 0}


@pytest.mark.parametrize(
    ("task_id", "key", "found"),
    [
        ("CodeGen/53bba", "x/CodeGen-53bba", 1),
        ("HumanEval/0", "x/HumanEval_0", 1),
        ("HumanEval/0", "x/HumanEval_00", 0),
        ("HumanEval_0_a", "x/HumanEval_0_a", 1),
        ("HumanEval_0_a", "x/HumanEval-0-a", 0),
        ("x/a", "x/a", 1),
        (11, "mbpp/11", 1),
    ],
)
def test_a_foreign_task_id_finds_the_case_made_from_it(
    tmp_path: Path, task_id: str | int, key: str, found: int
) -> None:
    source = open_recording(record(tmp_path, {"task_id": task_id, "completion": "c"}))

    assert source.counts([case(key)]) == {key: found}


def test_an_exact_name_wins_over_a_foreign_one(tmp_path: Path) -> None:
    rows = [{"task_id": "a/b", "completion": "foreign"}, {"case_id": "a-b", "completion": "own"}]
    source = open_recording(record(tmp_path, *rows))

    assert source.counts([case("s/a-b")]) == {"s/a-b": 1}
    assert complete(source, "s/a-b").text == "own"


def test_a_completion_comes_back_verbatim_with_what_was_recorded(tmp_path: Path) -> None:
    text = " \r\n```rust\nfn f() {}\n```\u2028\0"
    row = {
        "case_id": "a",
        "completion": text,
        "model": "org/model:1",
        "finish": "length",
        "usage": {"input_tokens": 5, "output_tokens": 7, "cache_read_tokens": -1, "other": 1},
        "unknown": {},
    }
    source = open_recording(record(tmp_path, row))

    assert complete(source, "s/a") == Completion(
        text=text,
        finish=Finish.LENGTH,
        native_finish="length",
        usage=Usage(input_tokens=5, output_tokens=7),
        cost=Cost(usd=None, source="recorded"),
        latency_secs=None,
        served_model="org/model:1",
    )


@pytest.mark.parametrize(
    ("word", "finish"),
    [
        ("stop", Finish.STOP),
        ("length", Finish.LENGTH),
        ("max_tokens", Finish.LENGTH),
        ("refused", Finish.REFUSED),
        ("refusal", Finish.REFUSED),
        ("filtered", Finish.FILTERED),
        ("content_filter", Finish.FILTERED),
        ("end_turn", Finish.STOP),
        (None, Finish.STOP),
        (["x"], Finish.STOP),
    ],
)
def test_the_reason_to_stop_is_understood(tmp_path: Path, word: object, finish: Finish) -> None:
    row = {"case_id": "a", "completion": "", "finish": word, "usage": word}
    source = open_recording(record(tmp_path, row))

    assert complete(source, "s/a").finish is finish


def test_half_a_surrogate_pair_becomes_the_replacement_character(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    file.write_text('{"case_id": "a", "completion": "x\\ud83d \\ud83d\\ude00"}')

    assert complete(open_recording(str(file)), "s/a").text == "x\ufffd \U0001f600"


def test_a_sample_that_was_not_recorded_is_a_fault_of_that_sample(tmp_path: Path) -> None:
    file = record(tmp_path, {"case_id": "a", "completion": "c"})
    source = open_recording(file)

    with pytest.raises(Fault) as caught:
        complete(source, "s/a", 1)

    assert caught.value.kind is FaultKind.PROVIDER
    assert not caught.value.final
    shortage = "case s/a has 1 recorded completion, but sample 2 was requested"
    assert caught.value.message == f"{file}: {shortage}"


def test_every_bad_line_is_told_at_once() -> None:
    lines = [
        '{"case_id": "a", "completion": "fine"}',
        "",
        "{",
        "[]",
        '{"completion": "x"}',
        '{"case_id": "", "task_id": true, "completion": "x"}',
        '{"case_id": "a"}',
        '{"task_id": "b", "completion": null}',
        "[" * 100_000,
        "1" * 5_000,
        "\r",
    ]

    with pytest.raises(ForgetestError) as caught:
        read_rows("\n".join(lines).encode() + b"\n\xff\n", file="r.jsonl")

    found = str(caught.value).splitlines()
    assert found.pop(-2).startswith("r.jsonl:10: ")
    assert found == [
        "r.jsonl:3: not JSON: Expecting property name enclosed in double quotes in column 2",
        "r.jsonl:4: must be an object with case_id and completion",
        'r.jsonl:5: "case_id" is missing; every line needs case_id (or task_id)',
        'r.jsonl:6: "case_id" is missing; every line needs case_id (or task_id)',
        'r.jsonl:7: case "a": "completion" is missing',
        'r.jsonl:8: case "b": "completion" is missing',
        "r.jsonl:9: arrays or objects are nested too deeply",
        "r.jsonl:12: not UTF-8",
    ]


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ('{"caseid": "a", "completion": "x"}', 'did you mean "case_id" by "caseid"?'),
        ('{"case_id": "a", "completions": "x"}', 'did you mean "completion" by "completions"?'),
        ('{"case_id": "a", "completion": 7}', '"completion" must be a string'),
    ],
)
def test_a_misspelt_key_of_a_recording_is_told_what_was_meant(line: str, meant: str) -> None:
    with pytest.raises(ForgetestError) as caught:
        read_rows(line.encode(), file="r.jsonl")

    assert meant in str(caught.value)


def test_a_file_of_another_kind_does_not_fill_the_screen() -> None:
    with pytest.raises(ForgetestError) as caught:
        read_rows(b"no\n" * 1_000, file="r.jsonl")

    assert str(caught.value).splitlines()[-2:] == [
        "r.jsonl:20: not JSON: Expecting value in column 1",
        "r.jsonl: and 980 more",
    ]


def test_windows_files_are_read() -> None:
    raw = '\ufeff{"case_id": "a", "completion": "x"}\r\n\r\n'.encode()

    assert [row.case for row in read_rows(raw, file="r.jsonl")] == ["a"]


def test_a_file_packed_with_gzip_is_read(tmp_path: Path) -> None:
    packed = gzip.compress(b'{"case_id": "a", "completion": "x"}\n')
    (tmp_path / "r.jsonl.gz").write_bytes(packed)

    assert [row.case for row in open_recording(str(tmp_path / "r.jsonl.gz")).rows] == ["a"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"{}\n", "Not a gzipped file"),
        (gzip.compress(b"{}\n" * 999, mtime=0)[:-9], "its gzip data is truncated or damaged"),
    ],
)
def test_a_damaged_gzip_file_is_named(tmp_path: Path, data: bytes, reason: str) -> None:
    (tmp_path / "r.jsonl.gz").write_bytes(data)

    with pytest.raises(ForgetestError, match=rf"r\.jsonl\.gz: cannot be read: {reason}"):
        open_recording(str(tmp_path / "r.jsonl.gz"))
    with pytest.raises(ForgetestError, match=rf"r\.jsonl\.gz: cannot be read: {reason}"):
        models_in(tmp_path / "r.jsonl.gz")


def test_an_empty_file_is_no_recording() -> None:
    with pytest.raises(ForgetestError, match=r"r\.jsonl: no completions; expected one"):
        read_rows(b"\n \n", file="r.jsonl")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ForgetestError, match=r"^replay/.*none: cannot be read: No such file"):
        open_recording(f"{tmp_path}/none")


@pytest.mark.parametrize(
    ("name", "files", "expected"),
    [
        ("a.jsonl", ["a.jsonl"], ("a.jsonl", None)),
        ("runs/a.jsonl#org/m:1", ["runs/a.jsonl"], ("runs/a.jsonl", "org/m:1")),
        ("/tmp/a#1.jsonl", ["/tmp/a#1.jsonl"], ("/tmp/a#1.jsonl", None)),  # noqa: S108 - no file
        ("a#1#m", ["a#1"], ("a#1", "m")),
        ("a#m#2", ["a"], ("a", "m#2")),
        ("none#m", [], ("none", "m")),
        ("none", [], ("none", None)),
    ],
)
def test_a_model_of_the_file_follows_a_hash(
    name: str, files: list[str], expected: tuple[str, str | None]
) -> None:
    assert split_name(name, is_file=lambda path: path in files) == expected


def test_one_model_of_many_is_chosen(tmp_path: Path) -> None:
    rows = [
        {"case_id": "a", "completion": "one", "model": "org/one"},
        {"case_id": "a", "completion": "two", "model": "org/two"},
        {"case_id": "a", "completion": "none"},
    ]
    file = record(tmp_path, *rows, name="a#b.jsonl")

    assert complete(open_recording(f"{file}#org/two"), "s/a").text == "two"
    assert open_recording(f"{file}#org/two").counts([case("s/a")]) == {"s/a": 1}
    for name, message in {
        file: 'the file names the models "org/one", "org/two", and in some lines none; '
        f"choose one, as in replay/{file}#org/one",
        f"{file}#org/tow": 'no such model; did you mean "org/two"?',
        f"{file}#x": 'no such model; the file names the models "org/one", "org/two"',
    }.items():
        with pytest.raises(ForgetestError) as caught:
            open_recording(name)
        assert str(caught.value).startswith(f"replay/{name}: {message}")


def test_a_file_without_models_has_none_to_choose(tmp_path: Path) -> None:
    file = record(tmp_path, {"case_id": "a", "completion": "c"})

    with pytest.raises(ForgetestError, match="no such model; the file names no model"):
        open_recording(f"{file}#m")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"conversation": {"rounds": 99}}, '"conversation.rounds": input should be less than'),
        ({"conversation": {"round": 3}}, '"conversation.round": extra inputs are not permitted'),
        ({"conversation": {"rounds": 3}, "later": "x"}, '"later" must be a list of objects'),
        ({"conversation": {"rounds": 3}, "later": [{}]}, '"later" must be a list of objects'),
    ],
)
def test_a_conversation_that_can_not_be_read_is_told_in_one_line(
    tmp_path: Path, more: dict[str, Any], said: str
) -> None:
    with pytest.raises(ForgetestError) as raised:
        open_recording(record(tmp_path, {"case_id": "a", "completion": "c", **more}))

    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
