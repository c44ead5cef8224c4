"""What a run is made of, in words: the run itself, its plan with its cost, and its sandbox."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from pydantic import JsonValue
from rich.table import Table
from rich.text import Text

from forgetest.evalset.types import EvalSet
from forgetest.render.numbers import dollars
from forgetest.render.safe import one_line
from forgetest.report.types import Report
from forgetest.run.manifest import SandboxInfo
from forgetest.sampling.plan import ModelSpec, Plan
from forgetest.sampling.variant import Variant
from forgetest.sandbox.types import Guarantees, Held
from forgetest.value import count

if TYPE_CHECKING:  # prices know all providers, and few who print a run need them
    from forgetest.sampling.completion import Cost
    from forgetest.sampling.price import CostEstimate


MODEL_WIDTH = 28  # what a model's name has before it folds


@dataclass(frozen=True, slots=True)
class ShownRun:
    """One run; `eval_sets` is empty when there is a report and no run folder."""

    report: Report
    eval_sets: tuple[EvalSet, ...]
    label: str  # its name among several runs


def plan_line(plan: Plan) -> str:
    """Return `2 models x 6 cases x 5 samples = 60 samples`."""
    cases = sum(len(item.cases) for item in plan.eval_sets)
    total = count(plan.size, "sample")
    parts = [count(len(plan.models), "model"), count(cases, "case")]
    if not plan.recorded:
        parts.append(count(plan.samples_per_case, "sample"))
    return f"{' x '.join(parts)} = {total}"


def plan_table(estimates: Mapping[ModelSpec, "CostEstimate"]) -> Table:
    """Return one row per model: requests to send, what they likely cost, and the most."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    widest = max((len(str(model)) for model in estimates), default=0)
    table.add_column("model", overflow="fold", min_width=min(widest, MODEL_WIDTH))
    for name in ("requests", "input", "output ≤", "likely cost", "at most", "price from"):
        table.add_column(name, justify="right")
    for model, estimate in estimates.items():
        table.add_row(
            str(model),
            f"{estimate.requests:,}",
            f"{estimate.input_tokens:,}",
            f"{estimate.output_tokens:,}",
            _or_unknown(estimate.likely_cost),
            _or_unknown(estimate.cost),
            estimate.cost.source,
        )
    return table


def _or_unknown(cost: "Cost") -> str:
    return "?" if cost.usd is None else dollars(cost.usd)


def plan_notes(estimates: Mapping[ModelSpec, "CostEstimate"]) -> Iterator[str]:
    """Yield the total, what the two costs assume, and what to write where a price is unknown."""
    if any(estimate.output_tokens for estimate in estimates.values()):
        yield from _token_notes(estimates)
    for model, remedy in _unpriced(estimates).items():
        yield f"the price of {model} is unknown: {remedy}"


def _token_notes(estimates: Mapping[ModelSpec, "CostEstimate"]) -> Iterator[str]:
    from forgetest.sampling.price import THOUGHT  # noqa: PLC0415 - as above

    yield from _together(estimates)
    yield (
        "likely: answers are twice as long as the reference solution; models known to think first"
        f" take {THOUGHT:,} tokens more"
    )
    yield "at most: every answer fills its token limit (--max-tokens); --max-cost stops before that"
    if again := [str(model) for model, item in estimates.items() if item.requests > item.samples]:
        yield (
            f"{', '.join(again)}: likely counts the first round alone; requests, tokens and at most"
            " count all rounds of every sample"
        )


def _together(estimates: Mapping[ModelSpec, "CostEstimate"]) -> Iterator[str]:
    """Yield the sums over several models, naming those that no sum holds."""
    likely = [item.likely_cost.usd for item in estimates.values() if item.likely_cost.usd]
    most = [item.cost.usd for item in estimates.values() if item.cost.usd]
    unknown = [str(model) for model, item in estimates.items() if item.cost.usd is None]
    if len(estimates) > 1 and most:
        rest = f", and {', '.join(unknown)} beside it" if unknown else ""
        sums = [dollars(sum(amounts, Decimal(0))) for amounts in (likely, most)]
        yield f"together: likely {sums[0]}, at most {sums[1]}{rest}"


def uncounted_notes(estimates: Mapping[ModelSpec, "CostEstimate"]) -> Iterator[str]:
    """Yield a note on each model that --max-cost cannot count."""
    for model, remedy in _unpriced(estimates).items():
        yield (
            f"--max-cost counts {model} only where the server says what it charges: its price"
            f" is unknown; {remedy}"
        )


def _unpriced(estimates: Mapping[ModelSpec, "CostEstimate"]) -> dict[ModelSpec, str]:
    """Return the models without a known price, and how to state it.

    All variants of a model have one price. The tokens of a command or a plugin are unknown.
    """
    return {
        model.model_copy(update={"variant": None}): _price_lines(model)
        if estimate.output_tokens
        else "it can report what each answer costs, as docs/models.md says"
        for model, estimate in estimates.items()
        if estimate.cost.usd is None
    }


def _price_lines(model: ModelSpec) -> str:
    """Return how to state a price, in US dollars per million tokens."""
    return (
        "add it to forgetest.toml, in US dollars per million tokens, as\n"
        f"  [providers.{model.provider}.prices]\n"
        f'  "{model.model}" = {{ input = 1.0, output = 4.0 }}'
    )


SHORT = 48  # characters of a setting that is shown whole


def variant_words(variant: Variant) -> str:
    """Return what a variant changes, such as `temperature 0.2, system "Be terse."`."""
    settings = variant.model_dump(mode="json")
    words = [f"{name.replace('_', ' ')} {setting_words(value)}" for name, value in settings.items()]
    return ", ".join(words) or "nothing"


def setting_words(value: JsonValue) -> str:
    """Return a setting as people read it: a long text or list by its size."""
    if isinstance(value, float | int):
        return f"{value:g}"
    if isinstance(value, str):
        line = one_line(value)
        return f'"{line}"' if len(value) <= SHORT else f"of {count(len(value), 'character')}"
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        return f"({len(value)})"
    return json.dumps(value, ensure_ascii=False)


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
