"""What each format becomes: cases that can be read, completions, verdicts."""

from pathlib import Path
from typing import Any

import pytest
from foreign import (
    MODULE,
    PROMPT,
    RIGHT,
    TESTS,
    WHOLE,
    WRONG,
    lines,
    logged,
    problem,
    result,
    row,
    whole,
)

from forgetest.errors import ConfigError, ForgetestError
from forgetest.evalset.dump import dump
from forgetest.evalset.load import parse
from forgetest.evalset.types import Case, Protocol
from forgetest.importers.catalogue import importer
from forgetest.importers.types import Imported, ImportOptions


def imported(form: str, path: Path, **options: str) -> Imported:
    return importer(form).read(path, ImportOptions(**options))


def cases(found: Imported) -> tuple[Case, ...]:
    assert found.eval_set is not None
    again = parse(dump(found.eval_set), file=found.eval_set.file)
    assert [case.prompt for case in again.cases] == [c.prompt for c in found.eval_set.cases]
    return again.cases


def test_a_prompt_that_is_continued_stays_word_for_word(tmp_path: Path) -> None:
    (case,) = cases(imported("multipl-e", lines(tmp_path / "rs.jsonl", problem())))

    assert (case.id, case.eval_set, case.prompt) == ("Mini_0_twice", "rs", PROMPT)
    assert case.protocol is Protocol.COMPLETION
    assert case.expectations.test_file == MODULE
    assert case.expectations.expected_functions == ("twice",)


def test_a_prompt_for_chat_names_the_declaration_and_closes_it(tmp_path: Path) -> None:
    file = lines(tmp_path / "rs.jsonl", problem())

    (case,) = cases(imported("multipl-e", file, protocol="chat"))

    assert case.protocol is Protocol.CHAT
    assert "`fn twice(n: isize) -> isize`" in case.prompt
    assert f"```rust\n{PROMPT}    todo!()\n}}\n```" in case.prompt
    assert RIGHT.strip() not in case.prompt


def test_the_source_is_named_with_its_licence(tmp_path: Path) -> None:
    found = imported("multipl-e", lines(tmp_path / "rs.jsonl", problem()))

    assert found.eval_set is not None
    assert found.eval_set.source is not None
    assert found.eval_set.source.name == "MultiPL-E"
    assert found.eval_set.source.version == ""


def test_completions_with_fences_are_replies(tmp_path: Path) -> None:
    reply = f"Here:\n```rust\n{WHOLE}```\n"
    chat = lines(tmp_path / "chat.jsonl", problem(completions=[reply, reply, RIGHT]))
    base = lines(tmp_path / "base.jsonl", problem(completions=[RIGHT, WRONG]))

    assert cases(imported("multipl-e", chat))[0].protocol is Protocol.CHAT
    assert cases(imported("multipl-e", base))[0].protocol is Protocol.COMPLETION
    found = imported("multipl-e", base, model="tiny-1")
    assert [(one.completion, one.model) for one in found.recorded] == [
        (RIGHT, "tiny-1"),
        (WRONG, "tiny-1"),
    ]
    assert {one.passed for one in found.recorded} == {None}


def test_results_judge_the_completions_of_the_file_beside_them(tmp_path: Path) -> None:
    results = [result(RIGHT, "OK"), result(WRONG, "Exception"), result("", "SyntaxError")]
    whole(tmp_path / "Mini_0_twice.json.gz", problem(completions=[RIGHT, WRONG]))
    whole(tmp_path / "Mini_0_twice.results.json.gz", problem(results=results))

    found = imported("multipl-e", tmp_path, protocol="completion")

    assert len(cases(found)) == 1
    assert [(one.completion, one.passed, one.verdict) for one in found.recorded] == [
        (RIGHT, True, "OK"),
        (WRONG, False, "Exception"),
        ("", False, "SyntaxError"),
    ]
    assert found.left_out == ()


@pytest.mark.parametrize(
    ("protocol", "completion"), [("completion", RIGHT), ("chat", f"{PROMPT}{RIGHT}\n}}\n")]
)
def test_a_completion_is_cut_out_of_the_program_that_was_run(
    protocol: str, completion: str, tmp_path: Path
) -> None:
    foreign = {**result(RIGHT, "OK"), "program": "fn main() {}"}
    file = whole(tmp_path / "a.json", problem(results=[result(RIGHT, "OK"), foreign]))

    found = imported("multipl-e", file, protocol=protocol)

    assert [one.completion for one in found.recorded] == [completion]
    (left,) = found.left_out
    assert left.item == "Mini_0_twice result 2"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"prompt": "Write a function."}, "does not end in a Rust function"),
        ({"prompt": WHOLE}, "does not end in a Rust function"),
        ({"tests": "}\nfn main() {}"}, "asserts nothing"),
        ({"completions": "n * 2"}, '"completions" must be an array'),
        ({"completions": [1]}, 'item 1 of "completions" must be a string'),
        ({"results": ["OK"]}, 'item 1 of "results" must be an object'),
        ({"name": " "}, '"name" is empty'),
        ({"name": {"a": 1}, "results": []}, '"name" must be a string'),
    ],
)
def test_a_problem_of_another_shape_is_left_out(
    wrong: dict[str, Any], said: str, tmp_path: Path
) -> None:
    file = lines(tmp_path / "a.jsonl", problem("Mini_1_good"), problem(**wrong))

    found = imported("multipl-e", file)

    assert len(cases(found)) == 1
    (left,) = found.left_out
    assert said in left.reason


