"""The command line over the configuration: what gives way to what, and which of it is said."""

import pytest

from forgetest.errors import ConfigError
from forgetest.run.settings import RunTable, merged, settle

NAMED = RunTable(eval_sets=("s.toml",), models=("ollama/a",))


def test_samples_of_the_file_give_way_to_the_largest_k_of_the_command_line() -> None:
    file = NAMED.model_copy(update={"samples": 2, "pass_k": (1, 2)})

    table, notes = merged(RunTable(pass_k=(1, 5)), file)

    assert settle(table, cores=1).samples == 5
    assert notes == ("5 samples per case, not the 2 of the configuration: pass@5 needs them",)


def test_k_of_the_file_is_clamped_by_the_samples_of_the_command_line() -> None:
    file = NAMED.model_copy(update={"samples": 10, "pass_k": (1, 5, 10)})

    table, notes = merged(RunTable(samples=3), file)

    assert settle(table, cores=1).pass_k == (1, 3)
    assert " ".join(notes) == (
        "pass@10 of the configuration needs 10 samples per case: with --samples 3 the report has"
        " pass@1 and pass@3"
    )


@pytest.mark.parametrize(
    ("options", "file"),
    [
        (RunTable(samples=2, pass_k=(5,)), NAMED),
        (RunTable(), NAMED.model_copy(update={"samples": 2, "pass_k": (5,)})),
    ],
)
def test_what_contradicts_itself_in_one_place_is_refused(options: RunTable, file: RunTable) -> None:
    table, notes = merged(options, file)

    assert not notes
    with pytest.raises(ConfigError, match="pass@5 needs at least 5 samples per case, got 2"):
        settle(table, cores=1)


def test_what_agrees_is_not_spoken_of() -> None:
    file = NAMED.model_copy(update={"samples": 5, "pass_k": (1,)})

    assert merged(RunTable(pass_k=(1, 5)), file)[1] == ()
    assert merged(RunTable(samples=1), file)[1] == ()
    assert merged(RunTable(pass_k=(7,)), NAMED)[1] == ()


def asked(models: str, variants: str = "") -> list[str]:
    """Return the models of a run, by name, where the variants a and b exist."""
    table = RunTable(
        eval_sets=("s",),
        models=tuple(models.split(",")),
        variants=tuple(filter(None, variants.split(","))) or None,
    )
    return [str(model) for model in settle(table, cores=1, variants=["a", "b"]).models]


@pytest.mark.parametrize(
    ("models", "variants", "expected"),
    [
        ("p/m,p/n", "a,b", ["p/m@a", "p/m@b", "p/n@a", "p/n@b"]),
        ("p/m", "default,a", ["p/m", "p/m@a"]),
        ("p/m@b,p/n", "a", ["p/m@b", "p/n@a"]),
        ("p/m@default,p/n", "a", ["p/m", "p/n@a"]),
        ("reference/solution,p/m", "a,b", ["reference/solution", "p/m@a", "p/m@b"]),
        ("replay/x.jsonl,p/m@a", "a", ["replay/x.jsonl", "p/m@a"]),
        ("p/m,p/m@a", "", ["p/m", "p/m@a"]),
    ],
)
def test_all_models_are_asked_in_all_variants_unless_they_name_their_own(
    models: str, variants: str, expected: list[str]
) -> None:
    assert asked(models, variants) == expected


@pytest.mark.parametrize(
    ("models", "variants", "error"),
    [
        ("p/m,p/m@a", "a", "model p/m@a is given twice"),
        ("p/m,p/m@default", "", "model p/m is given twice"),
        ("p/m", "a,a", "model p/m@a is given twice"),
        ("p/m", "c", "there is no variant 'c'"),
        ("p/m@c", "a", "there is no variant 'c'"),
    ],
)
def test_a_model_is_asked_once_in_each_variant_and_only_in_those_that_exist(
    models: str, variants: str, error: str
) -> None:
    with pytest.raises(ConfigError, match=error):
        asked(models, variants)
