"""What a run is made of, in words: the run itself, its plan with its cost, and its sandbox."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from forgetest.evalset.types import EvalSet
from forgetest.render.numbers import dollars
from forgetest.report.types import Report
from forgetest.run.manifest import SandboxInfo
from forgetest.sampling.plan import ModelSpec, Plan
from forgetest.sandbox.types import Guarantees, Held
from forgetest.value import count

if TYPE_CHECKING:  # prices know all providers, and few who print a run need them
    from forgetest.sampling.price import CostEstimate


@dataclass(frozen=True, slots=True)
class ShownRun:
    """One run; `eval_sets` is empty when there is a report and no run folder."""

    report: Report
    eval_sets: tuple[EvalSet, ...]
    label: str  # its name among several runs


def plan_line(plan: Plan) -> str:
    """Return `2 models x 6 cases x 5 samples = 60 samples`."""
    cases = sum(len(item.cases) for item in plan.eval_sets)
    total = count(len(plan.samples()), "sample")
    parts = [count(len(plan.models), "model"), count(cases, "case")]
    if not plan.recorded:
        parts.append(count(plan.samples_per_case, "sample"))
    return f"{' x '.join(parts)} = {total}"


def plan_table(estimates: Mapping[ModelSpec, "CostEstimate"]) -> Table:
    """Return one row per model: requests to send and the most they can cost."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("model", overflow="fold")
    for name in ("requests", "input tokens", "output tokens", "cost at most", "price from"):
        table.add_column(name, justify="right")
    for model, most in estimates.items():
        usd = "?" if most.cost.usd is None else dollars(most.cost.usd)
        tokens = (f"{most.input_tokens:,}", f"{most.output_tokens:,}")
        table.add_row(str(model), f"{most.requests:,}", *tokens, usd, most.cost.source)
    return table


NOT_RECORDED = "not recorded"
_STYLES = {Held.ENFORCED: "green", Held.BEST_EFFORT: "yellow", Held.ABSENT: "red"}
_MEANINGS: Mapping[str, str] = {
    "read": "reading other files, and memory or environment of other processes",
    "write": "writing outside its scratch folder",
    "network": "opening network connections",
    "environment": "seeing environment variables that it was not given",
    "process_tree": "signalling other processes, or leaving any behind",
    "memory": "using more memory than its limit",
    "processes": "starting processes, or more threads than its limit",
    "disk": "writing more bytes than its limit",
    "output": "printing more bytes than its limit",
    "time": "running longer than its limits of clock and CPU time",
}


def sandbox_line(sandbox: SandboxInfo | None) -> str:
    """Return backend and guarantees, such as `bwrap 0.8.0: read, write enforced; disk absent`."""
    if sandbox is None:
        return NOT_RECORDED
    held = {name: value for name, value in sandbox.guarantees if isinstance(value, Held)}
    groups = [(how, [_word(name) for name in held if held[name] is how]) for how in Held]
    if all(value is Held.ENFORCED for value in held.values()):
        status = "all guarantees enforced"
    else:
        status = "; ".join(f"{', '.join(names)} {how}" for how, names in groups if names)
    return f"{sandbox.backend} {sandbox.version}".strip() + f": {status}"


def guarantees_table(guarantees: Guarantees) -> Table:
    """Return one row for each guarantee: its status, and what it keeps generated code from."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("guarantee", "status", "keeps code from"):
        table.add_column(name, overflow="fold")
    for name, meaning in _MEANINGS.items():
        held: Held = getattr(guarantees, name)
        table.add_row(_word(name), Text(held, style=_STYLES[held]), meaning)
    return table


def _word(name: str) -> str:
    return name.replace("_", " ")
