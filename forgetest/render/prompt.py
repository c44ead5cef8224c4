"""What a model is told, as text for people: who says what, the ways of asking, and their faults."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping

from rich.table import Table
from rich.text import Text

from forgetest.check.types import PromptFinding
from forgetest.render.safe import many_lines, one_line
from forgetest.sampling.completion import Draw
from forgetest.sampling.plan import Sampling
from forgetest.sampling.providers.contract import estimated_tokens
from forgetest.sampling.variant import DEFAULT, DEFAULT_NAME, Variant
from forgetest.value import count

RULE_WIDTH = 80
NAMED = 3  # cases named in a line


def prompt_text(draw: Draw, sampling: Sampling, left_out: Collection[str] = ()) -> str:
    """Return a conversation as it would be sent, with what else is sent in its head.

    `left_out` are the fields of the sampling that are not sent.
    """
    model, variant, tokens = draw.sample.model, draw.variant, estimated_tokens(draw.prompt)
    named = f" {variant.hash}" if model.variant else ""
    parts = [
        f"{draw.case.key} · {model.plain} · variant {model.variant_shown}{named}",
        " · ".join((*_set_values(sampling, left_out), f"about {tokens:,} tokens")),
    ]
    if left_out:
        parts.append(
            f"not sent, as the model or its server does not take it: {', '.join(left_out)}"
        )
    if variant.rounds > 1:
        later = f"up to {count(variant.rounds - 1, 'more round')} with feedback: {variant.feedback}"
        parts.append(f"the first round, then {later}")
    for speaker, text in _said(draw):
        parts += ["", f"── {speaker} ".ljust(RULE_WIDTH, "─"), "", many_lines(text).rstrip("\n")]
    return "\n".join(map(str, parts)) + "\n"


def _said(draw: Draw) -> Iterator[tuple[str, str]]:
    if draw.prompt.system:
        yield "system", draw.prompt.system
    for turn in draw.prompt.examples:
        yield f"{turn.role} (example)", turn.text
    yield "user", draw.prompt.user


def _set_values(sampling: Sampling, left_out: Collection[str]) -> Iterator[str]:
    """Yield the parameters that are sent, such as `temperature 0.2`."""
    sent = sampling.model_dump(mode="json", exclude_none=True, exclude=set(left_out))
    for name, value in sent.items():
        yield f"{name} {one_line(value if isinstance(value, str) else json.dumps(value))}"


def variants_table(variants: Mapping[str, Variant]) -> Table:
    """Return one row for each way of asking: its name, its hash, and what it changes."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("variant", "hash", "changes"):
        table.add_column(name, overflow="fold")
    for name, variant in variants.items():
        table.add_row(name, variant.hash, Text(", ".join(_changes(variant)) or "nothing"))
    return table


def all_variants(variants: Mapping[str, Variant]) -> dict[str, Variant]:
    """Return the default variant and those of the user, by name."""
    return {DEFAULT_NAME: DEFAULT, **variants}


def _changes(variant: Variant) -> Iterator[str]:
    for key, value in variant.model_dump(mode="json").items():
        match key, value:
            case "system" | "template" as text, _:
                yield text
            case "examples", examples:
                yield count(len(examples), "example")
            case _, str():
                yield f"{key} {value}"
            case _:
                yield f"{key} {one_line(json.dumps(value, ensure_ascii=False))}"


def finding_lines(findings: Iterable[PromptFinding]) -> Iterator[str]:
    """Yield a line for each thing that is wrong, with its variants and the first of its cases."""
    cases: dict[tuple[str, str], list[str]] = {}
    for finding in findings:
        cases.setdefault((finding.message, finding.variant), []).append(finding.case)
    variants: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (message, variant), keys in cases.items():
        variants.setdefault((message, tuple(keys)), []).append(variant)
    for (message, their_cases), names in variants.items():
        more = f" and {len(their_cases) - NAMED} more" if len(their_cases) > NAMED else ""
        of_cases = f"{count(len(their_cases), 'case')}: {', '.join(their_cases[:NAMED])}{more}"
        named = f"variant{'s' * (len(names) > 1)} {', '.join(names)}"
        yield f"{named}: {message} ({of_cases})"
