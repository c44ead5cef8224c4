"""`answer_files`: answers and references of several files, as people write them in TOML."""

import tomllib

import pytest
from jsonschema import Draft202012Validator

from forgetest.errors import EvalSetError
from forgetest.evalset.dump import dump
from forgetest.evalset.load import parse
from forgetest.evalset.schema import json_schema
from forgetest.evalset.types import Case
from forgetest.rust.joined import split

SET = """
[eval_set]
id = "small"

[[cases]]
id = "two"
prompt = "p"
answer_files = ["src/lib.rs", "src/text.rs"]

[[cases.context]]
path = "src/lib.rs"
content = "mod text;"

[cases.reference_solution]
"src/text.rs" = '''
pub fn rev() {}
'''

[cases.expectations]
test_file = "#[test] fn works() {}"
"""
CASE = 'x.toml:{}: case "two": '
UNGIVEN = SET.replace('path = "src/lib.rs"', 'path = "src/other.rs"')


def read(text: str) -> Case:
    return parse(text, file="x.toml").cases[0]


def problems(text: str) -> list[str]:
    with pytest.raises(EvalSetError) as caught:
        read(text)
    return [str(problem) for problem in caught.value.problems]


def test_a_reference_is_the_files_it_names_and_those_that_context_gives() -> None:
    case = read(SET)
    assert case.answer_files == ("src/lib.rs", "src/text.rs")
    assert split(case.reference_solution or "", case.answer_files) == {
        "src/lib.rs": "mod text;\n",
        "src/text.rs": "pub fn rev() {}\n",
    }


def test_it_is_written_as_the_table_that_it_was() -> None:
    case = read(SET)
    text = dump(parse(SET, file="x.toml"))
    assert "\n[cases.reference_solution]\n" in text
    assert read(text).model_copy(update={"line": case.line}) == case


def test_editors_are_told_of_the_table() -> None:
    wrong = SET.replace("[cases.reference_solution]", "[cases.reference]")
    validator = Draft202012Validator(json_schema())
    assert list(validator.iter_errors(tomllib.loads(SET))) == []
    assert list(validator.iter_errors(tomllib.loads(wrong))) != []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            SET.replace('"src/text.rs"]', '"src/text.rs", "src/Text.rs"]'),
            [
                CASE.format(8) + 'item 3 of "answer_files" "src/Text.rs" is already used by '
                '"src/text.rs"; remove one of them',
                CASE.format(14) + '"reference_solution" lacks "src/Text.rs", which context does '
                "not give; add it",
            ],
        ),
        (
            SET.replace('"src/lib.rs", ', "").replace('path = "src/lib.rs"', 'path = "src/a.rs"'),
            [
                CASE.format(8)
                + '"answer_files" must name "src/lib.rs", the root of the crate; add it'
            ],
        ),
        (
            SET.replace('answer_files = ["src/lib.rs", "src/text.rs"]', ""),
            [
                CASE.format(11) + 'context file 1: "path" must not be "src/lib.rs": forgetest or '
                'cargo puts its own files there; use another, such as "src/types.rs" or '
                '"data/input.txt"',
                CASE.format(14) + '"reference_solution" is a table; write a string, or name its '
                "files in answer_files",
            ],
        ),
        (
            UNGIVEN,
            [
                CASE.format(14) + '"reference_solution" lacks "src/lib.rs", which context does '
                "not give; add it"
            ],
        ),
        (
            SET.replace('"src/text.rs" =', '"src/main.rs" ='),
            [
                CASE.format(14) + '"reference_solution" lacks "src/text.rs", which context does '
                "not give; add it",
                CASE.format(15) + '"reference_solution.src/main.rs" is not in answer_files; add '
                "it there, or remove it",
            ],
        ),
        (
            SET.replace("pub fn rev() {}", "//==== file: src/lib.rs\npub fn rev() {}"),
            [
                CASE.format(14) + '"reference_solution" cannot be used: src/text.rs holds a line '
                "that begins with `//==== file:`; remove it"
            ],
        ),
        (
            SET.replace('id = "small"', 'id = "small"\nprotocol = "completion"'),
            [
                CASE.format(9) + '"answer_files" has no effect with protocol = "completion"; '
                "remove one of them"
            ],
        ),
    ],
)
def test_what_does_not_agree_is_named(text: str, wanted: list[str]) -> None:
    assert problems(text) == wanted


@pytest.mark.parametrize(
    "path",
    ["../a.rs", "/src/a.rs", "a.rs", "src/main.rs", "src/bin/a.rs", "src/a.txt", "tests/a.rs"],
)
def test_a_path_that_is_no_file_of_the_library_is_refused(path: str) -> None:
    (first, *_) = problems(SET.replace('"src/text.rs"]', f'"{path}"]'))
    assert first == (
        CASE.format(8) + 'item 2 of "answer_files" must be a Rust file of the library such as '
        f'"src/parser.rs", got "{path}"'
    )


def test_a_reference_of_several_files_is_no_string() -> None:
    text = SET.replace("[cases.reference_solution]\n\"src/text.rs\" = '''", "[cases.unused]\nx='''")
    text = text.replace('prompt = "p"', 'prompt = "p"\nreference_solution = "fn a() {}"')
    assert (
        CASE.format(8) + '"reference_solution" must be a table of the files "src/lib.rs", '
        '"src/text.rs"; write [cases.reference_solution]'
    ) in problems(text)
