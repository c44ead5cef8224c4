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
