"""docs/security.md shows the corpus of attacks as it is."""

from attack_table import PAGE, page_with, tables
from attacks import attacks


def test_the_page_has_the_table_of_the_corpus() -> None:
    page = PAGE.read_text()
    assert page == page_with(page, tables(attacks())), (
        "run python tests/support/attack_table.py --write"
    )


def test_what_is_not_caught_is_said_above_the_table() -> None:
    page = PAGE.read_text()
    said = page[page.index("## What is not covered") : page.index("## The attacks")]
    for attack in attacks():
        assert not attack.open or attack.row in said, attack.name
