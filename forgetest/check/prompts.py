"""Whether a way of asking gives a case's answer away, leaves the question out, or is too long.

Prompts are compared with test files and solutions by their words and signs, so that white space
means nothing, and what the case's own prompt shows is not held against a variant. What two
solutions may share by chance is no finding: pieces must be long, or name what the case defines.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

from pydantic import Field
from tree_sitter import Node

from forgetest.evalset.types import Case
from forgetest.rust.parse import node_text, parse
from forgetest.sampling.completion import Draw, Prompt
from forgetest.sampling.local_server import CONTEXT_PER_SLOT
from forgetest.sampling.prompt import render
from forgetest.sampling.providers.contract import dig, estimated_tokens
from forgetest.sampling.providers.presets import Preset
from forgetest.sampling.providers.sampling import resolve
from forgetest.sampling.variant import DEFAULT_NAME, Variant
from forgetest.value import Value, count

# In words and signs. No two of the shipped solutions share so much by chance.
RUN = 32
SHORT_BODY = 16
SHORT_FUNCTION = 12  # with its name, of which there is one
SHORT_ASSERTION = 8
NAMED = 3  # cases named in a line

_WORD_OR_SIGN = re.compile(r"\w+|[^\w\s]")
_DEFINED = re.compile(r"\b(?:fn|struct|enum|trait|type|const|static|mod|macro_rules!)\s+(\w+)")
_ASSERTION = re.compile(r"\w*assert\w*")

Piece = tuple[str, ...]


class PromptFault(StrEnum):
    """What may be wrong with a prompt."""

    TESTS = "tests"  # it shows them
    SOLUTION = "solution"
    QUESTION = "question"  # it leaves the case's prompt out
    CONTEXT = "context"  # it leaves a file of the crate out
    LENGTH = "length"  # with its token limit it exceeds the model's context
    EXAMPLE = "example"  # an example is the case itself, and is left out


class PromptFinding(Value):
    """One thing about the prompt of a case, in a sentence that begins with neither."""

    variant: str = Field(description="The way of asking; default for the one without a name.")
    case: str = Field(description="The case, as `set/case`.")
    fault: PromptFault
    message: str


def prompt_findings(case: Case, variants: Mapping[str, Variant]) -> Iterator[PromptFinding]:
    """Yield what variants show, or leave out, of one case; ValueError for a wrong template."""
    pieces = {
        PromptFault.SOLUTION: tuple(_of_solution(case)),
        PromptFault.TESTS: tuple(_of_tests(case)),
    }
    own = _Text(render(case).user)
    for name, variant in variants.items():
        prompt = render(case, variant)
        told = _Text(prompt.system, *(turn.text for turn in prompt.turns))
        shown = {fault: told.shows_of(group, own) for fault, group in pieces.items()}
        found = {
            **shown,
            PromptFault.QUESTION: _left_out(case.prompt, prompt),
            PromptFault.CONTEXT: any(_left_out(file.content, prompt) for file in case.context),
            PromptFault.EXAMPLE: any(example.case == case.key for example in variant.examples),
        }
        for fault in filter(found.get, found):
            yield PromptFinding(variant=name, case=case.key, fault=fault, message=_MESSAGES[fault])


_MESSAGES: Mapping[PromptFault, str] = {
    PromptFault.SOLUTION: "shows code of the reference solution",
    PromptFault.TESTS: "shows code of the tests",
    PromptFault.QUESTION: "leaves the case's prompt out; write {prompt} in its template",
    PromptFault.CONTEXT: "leaves a context file out; write {context} in its template",
    PromptFault.EXAMPLE: "has the case as an example, which is not shown when it is asked",
}


def length_finding(draw: Draw, preset: Preset | None) -> PromptFinding | None:
    """Return a finding where a request exceeds the known context of its model; tokens err upwards.

    `preset` is None for the embedded model.
    """
    model = draw.sample.model
    context = CONTEXT_PER_SLOT if preset is None else known_context(model.model, preset)
    limit = draw.sampling.max_tokens
    if preset is not None:
        limit = resolve(preset, draw.sampling).max_tokens
    asked = estimated_tokens(draw.prompt)
    if context is None or asked + (limit or 0) <= context:
        return None
    message = (
        f"takes about {asked:,} tokens and up to {limit or 0:,} for the answer, and"
        f" {model.plain} has {context:,}; lower --max-tokens, or shorten the prompt"
    )
    return PromptFinding(
        variant=model.variant or DEFAULT_NAME,
        case=draw.case.key,
        fault=PromptFault.LENGTH,
        message=message,
    )


def known_context(model: str, preset: Preset) -> int | None:
    """Return how many tokens a model holds: as the user set it, or as the price list says.

    None where neither does. Ollama is asked for as much as a request needs.
    """
    own = dig(preset.extra_body, "options", "num_ctx")
    if isinstance(own, int) or preset.local:
        return own if isinstance(own, int) else None
    # Imported here because reading the list takes longer than starting the program.
    import genai_prices  # noqa: PLC0415

    none = genai_prices.Usage(input_tokens=0, output_tokens=0)
    try:
        listed = genai_prices.calc_price(none, model, provider_api_url=preset.base_url)
    except (LookupError, ValueError):
        return None
    return listed.model.context_window


def finding_lines(findings: Iterable[PromptFinding]) -> Iterator[str]:
    """Yield a line for each thing about a variant, with the first cases that it is about."""
    cases: dict[tuple[str, str], list[str]] = {}
    for finding in findings:
        cases.setdefault((finding.variant, finding.message), []).append(finding.case)
    for (variant, message), keys in cases.items():
        more = f" and {len(keys) - NAMED} more" if len(keys) > NAMED else ""
        named = f"{', '.join(keys[:NAMED])}{more}"
        yield f"variant {variant} {message} ({count(len(keys), 'case')}: {named})"


def _left_out(text: str, prompt: Prompt) -> bool:
    words = " ".join(text.split()).lower()
    told = " ".join(f"{prompt.system} {prompt.user}".split()).lower()
    return words not in told


class _Text:
    """A text in words and signs, in which pieces are found wherever they stand."""

    def __init__(self, *parts: str) -> None:
        words = [_WORD_OR_SIGN.findall(part) for part in parts]
        self._lines = "\n".join(f" {' '.join(part)} " for part in words)
        self._runs = {run for part in words for run in _runs(part)}

    def shows(self, piece: Piece) -> bool:
        """Tell whether a piece of code stands in the text; those of `RUN` words are quick."""
        return piece in self._runs if len(piece) == RUN else f" {' '.join(piece)} " in self._lines

    def shows_of(self, pieces: Iterable[Piece], own: "_Text") -> bool:
        """Tell whether a piece stands in the text that does not stand in the case's own."""
        return any(self.shows(piece) and not own.shows(piece) for piece in pieces)


