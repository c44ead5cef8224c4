"""docs/reports.md describes every key of report.json, and so does its schema."""

from report_table import BEGIN, END, PAGE, described, tables


def test_every_key_of_the_schema_has_a_description() -> None:
    keys = dict(described())

    assert len(keys) > 200
    assert [key for key, description in keys.items() if not description] == []


def test_the_page_has_the_tables_of_the_schema() -> None:
    page = PAGE.read_text(encoding="utf-8")
    written = page.partition(BEGIN)[2].partition(END)[0].strip()

    assert written == tables(), "run python tests/support/report_table.py --write"
