"""What holds generated code: which guarantees are in force, and how firmly."""

from collections.abc import Mapping

from rich.table import Table
from rich.text import Text

from forgetest.manifest import SandboxInfo
from forgetest.sandbox.types import Guarantees, Held

NOT_RECORDED = "not recorded"
_STYLES = {Held.ENFORCED: "green", Held.BEST_EFFORT: "yellow", Held.ABSENT: "red"}
_MEANINGS: Mapping[str, str] = {
    "read": "files but its own, memory and variables of other processes",
    "write": "files outside its scratch folder",
    "network": "sockets that lead anywhere",
    "environment": "variables that it was not given",
    "process_tree": "signals to others; nothing of it stays",
    "memory": "more than its limit",
    "processes": "children, more threads than its limit",
    "disk": "more bytes than its limit",
    "output": "more bytes than its limit",
    "time": "of clock and CPU, more than its limit",
}


def sandbox_line(sandbox: SandboxInfo | None) -> str:
    """Return backend and guarantees, such as `bwrap 0.8.0: read, write enforced; disk absent`."""
    if sandbox is None:
        return NOT_RECORDED
    held = {name: value for name, value in sandbox.guarantees if isinstance(value, Held)}
    groups = [(how, [_word(name) for name in held if held[name] is how]) for how in Held]
    if all(value is Held.ENFORCED for value in held.values()):
        said = "all guarantees enforced"
    else:
        said = "; ".join(f"{', '.join(names)} {how}" for how, names in groups if names)
    return f"{sandbox.backend} {sandbox.version}".strip() + f": {said}"


def guarantees_table(guarantees: Guarantees) -> Table:
    """Return one row for each guarantee: how it holds, and what it keeps a test from."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("guarantee", "holds", "keeps a test from"):
        table.add_column(name, overflow="fold")
    for name, meaning in _MEANINGS.items():
        held: Held = getattr(guarantees, name)
        table.add_row(_word(name), Text(held, style=_STYLES[held]), meaning)
    return table


def _word(name: str) -> str:
    return name.replace("_", " ")
