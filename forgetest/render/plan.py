"""A plan in words: one line for the head of a run, and a table with its cost for `--dry-run`."""

from collections.abc import Mapping

from rich.table import Table

from forgetest.plan import ModelSpec, Plan
from forgetest.price import Estimate
from forgetest.render.numbers import dollars
from forgetest.words import count


def plan_line(plan: Plan) -> str:
    """Return `2 models x 6 cases x 5 samples = 60 samples`."""
    cases = sum(len(item.cases) for item in plan.eval_sets)
    total = count(len(plan.samples()), "sample")
    parts = [count(len(plan.models), "model"), count(cases, "case")]
    if not plan.recorded:
        parts.append(count(plan.samples_per_case, "sample"))
    return f"{' x '.join(parts)} = {total}"


def plan_table(estimates: Mapping[ModelSpec, Estimate]) -> Table:
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