def _of_solution(case: Case) -> Iterator[Piece]:
    """Yield the pieces of a solution that no prompt may show."""
    root = parse((case.reference_solution or "").encode(errors="replace")).root_node
    for item in _nodes(root, "function_item", "macro_definition"):
        words = _words(item)
        if item.parent == root and SHORT_FUNCTION <= len(words) < RUN:
            yield tuple(words)
        yield from _of_body(item)


def _of_tests(case: Case) -> Iterator[Piece]:
    """Yield the assertions and long pieces of tests that name what the solution defines."""
    root = parse((case.expectations.test_file or "").encode(errors="replace")).root_node
    defined = {
        *_DEFINED.findall(case.reference_solution or ""),
        *case.expectations.expected_functions,
        *case.expectations.expected_types,
    }
    for call in _nodes(root, "macro_invocation"):
        words = _words(call)
        if _ASSERTION.fullmatch(words[0]) and len(words) >= SHORT_ASSERTION:
            yield from ([tuple(words)] if not defined.isdisjoint(words) else [])
    for function in _nodes(root, "function_item"):
        yield from (piece for piece in _of_body(function) if not defined.isdisjoint(piece))


def _of_body(item: Node) -> Iterator[Piece]:
    """Yield all runs of the body of a function or a macro, or the whole of a short one."""
    words = _words(item.child_by_field_name("body") or item)
    inner = words[1:-1] if words[:1] == ["{"] else words
    if len(inner) >= RUN:
        yield from _runs(inner)
    elif len(inner) >= SHORT_BODY:
        yield tuple(inner)


def _runs(words: Sequence[str]) -> Iterator[Piece]:
    return (tuple(words[start : start + RUN]) for start in range(len(words) - RUN + 1))


def _words(node: Node | None) -> list[str]:
    return _WORD_OR_SIGN.findall(node_text(node))


def _nodes(root: Node, *kinds: str) -> Iterator[Node]:
    todo = [root]
    while todo:
        node = todo.pop()
        if node.type in kinds:
            yield node
        todo.extend(reversed(node.named_children))
