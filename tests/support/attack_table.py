"""Print the table of attacks for docs/security.md: what each does, its verdict, and why.

python tests/support/attack_table.py           print it
python tests/support/attack_table.py --write   put it into docs/security.md
"""

import sys
from collections.abc import Iterable, Iterator

from attacks import Attack, attacks
from program import ROOT

PAGE = ROOT / "docs" / "security.md"
BEGIN, END = "<!-- attacks: begin -->", "<!-- attacks: end -->"

_HEAD = "| file | the sample … | verdict | because |\n|---|---|---|---|"
_TITLES = (
    ("f", "Forging a result"),
    ("r", "Reading what is secret"),
    ("e", "Leaving the box"),
    ("x", "Exhausting the machine"),
    ("g", "Exhausting the readers of source code"),
    ("n", "Deceiving the reader of a report"),
    ("l", "Hiding lints"),
    ("m", "Taking memory that is not counted"),
    ("s", "Hiding in a second file"),
    ("i", "Blaming the machine"),
    ("k", "Bringing files and crates"),
    ("o", "Other cheats"),
    ("u", "Rejecting for another reason"),
    ("c", "Honest samples that look odd, and pass"),
)


def tables(found: Iterable[Attack]) -> str:
    """Return one table for each kind of sample."""
    by_kind: dict[str, list[Attack]] = {}
    for attack in found:
        by_kind.setdefault(attack.name[0], []).append(attack)
    return "\n\n".join(_table(title, by_kind[kind]) for kind, title in _TITLES)


def page_with(page: str, text: str, *, begin: str = BEGIN, end: str = END) -> str:
    """Return the page with `text` between its two marks."""
    head, _, rest = page.partition(begin)
    _, _, tail = rest.partition(end)
    return f"{head}{begin}\n\n{text}\n\n{end}{tail}"


def _table(title: str, found: Iterable[Attack]) -> str:
    return "\n".join((f"### {title}", "", _HEAD, *_rows(found)))


def _rows(found: Iterable[Attack]) -> Iterator[str]:
    for attack in found:
        cells = (attack.name.partition("_")[0], attack.does, _verdict(attack), attack.by)
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _verdict(attack: Attack) -> str:
    words = " or ".join(word.replace("_", " ") for word in attack.verdict)
    shown = f"**{words}**" if attack.open else words
    return f"{shown}; {', '.join(attack.level)}" if attack.level != ("clean",) else shown


def main(arguments: list[str]) -> None:
    """Print the tables, or write them into the page."""
    text = tables(attacks())
    if "--write" in arguments:
        PAGE.write_text(page_with(PAGE.read_text(), text))
    else:
        sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
