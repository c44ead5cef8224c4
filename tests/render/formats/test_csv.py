"""CSV that spreadsheets and data frames read as it was meant."""

import csv
import io

import pytest
from formatted import HOSTILE, hostile, made, run, two_models

from forgetest.render.run import ShownRun


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def test_there_is_a_row_for_each_sample_and_unscored_is_no_failure() -> None:
    samples = rows(made("csv", two_models())["samples.csv"])

    told = [
        (row["case"], row["sample"], row["scored"], row["passed"], row["score"], row["outcome"])
        for row in samples
        if row["model"] == "p/bad"
    ]
    assert told == [
        ("alpha", "1", "true", "false", "0.0", "compile_failed"),
        ("alpha", "2", "true", "false", "0.0", "compile_failed"),
        ("beta", "1", "true", "true", "1.0", "passed"),
        ("beta", "2", "false", "", "", ""),
        ("gamma", "1", "false", "", "", ""),
        ("gamma", "2", "false", "", "", ""),
    ]
    assert samples[0]["output_tokens"] == "20"
    assert samples[0]["usd"] == "0.001"


def test_there_is_a_row_for_each_case_and_model_with_counts_beside_rates() -> None:
    cases = rows(made("csv", two_models())["cases.csv"])

    named = ("case", "planned", "n", "c", "unscored", "pass@1", "pass@2", "commonest")
    assert [tuple(row[name] for name in named) for row in cases if row["model"] == "p/bad"] == [
        ("alpha", "2", "2", "0", "0", "0.0", "0.0", "compile_failed"),
        ("beta", "2", "1", "1", "1", "1.0", "", "provider"),
        ("gamma", "2", "0", "0", "2", "", "", "provider"),
        ("delta", "0", "0", "0", "0", "", "", "not_planned"),
    ]


def test_several_runs_are_one_table_with_the_columns_of_all() -> None:
    one = run({"p/m": {"alpha": "P"}}, label="one")
    two = run({"p/m": {"alpha": "PP"}}, label="two", pass_k=(2,))

    cases = rows(made("csv", one, two)["cases.csv"])

    assert [(row["run"], row["pass@1"], row["pass@2"]) for row in cases] == [
        ("one", "1.0", ""),
        ("two", "", "1.0"),
    ]


def test_lines_end_as_the_standard_says() -> None:
    text = made("csv", two_models())["cases.csv"]

    assert text.endswith("\r\n")
    assert text.replace("\r\n", "").count("\n") == 0


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＠"])  # noqa: RUF001
def test_no_cell_is_a_formula_to_a_spreadsheet(sign: str) -> None:
    made_of = run({"p/m": {"alpha": "P"}})
    labelled = ShownRun(made_of.report, made_of.eval_sets, f"{sign}cmd|' /C calc'!A0")

    (row,) = rows(made("csv", labelled)["cases.csv"])

    assert row["run"] == f"'{sign}cmd|' /C calc'!A0"


def test_hostile_texts_stay_in_their_cells_and_come_back() -> None:
    files = made("csv", hostile())

    (case_row,) = rows(files["cases.csv"])
    sample_rows = rows(files["samples.csv"])

    assert case_row["name"] == "'" + HOSTILE.replace("\0", "")
    assert len(sample_rows) == 2
    assert sample_rows[1]["sample"] == "2"
    assert not any(
        "\0" in text or "\x1b" in row["reason"]
        for text in files.values()
        for row in [case_row, *sample_rows]
        if "reason" in row
    )