def test_samples_keep_the_names_that_replay_looks_up(tmp_path: Path) -> None:
    file = lines(
        tmp_path / "samples.jsonl",
        {"task_id": "Mini/0", "completion": RIGHT, "passed": True, "result": "passed"},
        {"task_id": "Mini/0", "completion": "", "passed": False, "result": "timed out"},
        {"task_id": 7, "solution": WHOLE},
        {"task_id": "Mini/0"},
    )

    found = imported("samples", file)

    assert found.eval_set is None
    assert [(one.case_id, one.completion) for one in found.recorded] == [
        ("Mini/0", RIGHT),
        ("Mini/0", ""),
        ("7", WHOLE),
    ]
    assert [(one.passed, one.verdict) for one in found.recorded] == [
        (True, "passed"),
        (False, "timed out"),
        (None, None),
    ]
    assert [one.reason for one in found.left_out] == [
        '"completion" is missing, and so is "solution"'
    ]


def test_a_row_of_a_log_is_a_case_and_its_solution(tmp_path: Path) -> None:
    unsolved = logged("Mini_1_other", solution="fn twice(n: isize) -> isize { n }", is_solved=False)
    open_ = logged("Mini_2_open", solution=None, is_solved=None)

    found = imported("reflexion", lines(tmp_path / "log.jsonl", logged(), unsolved, open_))

    assert [case.protocol for case in cases(found)] == [Protocol.CHAT] * 3
    assert cases(found)[0].expectations.test_file == MODULE
    assert [(one.completion[:9], one.passed) for one in found.recorded] == [
        ("/// Retur", True),
        ("fn twice(", False),
    ]


def test_completions_of_one_task_share_its_case(tmp_path: Path) -> None:
    other = row(tests=TESTS.replace("candidate(2), 4", "candidate(3), 6"))
    wrong = row(completion=WHOLE.replace("* 2", "+ 1"), recorded_verdict="fail", flaky=True)

    found = imported("recorded", lines(tmp_path / "rows.jsonl", row(), wrong, other))

    assert [case.id for case in cases(found)] == ["Mini-0", "Mini-0-2"]
    assert [(one.case_id, one.passed, one.flaky) for one in found.recorded] == [
        ("Mini-0", True, False),
        ("Mini-0", False, True),
        ("Mini-0-2", True, False),
    ]
    assert found.eval_set is not None
    assert found.eval_set.source is not None
    assert (found.eval_set.source.name, found.eval_set.source.licence) == ("mini/mini", "MIT")


@pytest.mark.parametrize("source", [{"a": 1}, ["mini"], 1, "mini\nmaxi", "", "m" * 201])
def test_a_source_that_is_no_name_is_not_told(source: object, tmp_path: Path) -> None:
    found = imported("recorded", lines(tmp_path / "rows.jsonl", row(source=source)))

    assert found.eval_set is not None
    assert found.eval_set.source is None


def test_a_second_task_of_one_name_has_a_number(tmp_path: Path) -> None:
    rows = [row(), row(prompt="Write twice."), row(), row(prompt="Write it thrice.")]

    found = imported("recorded", lines(tmp_path / "rows.jsonl", *rows))

    first, *others = (case.id for case in cases(found))
    assert others == [f"{first}-2", f"{first}-3"]
    assert [one.case_id for one in found.recorded] == [first, f"{first}-2", first, f"{first}-3"]


def test_a_prelude_is_told_and_stands_before_the_completion(tmp_path: Path) -> None:
    prelude = "use std::cmp::*;\n"
    given = row(prompt="def twice(n): ...", prelude=prelude, entry_point="twice")

    found = imported("recorded", lines(tmp_path / "rows.jsonl", given))

    (case,) = cases(found)
    assert case.prompt.startswith("def twice(n): ...\n\nThe code begins with:\n")
    assert prelude in case.prompt
    assert found.recorded[0].completion == prelude + WHOLE


@pytest.mark.parametrize(
    ("said", "passed", "verdict"),
    [
        ({"recorded_trust": "sound"}, True, "pass"),
        ({"recorded_trust": "unsound-early-evaluator"}, None, None),
        ({"recorded_trust": "unsound", "our_verdict": "test_fail"}, False, "test_fail"),
        ({"recorded_verdict": None}, None, None),
    ],
)
def test_a_second_judge_goes_before_the_first_and_a_wrong_one_counts_nothing(
    said: dict[str, Any], passed: bool | None, verdict: str | None, tmp_path: Path
) -> None:
    found = imported("recorded", lines(tmp_path / "rows.jsonl", row(**said)))

    assert (found.recorded[0].passed, found.recorded[0].verdict) == (passed, verdict)


def test_continuations_keep_their_prompt_and_are_not_mixed_with_functions(tmp_path: Path) -> None:
    given = row(protocol="continuation: goes on", completion=RIGHT)

    (case,) = cases(imported("recorded", lines(tmp_path / "rows.jsonl", given)))

    assert (case.prompt, case.protocol) == (PROMPT, Protocol.COMPLETION)
    with pytest.raises(ForgetestError, match="mixes continuations with whole functions"):
        imported("recorded", lines(tmp_path / "both.jsonl", given, row()))


def test_an_unknown_protocol_of_a_row_is_left_out(tmp_path: Path) -> None:
    found = imported("recorded", lines(tmp_path / "rows.jsonl", row(), row(protocol="infill: x")))

    assert [one.item for one in found.left_out] == [f"mini:0 ({tmp_path / 'rows.jsonl'}:2)"]


def test_what_an_eval_set_can_not_hold_is_left_out(tmp_path: Path) -> None:
    file = lines(tmp_path / "log.jsonl", logged(), logged("b", entry_point="no name"))

    (left,) = imported("reflexion", file).left_out

    assert "expected_functions" in left.reason


@pytest.mark.parametrize("form", ["samples", "reflexion", "recorded"])
def test_a_protocol_can_only_be_chosen_where_there_is_a_choice(form: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--protocol"):
        imported(form, tmp_path, protocol="chat")
