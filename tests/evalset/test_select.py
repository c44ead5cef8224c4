"""Which cases `--filter` and `--case` choose, and what they say when they choose none."""

import pytest

from forgetest.errors import ForgetestError
from forgetest.evalset.select import filter_cases, filter_tags, select
from forgetest.evalset.types import Case, Difficulty, EvalSet

DIFFICULTIES = {"e": Difficulty.EASY, "h": Difficulty.HARD}


def case(eval_set: str, spec: str) -> Case:
    """Build a case from `id:tag,tag:difficulty`."""
    case_id, tags, difficulty = spec.split(":")
    return Case(
        id=case_id,
        eval_set=eval_set,
        name=case_id,
        prompt="p",
        tags=tuple(filter(None, tags.split(","))),
        difficulty=DIFFICULTIES.get(difficulty),
    )


def eval_set(name: str, *specs: str) -> EvalSet:
    return EvalSet(id=name, name=name, cases=tuple(case(name, spec) for spec in specs))


SETS = (
    eval_set("basics", "add:math:e", "sort:vec,math:h", "join:text:"),
    eval_set("async", "join:text,tokio:h", "HumanEval_1:tokio:e", "last::"),
)


def keys(eval_sets: tuple[EvalSet, ...]) -> list[str]:
    assert all(chosen.cases for chosen in eval_sets)
    return [case.key for chosen in eval_sets for case in chosen.cases]


@pytest.mark.parametrize(
    ("expressions", "expected"),
    [
        ([], "basics/add basics/sort basics/join async/join async/HumanEval_1 async/last"),
        (["math"], "basics/add basics/sort"),
        (["vec,tokio"], "basics/sort async/join async/HumanEval_1"),
        ([" vec , tokio "], "basics/sort async/join async/HumanEval_1"),
        (["text", "tokio"], "async/join"),
        (["!text"], "basics/add basics/sort async/HumanEval_1 async/last"),
        (["! text", "!math"], "async/HumanEval_1 async/last"),
        (["vec,!tokio"], "basics/add basics/sort basics/join async/last"),
        (["easy"], "basics/add async/HumanEval_1"),
        (["math", "!easy"], "basics/sort"),
        (["!expert", "vec"], "basics/sort"),
    ],
)
def test_commas_mean_any_of_and_repetition_means_all_of(
    expressions: list[str], expected: str
) -> None:
    assert keys(filter_tags(SETS, expressions)) == expected.split()


@pytest.mark.parametrize(
    ("expressions", "message"),
    [
        (["tokoi"], '--filter "tokoi": no case has the tag "tokoi"; did you mean "tokio"?'),
        (["math,!tekst"], '--filter "math,!tekst": no case has the tag "tekst"; did you mean'),
        (
            ["zzz"],
            (
                '--filter "zzz": no case has the tag "zzz"; the tags are '
                '"easy", "hard", "math", "text", "tokio", "vec"'
            ),
        ),
        (
            ["vec", "tokio"],
            (
                '--filter "vec" "tokio": no case matches; the tags are '
                '"easy", "hard", "math", "text", "tokio", "vec"'
            ),
        ),
        (["expert"], '--filter "expert": no case matches; the tags are "easy", "hard"'),
        ([""], '--filter "": a tag is missing'),
        (["math,,vec"], '--filter "math,,vec": a tag is missing'),
        (["!"], '--filter "!": a tag is missing'),
    ],
)
def test_a_filter_that_can_not_be_meant_is_refused(expressions: list[str], message: str) -> None:
    with pytest.raises(ForgetestError) as caught:
        filter_tags(SETS, expressions)

    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("globs", "expected"),
    [
        ([], "basics/add basics/sort basics/join async/join async/HumanEval_1 async/last"),
        (["add"], "basics/add"),
        (["join"], "basics/join async/join"),
        (["async/join"], "async/join"),
        (["async/*"], "async/join async/HumanEval_1 async/last"),
        (["*/join", "a*"], "basics/add basics/join async/join async/HumanEval_1 async/last"),
        (["HumanEval_?"], "async/HumanEval_1"),
        (["[sl]*"], "basics/sort async/last"),
    ],
)
def test_a_case_is_named_by_its_id_or_with_its_set(globs: list[str], expected: str) -> None:
    assert keys(filter_cases(SETS, globs)) == expected.split()


@pytest.mark.parametrize(
    ("globs", "message"),
    [
        (["ad"], '--case "ad": no case matches; did you mean "add"?'),
        (["add", "basics/sortt"], '--case "basics/sortt": no case matches; did you mean "basics/s'),
        (["humaneval_*"], '--case "humaneval_*": no case matches; did you mean "HumanEval_1"?'),
        (["zzz"], '--case "zzz": no case matches; the cases are "async/HumanEval_1", "async/join"'),
    ],
)
def test_each_name_must_match_a_case(globs: list[str], message: str) -> None:
    with pytest.raises(ForgetestError) as caught:
        filter_cases(SETS, globs)

    assert str(caught.value).startswith(message)


def test_filter_and_case_both_hold() -> None:
    assert keys(select(SETS, filters=["text"], cases=["*join", "add"])) == [
        "basics/join",
        "async/join",
    ]
    assert select(SETS) == SETS
    with pytest.raises(ForgetestError, match="--filter and --case have no case in common"):
        select(SETS, filters=["tokio"], cases=["add"])


def test_a_long_list_of_names_is_cut() -> None:
    many = eval_set("many", *(f"case{number:03}:t{number:03}:" for number in range(100)))

    with pytest.raises(ForgetestError, match='"t019" and 80 more'):
        filter_tags([many], ["zzz"])


def test_sets_without_tags_say_so() -> None:
    with pytest.raises(ForgetestError, match="the tags are none"):
        filter_tags([eval_set("plain", "a::")], ["zzz"])
